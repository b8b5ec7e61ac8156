"""Asking git what differs, and keeping what it found out for the next time."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from wt_git.git.filters import attribute_files
from wt_git.git.index_facts import LISTING_ARGS, IndexFacts, read_facts
from wt_git.git.process import ask, failure
from wt_git.git.staging import denial
from wt_git.git.status import STATUS_ARGS, Status, parse_status
from wt_git.git.tree_objects import HASH_BYTES

if TYPE_CHECKING:
    from wt_git.git.exclusions import Exclusions
    from wt_git.git.git_config import GitConfig
    from wt_git.git.staging import Staging


def look_up(
    staging: Staging, config: GitConfig, exclusions: Exclusions
) -> tuple[Status, IndexFacts]:
    """Return what git says about the working directory and the index. Raises `GitError`.

    What earlier snapshots left is used only while it holds: a file counts as unchanged by its time
    stamp alone, which was found under the attributes of then; under others the same bytes may be
    another object.
    """
    memory = staging.scratch.memory
    remembered = IndexFacts.from_json(memory.get("facts"))
    if remembered is not None:
        status, facts = _status(staging, exclusions), remembered
    else:
        status, facts = _status_and_facts(staging, exclusions)
    attributes = _attributes_digest(staging, config, status)
    if memory.get("attributes", attributes) != attributes:
        staging.scratch.renew()
        status = _status(staging, exclusions)
    staging.scratch.memory["attributes"] = attributes
    staging.scratch.memory["facts"] = facts.to_json()
    return status, facts


def _status_and_facts(staging: Staging, exclusions: Exclusions) -> tuple[Status, IndexFacts]:
    """Ask git for both at the same time: in a large repository each takes a while."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - loads `logging`

    with ThreadPoolExecutor(1) as side:
        facts = side.submit(_facts, staging, exclusions)
        return _status(staging, exclusions), facts.result()


def _status(staging: Staging, exclusions: Exclusions) -> Status:
    args = (*staging.options, *STATUS_ARGS, "--", ":/", *exclusions.pathspecs())
    scratch = staging.scratch
    environment = staging.environment(scratch.index)
    # The lock is the scratch index's own: git may store the time stamps that it has looked at.
    environment["GIT_OPTIONAL_LOCKS"] = "1" if scratch.persistent else "0"
    folder = staging.repository.top
    with scratch.renewed_times(staging.repository.object_format):
        answer = ask(args, cwd=folder, timeout_s=staging.timeout_s, env=environment)
    if denied := denial(answer.err):
        raise denied
    if answer.status != 0:
        raise failure(args, folder, answer)
    return parse_status(answer.out)


def _facts(staging: Staging, exclusions: Exclusions) -> IndexFacts:
    index = staging.scratch.index
    try:
        raw = index.read_bytes()
    except FileNotFoundError:
        return IndexFacts()
    hash_bytes = HASH_BYTES[staging.repository.object_format]
    listing = staging.run(LISTING_ARGS, index)
    return read_facts(listing, raw, exclusions.suffixes, hash_bytes=hash_bytes)


def _attributes_digest(staging: Staging, config: GitConfig, status: Status) -> str:
    """Return a digest of every source of attributes that the index does not fix."""
    top = staging.repository.top
    paths = [*status.untracked, *(one.path for one in status.changed), *status.ignored]
    own = [path for path in paths if path.rpartition(b"/")[2] == b".gitattributes"]
    files = [top / os.fsdecode(path) for path in sorted(own)]
    digest = hashlib.sha256()
    for file in (*files, *attribute_files(staging.repository, config)):
        try:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
        except OSError:
            content = ""
        digest.update(f"{file}\0{content}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
