"""`pre-commit` and `prepare-commit-msg`: the evidence for the tree that is about to be committed.

`pre-commit` reports whether there is evidence and refuses only if the policy says
`pre_commit = "refuse"`. `prepare-commit-msg` writes a trailer with the evidence if the policy says
`trailer = true`; the trailer of an amended message is always made anew.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wt_git.config import FILE_NAME, Gate, Settings, parse
from wt_git.errors import EXIT_NO, EXIT_YES, WindTunnelError
from wt_git.git.process import ask, run
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.hook_repository import find_hook_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wt_git.evidence.coverage.result import CoverageResult
    from wt_git.git.repository import GitFolders
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.hook_repository import HookRepository


def staged_tree(folders: GitFolders, environ: Mapping[str, str]) -> str:
    """Return the id of the tree that the index holds, written to the object store.

    `environ` says which index: `git commit -a` and `git commit -- PATH` work on one of their own,
    and git names it in GIT_INDEX_FILE. Git itself writes the same objects a moment later. The index
    is copied, so that neither it nor its lock is touched. Raises `GitError` and `OSError`.
    """
    named = environ.get("GIT_INDEX_FILE", "")
    index = folders.home / named if named else folders.git_dir / "index"
    with tempfile.TemporaryDirectory(prefix="wt-staged-") as scratch:
        copy = Path(scratch) / "index"
        with contextlib.suppress(FileNotFoundError):  # nothing was ever staged: an empty index
            shutil.copy2(index, copy)
        here = {
            "GIT_DIR": os.fspath(folders.git_dir),
            "GIT_WORK_TREE": os.fspath(folders.home),
            "GIT_INDEX_FILE": os.fspath(copy),
        }
        # Objects of a partial clone need not be there to be named.
        written = run(("write-tree", "--missing-ok"), cwd=folders.home, env=here)
    return written.decode("ascii").strip()


def put_trailer(message: Path, name: str, value: str) -> None:
    """Give the message file `message` the trailer `name`, in place of any it has; none if empty.

    Raises `GitError`.
    """
    once = ("--if-exists=replace", "--if-missing=add" if value else "--if-missing=doNothing")
    args = ("interpret-trailers", "--in-place", "--trim-empty", *once, f"--trailer={name}: {value}")
    run((*args, os.fspath(message)), cwd=message.parent)


class StagedCheck(NamedTuple):
    """What there is for the tree about to be committed, and the policy that says so."""

    answer: CoverageResult
    gate: Gate


def check_staged(call: GitHookCall, wanted: Callable[[Gate], bool]) -> StagedCheck | None:
    """Return the judgement; None outside of a repository and where the policy has no use for it.

    Raises `GitError`, and `ConfigurationError` for a policy that may not be.
    """
    around = find_hook_repository(call)
    if around is None:
        return None
    tree = staged_tree(around.folders, call.environ)
    settings = _settings(around, tree)
    if not wanted(settings.gate):
        return None
    from wt_git.evidence.coverage.checker import CoverageChecker  # noqa: PLC0415 - only where wanted

    notes = around.notes()
    if notes is None:
        return None
    checker = CoverageChecker(notes.repository, notes.view(), runs_dirs=around.runs_dirs)
    head = checker.history.resolve("HEAD")
    parents = [head.id] if head else []
    return StagedCheck(checker.tree(tree, settings, parents=parents), settings.gate)


def _settings(around: HookRepository, tree: str) -> Settings:
    """Return the settings in the tree, without loading what reads notes: the policy may be "off"."""
    answer = ask(("cat-file", "blob", f"{tree}:{FILE_NAME}"), cwd=around.folders.git_dir)
    return parse(answer.out, f"{FILE_NAME} as staged") if answer.status == 0 else Settings()


def run_pre_commit(call: GitHookCall) -> GitHookResult:
    """Judge the tree that the index holds, by the policy in that tree."""
    try:
        found = check_staged(call, lambda gate: gate.pre_commit != "off")
    except WindTunnelError as error:
        return GitHookResult(lines=(f"whether there is evidence cannot be told: {error.message}",))
    if found is None:
        return GitHookResult()
    from wt_git.evidence.coverage.result import Covered  # noqa: PLC0415
    from wt_git.githooks.push_messages import (  # noqa: PLC0415
        command_lines,
        covered_line,
        rule_line,
        seen_lines,
        suggested_commands,
    )

    if isinstance(found.answer, Covered):
        return GitHookResult(lines=(covered_line("what is committed", found.answer),))
    suggested = suggested_commands(found.answer, found.gate)
    if found.gate.pre_commit != "refuse":
        head = "what is committed has no evidence yet, which a push may ask for"
        return GitHookResult(
            EXIT_YES, (head, *seen_lines(found.answer), *command_lines(suggested[:1]))
        )
    head = "refused: what would be committed has no evidence that counts"
    lines = (head, rule_line(found.gate), *seen_lines(found.answer), *command_lines(suggested))
    return GitHookResult(EXIT_NO, (*lines, "then commit again; unchecked: git commit --no-verify"))


TRAILER = "Wind-Tunnel"


def run_prepare_commit_msg(call: GitHookCall) -> GitHookResult:
    """Write the trailer into the file that git names, or take out one that is no longer true."""
    if not call.args:
        return GitHookResult()
    try:
        found = check_staged(call, lambda gate: gate.trailer)
        if found is None:
            return GitHookResult()
        from wt_git.evidence.coverage.result import Covered  # noqa: PLC0415

        # MOVED
        from wt_git.githooks.push_messages import trailer_value  # noqa: PLC0415

        value = trailer_value(found.answer) if isinstance(found.answer, Covered) else ""
        put_trailer(Path(os.path.abspath(call.folder / call.args[0])), TRAILER, value)  # noqa: PTH100
    except WindTunnelError as error:
        return GitHookResult(lines=(f"no trailer: {error.message}",))
    return GitHookResult()
