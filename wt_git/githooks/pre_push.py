"""`pre-push`: a branch without evidence is not pushed, and notes are pushed along.

It checks the commits that are pushed, not the working directory, and runs no experiment. It uses the
network only for the notes, for a limited time; if that fails, the push goes on
(docs/evidence-in-git.md).
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wt_git.errors import EXIT_NO, UsageError, WindTunnelError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.result import NotCovered
from wt_git.evidence.policy import settings_of
from wt_git.git.history import History, branch_tips
from wt_git.git.libgit2 import config_value, open_repository
from wt_git.git.notes.store import Notes
from wt_git.githooks.git_hooks import REMOTE_KEY, GitHookResult
from wt_git.githooks.push_check import check_push, tip_of
from wt_git.githooks.push_messages import accepted_lines, refusal_lines
from wt_git.text import quoted_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygit2

    from wt_git.config import Settings
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.push_check import CheckedCommit
    from wt_git.githooks.push_lines import PushedRef

_MOST_PATHS = 8
_UNCHECKED = "git push --no-verify"


def check_before_push(call: GitHookCall, updated: Sequence[PushedRef]) -> GitHookResult:
    """Check the branches `updated`, and push the notes along if all are covered."""
    try:
        repository = open_repository(call.git_folder, from_environment=True)
        if repository is None:
            raise UsageError("git started this hook outside of a repository")
        return _checked(call, repository, updated)
    except WindTunnelError as error:
        why = f"refused: the evidence cannot be checked: {error.message}"
        hints = (*error.hints, f"or push without the check: {_UNCHECKED}")
        return GitHookResult(EXIT_NO, (why, *(f"  {hint}" for hint in hints)))


def _checked(
    call: GitHookCall, repository: pygit2.Repository, updated: Sequence[PushedRef]
) -> GitHookResult:
    history = History(repository)
    settings = settings_of(history, tip_of(history, updated[0]))
    notes = Notes(repository, ref=settings.notes_ref)
    runs_dirs = [history.top / "runs"] if history.top and (history.top / "runs").is_dir() else []
    remote = _remote(call)
    commits = check_push(
        updated,
        CoverageChecker(repository, notes.view(), runs_dirs=runs_dirs),
        settings_for=lambda _, commit: settings_of(history, commit),
        known=lambda: branch_tips(repository, f"refs/remotes/{remote}/") if remote else [],
    )
    refused = [one for one in commits if isinstance(one.result, NotCovered)]
    if refused:
        steps = _first_steps(call, history, refused)
        lines = refusal_lines(refused, rebuildable=bool(runs_dirs), first=steps)
        again = _push_again(call, updated, history)
        return GitHookResult(EXIT_NO, (*lines, f"then push again: {again}"))
    return GitHookResult(lines=(*accepted_lines(commits), *_push_notes(remote, notes, settings)))


def _first_steps(
    call: GitHookCall, history: History, refused: Sequence[CheckedCommit]
) -> list[str] | None:
    """Return the commands after which an experiment tests the refused commit.

    None if they are not known: several commits are refused, or another one is checked out.
    """
    if len(refused) > 1 or history.top is None:
        return None
    from wt_git.evidence.fingerprint import uncommitted_paths  # noqa: PLC0415 - rarely refused

    one = refused[0]
    paths = uncommitted_paths(
        history.top,
        one.commit.tree,
        runs_dir=history.top / "runs",
        not_under_test=one.settings.gate.not_under_test,
    )
    if paths is None:
        return None
    steps = []
    if paths:
        named = quoted_list(paths, most=_MOST_PATHS)
        steps.append(
            "commit, undo or (in .git/info/exclude) ignore these differences from that commit: "
            f"{named}"
        )
    if call.environ.get("GIT_PREFIX"):  # pushed from a subfolder
        steps.append(shlex.join(["cd", str(history.top)]))
    return steps


def _push_notes(remote: str | None, notes: Notes, settings: Settings) -> list[str]:
    """Push the notes if `remote` is the one that `wt init` recorded; return the lines about a failure."""
    gate = settings.gate
    if (
        not gate.push_notes
        or remote is None
        or config_value(notes.repository, REMOTE_KEY) != remote
    ):
        return []
    tip = notes.tip()
    if tip is None or tip == notes.fetched_tips().get(remote):
        return []
    from wt_git.githooks.commit_notes import share_along  # noqa: PLC0415 - rarely new notes

    return share_along(notes, remote, timeout_s=gate.push_timeout_s)


def _remote(call: GitHookCall) -> str | None:
    """Return the name of the remote that is pushed to; None for a plain URL."""
    name = call.args[0] if call.args else call.environ.get("PRE_COMMIT_REMOTE_NAME")
    url = call.args[1] if len(call.args) > 1 else call.environ.get("PRE_COMMIT_REMOTE_URL")
    return name if name and name != url else None


def _push_again(call: GitHookCall, updated: Sequence[PushedRef], history: History) -> str:
    target = call.args[0] if call.args else call.environ.get("PRE_COMMIT_REMOTE_NAME", "REMOTE")
    specs = []
    for one in updated:
        spec = one.branch if one.source == one.ref else f"{one.source}:{one.ref}"
        forced = one.old is not None and not _builds_on(history, one.new or "", one.old)
        specs.append(f"+{spec}" if forced else f"{spec}")
    return shlex.join(["git", "push", target, *specs])


def _builds_on(history: History, new: str, old: str) -> bool:
    return history.commit(old) is not None and history.contains(new, old)
