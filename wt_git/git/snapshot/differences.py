"""What a commit of the whole working directory would change in HEAD's tree, and who hashes the files."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from wt_git.git.process import failure, run
from wt_git.git.snapshot import blobs
from wt_git.git.snapshot.filters import attribute_files, conversions_possible
from wt_git.git.snapshot.index_file import LISTING_ARGS, IndexFacts, read_facts
from wt_git.git.snapshot.staging import GitTrees, denial, staged_changes, staged_index
from wt_git.git.snapshot.status import STATUS_ARGS, Status, parse_status
from wt_git.git.trees import (
    GITLINK,
    HASH_BYTES,
    LINK,
    Entry,
    ReadOnce,
    TreeSource,
    empty_tree,
    object_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.git.git_config import GitConfig
    from wt_git.git.repository import Repository
    from wt_git.git.snapshot.staging import Staging
    from wt_git.git.snapshot.status import Exclusions

Method = Literal["libgit2", "git"]

# The extensions that libgit2 1.9 supports correctly.
_KNOWN_EXTENSIONS = frozenset(
    {"noop", "objectformat", "preciousobjects", "relativeworktrees", "worktreeconfig"}
)


class HashMethod(NamedTuple):
    """The program that hashes the files; `reason` says why it is not libgit2."""

    method: Method
    reason: str = ""


def choose_hash_method(repository: Repository, config: GitConfig, facts: IndexFacts) -> HashMethod:
    """Return libgit2, unless the repository has a property that only git supports.

    Attributes of single files are checked later, when the changed files are known.
    """
    reason = (
        _storage(repository, config)
        or ("its index is split" if facts.split else "")
        or ("its index is sparse" if facts.sparse else "")
        or ("its checkout is sparse" if is_sparse(config) else "")
        or _safecrlf(config)
    )
    return HashMethod("git", reason) if reason else HashMethod("libgit2")


def is_sparse(config: GitConfig) -> bool:
    """Say whether only a part of the files is checked out."""
    return config.flag("core.sparsecheckout", default=False)


def _storage(repository: Repository, config: GitConfig) -> str:
    if repository.object_format != "sha1":
        return f"its object format is {repository.object_format}"
    storage = config.get("extensions.refstorage")
    if storage not in {None, "files"}:
        return f"its refs are stored as {storage}"
    unknown = sorted(
        name
        for name in config.values
        if name.startswith("extensions.")
        and name.removeprefix("extensions.") not in {*_KNOWN_EXTENSIONS, "refstorage"}
    )
    return f"it uses {unknown[0]}" if unknown else ""


def _safecrlf(config: GitConfig) -> str:
    # With it libgit2 refuses to hash some files that git hashes, with this check switched off.
    value = config.get("core.safecrlf")
    return "core.safecrlf is set" if value not in {None, "false", "warn"} else ""


def read_status(
    staging: Staging, config: GitConfig, exclusions: Exclusions
) -> tuple[Status, IndexFacts]:
    """Return the status of the working directory, and facts about the index. Raises `GitError`.

    Remembered time stamps are dropped when attributes change: they only say that the bytes of a file
    are unchanged, and with other attributes the same bytes may be another object.
    """
    remembered = staging.scratch.memory
    if remembered.facts is not None:
        status, facts = _status(staging, exclusions), remembered.facts
    else:
        status, facts = _status_and_facts(staging, exclusions)
    attributes = _attributes_digest(staging, config, status)
    if remembered.attributes not in {None, attributes}:
        staging.scratch.renew()
        status = _status(staging, exclusions)
    staging.scratch.memory.attributes = attributes
    staging.scratch.memory.facts = facts
    return status, facts


def _status_and_facts(staging: Staging, exclusions: Exclusions) -> tuple[Status, IndexFacts]:
    """Run both git commands at the same time: in a large repository each is slow."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - loads `logging`

    with ThreadPoolExecutor(1) as side:
        facts = side.submit(_index_facts, staging, exclusions)
        return _status(staging, exclusions), facts.result()


