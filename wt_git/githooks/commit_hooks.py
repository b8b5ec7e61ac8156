"""`pre-commit` and `prepare-commit-msg`: the evidence for the tree that is about to be committed.

`pre-commit` reports whether there is evidence and refuses only if the policy says
`pre_commit = "refuse"`. `prepare-commit-msg` writes a trailer with the evidence if the policy says
`trailer = true`; the trailer of an amended message is always made anew. The policy is the one in the
tree.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.config import FILE_NAME, Gate, Settings, parse
from wt_git.errors import WindTunnelError
from wt_git.git.process import ask, run
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.hook_repository import find_hook_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wt_git.git.repository import GitFolders
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.staged_evidence import StagedEvidence

TRAILER = "Wind-Tunnel"


def run_pre_commit(call: GitHookCall) -> GitHookResult:
    """Report whether there is evidence for the staged tree, by the policy in that tree."""
    try:
        found = _staged_evidence(call, lambda gate: gate.pre_commit != "off")
    except WindTunnelError as error:
        return GitHookResult(lines=(f"the evidence cannot be checked: {error.message}",))
    return found.pre_commit_result() if found else GitHookResult()


def run_prepare_commit_msg(call: GitHookCall) -> GitHookResult:
    """Write the trailer into the message file, or remove one that is no longer true."""
    if not call.args:
        return GitHookResult()
    message = Path(os.path.abspath(call.folder / call.args[0]))  # noqa: PTH100 - links stay
    try:
        found = _staged_evidence(call, lambda gate: gate.trailer)
        if found:
            _set_trailer(message, found.trailer())
    except WindTunnelError as error:
        return GitHookResult(lines=(f"no trailer: {error.message}",))
    return GitHookResult()


def _staged_evidence(call: GitHookCall, wanted: Callable[[Gate], bool]) -> StagedEvidence | None:
    """Return the evidence for the staged tree; None without a repository, or if it is not `wanted`.

    Raises `GitError`, and `ConfigurationError` for an invalid policy.
    """
    repository = find_hook_repository(call)
    if repository is None:
        return None
    folders = repository.folders
    tree = _write_staged_tree(folders, call.environ)
    policy = ask(("cat-file", "blob", f"{tree}:{FILE_NAME}"), cwd=folders.git_dir)
    settings = parse(policy.out, f"{FILE_NAME} as staged") if policy.status == 0 else Settings()
    if not wanted(settings.gate):
        return None
    from wt_git.githooks.staged_evidence import find_staged_evidence  # noqa: PLC0415 - only if wanted

    return find_staged_evidence(folders, repository.settings.notes_ref, tree, settings)


def _write_staged_tree(folders: GitFolders, environ: Mapping[str, str]) -> str:
    """Write the tree of the index to the object store, as git is about to do, and return its id.

    GIT_INDEX_FILE names another index for `git commit -a` and `git commit -- PATH`. The index is
    copied, so that neither it nor its lock is touched. Raises `GitError` and `OSError`.
    """
    named = environ.get("GIT_INDEX_FILE", "")
    index = folders.home / named if named else folders.git_dir / "index"
    with tempfile.TemporaryDirectory(prefix="wt-staged-") as scratch:
        copy = Path(scratch) / "index"
        with contextlib.suppress(FileNotFoundError):  # nothing was ever staged: an empty index
            shutil.copy2(index, copy)
        variables = {
            "GIT_DIR": os.fspath(folders.git_dir),
            "GIT_WORK_TREE": os.fspath(folders.home),
            "GIT_INDEX_FILE": os.fspath(copy),
        }
        # A partial clone may lack some of the objects.
        written = run(("write-tree", "--missing-ok"), cwd=folders.home, env=variables)
    return written.decode("ascii").strip()


def _set_trailer(message: Path, value: str) -> None:
    """Give the message file the trailer, in place of any that it has; none if `value` is empty."""
    once = ("--if-exists=replace", "--if-missing=add" if value else "--if-missing=doNothing")
    # Git keeps comments and scissors where they are.
    args = ("interpret-trailers", "--in-place", "--trim-empty", *once)
    run((*args, f"--trailer={TRAILER}: {value}", os.fspath(message)), cwd=message.parent)