def _status(staging: Staging, exclusions: Exclusions) -> Status:
    args = (*STATUS_ARGS, "--", ":/", *exclusions.pathspecs())
    scratch = staging.scratch
    with scratch.renewed_times(staging.repository.object_format):
        # This is the lock of the scratch index: git may store the time stamps that it has checked.
        answer = staging.ask(args, scratch.index, optional_locks=scratch.persistent)
    if denied := denial(answer.err):
        raise denied
    if answer.status != 0:
        raise failure((*staging.options, *args), staging.repository.top, answer)
    return parse_status(answer.out)


def _index_facts(staging: Staging, exclusions: Exclusions) -> IndexFacts:
    index = staging.scratch.index
    try:
        raw = index.read_bytes()
    except FileNotFoundError:
        return IndexFacts()
    hash_bytes = HASH_BYTES[staging.repository.object_format]
    listing = staging.run(LISTING_ARGS, index)
    return read_facts(listing, raw, exclusions.suffixes, hash_bytes=hash_bytes)


def _attributes_digest(staging: Staging, config: GitConfig, status: Status) -> str:
    """Return a digest of all sources of attributes outside of the index."""
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


_NO_COMMIT = "a repository of its own, without a commit"
_NOT_SPARSE = "outside of the sparse checkout"


class Differences(msgspec.Struct):
    """What differs between the working directory and the tree `base`.

    `entries` maps each changed path to its entry, None for a removed one. `left_out` maps paths that
    are not part of the tree to the reason; `skipped_edits` are edits that git would not stage;
    `excluded` maps the excluded paths that differ to their entries in `base`. For the rest see
    `Snapshot`.
    """

    status: Status
    facts: IndexFacts
    base: str | None
    hash_method: HashMethod
    trees: TreeSource
    entries: dict[bytes, Entry | None] = msgspec.field(default_factory=dict)
    left_out: dict[bytes, str] = msgspec.field(default_factory=dict)
    skipped_edits: list[bytes] = msgspec.field(default_factory=list)
    unnormalised: list[bytes] = msgspec.field(default_factory=list)
    excluded: dict[bytes, Entry | None] = msgspec.field(default_factory=dict)


def find_differences(staging: Staging, config: GitConfig, exclusions: Exclusions) -> Differences:
    """Return the differences, with excluded paths kept apart. Raises `GitError`."""
    status, facts = read_status(staging, config, exclusions)
    found = Differences(
        status=status,
        facts=facts,
        base=_tree_of(staging, status.commit),
        hash_method=choose_hash_method(staging.repository, config, facts),
        trees=ReadOnce(GitTrees(staging.repository.top, staging.repository.object_format)),
    )
    found.excluded = {one.path: one.base for one in status.changed if exclusions.covers(one.path)}
    status.changed = [one for one in status.changed if not exclusions.covers(one.path)]
    status.untracked = [path for path in status.untracked if not exclusions.covers(path)]
    status.nested = [path for path in status.nested if not exclusions.covers(path)]
    wanted = _files_to_hash(staging, found)
    hasher = _hasher(staging, config, found, wanted)
    if found.hash_method.method == "git":
        _hash_by_git(staging, found, wanted, sparse=is_sparse(config))
    else:
        _hash_by_libgit2(staging, config, found, wanted, hasher)
    found.entries = {p: e for p, e in found.entries.items() if not exclusions.covers(p)}
    found.unnormalised = _unnormalised(staging, config, found)
    return found


def _tree_of(staging: Staging, commit: str | None) -> str | None:
    if commit is None:
        return None
    memory = staging.scratch.memory
    if memory.head is None or memory.head[0] != commit:
        args = ("--no-replace-objects", "rev-parse", "--verify", f"{commit}^{{tree}}")
        tree = run(args, cwd=staging.repository.top).decode("ascii").strip()
        memory.head = (commit, tree)
    return memory.head[1]


def _files_to_hash(staging: Staging, found: Differences) -> list[blobs.FileToHash]:
    """Return the paths to hash, without nested repositories that have no commit."""
    wanted = [
        blobs.FileToHash(one.path, one.worktree_mode)
        for one in found.status.changed
        if one.edited and one.worktree_mode
    ]
    wanted += [blobs.FileToHash(path) for path in found.status.untracked]
    top = os.fsencode(staging.repository.top)
    for path in found.status.nested:
        if blobs.nested_commit(top + b"/" + path):
            wanted.append(blobs.FileToHash(path, GITLINK))
        else:
            found.left_out[path] = _NO_COMMIT
    return wanted


def _hasher(
    staging: Staging, config: GitConfig, found: Differences, wanted: list[blobs.FileToHash]
) -> Callable[[bytes, bytes], str]:
    """Return the function that hashes a file; `found` gets the method, which attributes may change."""
    # Without support for links, a link in the index is a file on disk.
    no_content = {GITLINK, LINK} if config.flag("core.symlinks", default=True) else {GITLINK}
    files = [path for path, mode in wanted if mode not in no_content]
    if found.hash_method.method == "git" or not files:
        return _no_file
    from wt_git.git.snapshot.libgit2_hashing import (  # noqa: PLC0415 - not if nothing differs
        libgit2_hashing,
    )

    converted = conversions_possible(staging.repository, config, files)
    hashing = libgit2_hashing(staging.repository, config, files, converted=converted)
    if hashing.trees is not None:
        found.trees = ReadOnce(hashing.trees)
    if hashing.hash_file is not None:
        return hashing.hash_file
    found.hash_method = HashMethod("git", hashing.reason)
    return _no_file


def _no_file(_: bytes, path: bytes) -> str:
    raise blobs.unsettled(path)


def _hash_by_libgit2(
    staging: Staging,
    config: GitConfig,
    found: Differences,
    wanted: list[blobs.FileToHash],
    hasher: Callable[[bytes, bytes], str],
) -> None:
    hashed = blobs.hash_files(
        os.fsencode(staging.repository.top),
        wanted,
        hasher=hasher,
        config=config,
        known=staging.scratch.memory.blobs,
        now_ns=staging.scratch.started_ns,
    )
    for one in found.status.changed:
        found.entries[one.path] = hashed.get(one.path) if one.edited else one.staged
    for path in (*found.status.untracked, *found.status.nested):
        if path in hashed and hashed[path] is not None:
            found.entries[path] = hashed[path]
    before = {one.path: one.base for one in found.status.changed}
    found.entries = {p: e for p, e in found.entries.items() if e != before.get(p)}


def _hash_by_git(
    staging: Staging, found: Differences, wanted: list[blobs.FileToHash], *, sparse: bool
) -> None:
    gone = [one.path for one in found.status.changed if one.edited and not one.worktree_mode]
    present = [one.path for one in wanted]
    index = staged_index(staging, present=present, gone=gone, sparse=sparse)
    base = found.base or empty_tree(staging.repository.object_format)
    found.entries = staged_changes(staging, index, base)
    if not sparse:
        return
    for path in (*found.status.untracked, *found.status.nested):
        if path not in found.entries and path not in found.left_out:
            found.left_out[path] = _NOT_SPARSE
    for one in found.status.changed:
        now = found.entries.get(one.path, one.base)
        if one.edited and not one.unmerged and now == one.staged:
            found.skipped_edits.append(one.path)


def _unnormalised(staging: Staging, config: GitConfig, found: Differences) -> list[bytes]:
    edited = [
        one
        for one in found.status.changed
        if one.edited and one.staged and (now := found.entries.get(one.path)) and now != one.staged
    ]
    if not conversions_possible(staging.repository, config, [one.path for one in edited]):
        return []
    top = os.fsencode(staging.repository.top)
    return [
        one.path
        for one in edited
        if one.staged and _unconverted_id(top + b"/" + one.path, found.trees) == one.staged.id
    ]


def _unconverted_id(full_path: bytes, trees: TreeSource) -> str | None:
    """Return the id of a file's bytes without conversion; None if it is no regular file."""
    try:
        with open(full_path, "rb", opener=_no_link) as stream:
            return object_id("blob", stream.read(), trees.object_format)
    except OSError:
        return None


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
