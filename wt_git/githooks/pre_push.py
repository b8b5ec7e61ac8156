"""`pre-push`: a branch without evidence is not pushed, and notes go along (docs/evidence-in-git.md).

It looks at what is pushed, never at the working directory, runs no experiment, and asks the network
only for the notes: bounded in time, and whatever comes of it, the push goes on.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wt_git.errors import EXIT_NO, UsageError, WindTunnelError
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.push_lines import from_framework, from_pre_push

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygit2

    from wt_git.config import Settings
    from wt_git.git.history import CommitFacts, History
    from wt_git.git.notes.store import Notes
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.push_check import CheckedCommit
    from wt_git.githooks.push_lines import PushedRef

_MOST_PATHS = 8
_UNCHECKED = "git push --no-verify"


def run(call: GitHookCall) -> GitHookResult:
    """Judge every branch that git is about to push."""
    pushed = from_pre_push(call.stdin) or from_framework(call.environ)
    updated = [one for one in pushed if one.updates_a_branch]
    if not updated:
        return GitHookResult()
    # Imported here: a push of tags, of nothing, or of notes needs none of it.
    from wt_git.git.libgit2 import open_repository  # noqa: PLC0415

    try:
        repository = open_repository(call.repository, from_environment=True)
        if repository is None:
            raise UsageError("git started this hook outside of a repository")
        return _judged(call, repository, updated)
    except WindTunnelError as error:
        why = f"refused: whether there is evidence cannot be told: {error.message}"
        hints = (*error.hints, f"or push without the check: {_UNCHECKED}")
        return GitHookResult(EXIT_NO, (why, *(f"  {hint}" for hint in hints)))


def _judged(
    call: GitHookCall, repository: pygit2.Repository, updated: Sequence[PushedRef]
) -> GitHookResult:
    from wt_git.evidence.coverage.checker import CoverageChecker  # noqa: PLC0415
    from wt_git.evidence.coverage.result import NotCovered  # noqa: PLC0415
    from wt_git.evidence.policy import settings_of  # noqa: PLC0415
    from wt_git.git.history import (  # noqa: PLC0415
        History,
        remote_tips,
    )
    from wt_git.git.notes.store import Notes  # noqa: PLC0415
    from wt_git.githooks.push_check import PushCheck, tip_of  # noqa: PLC0415
    from wt_git.githooks.push_messages import accepted_lines, refusal_lines  # noqa: PLC0415

    history = History(repository)
    first = settings_of(history, tip_of(history, updated[0]))
    notes = Notes(repository, ref=first.notes_ref)
    runs_dirs = [history.top / "runs"] if history.top and (history.top / "runs").is_dir() else []
    checker = CoverageChecker(repository, notes.view(), runs_dirs=runs_dirs)
    remote = _remote(call)

    def own(_: PushedRef, commit: CommitFacts) -> Settings:
        return settings_of(history, commit)

    def known(_: PushedRef) -> list[str]:
        return remote_tips(repository, remote) if remote else []

    judgements = PushCheck(checker, own, known).judge(updated)
    refused = [one for one in judgements if isinstance(one.answer, NotCovered)]
    if refused:
        steps = _first(call, history, refused)
        lines = refusal_lines(refused, rebuildable=bool(runs_dirs), first=steps)
        again = _again(call, updated, history)
        return GitHookResult(EXIT_NO, (*lines, f"then push again: {again}"))
    return GitHookResult(lines=(*accepted_lines(judgements), *_share(remote, notes, first)))


def _first(
    call: GitHookCall, history: History, refused: Sequence[CheckedCommit]
) -> list[str] | None:
    """Return what has to be done before an experiment here is about the refused commit.

    None where that cannot be told: several are refused, or it is not the one that is checked out.
    """
    if len(refused) > 1 or history.top is None:
        return None
    from wt_git.evidence.fingerprint.fingerprinter import uncommitted_paths  # noqa: PLC0415
    from wt_git.text import quoted_list  # noqa: PLC0415 - nothing is refused most of the time

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
        what = quoted_list(paths, most=_MOST_PATHS)
        steps.append(
            f"commit, undo or (in .git/info/exclude) ignore what is here and not in that commit: {what}"
        )
    if call.environ.get("GIT_PREFIX"):  # pushed from a folder below
        steps.append(shlex.join(["cd", str(history.top)]))
    return steps


def _share(remote: str | None, notes: Notes, settings: Settings) -> list[str]:
    """Push the notes along, to the remote that `wt init` recorded and to no other."""
    from wt_git.git.git_config import open_config_value  # noqa: PLC0415
    from wt_git.githooks.git_hooks import REMOTE_KEY  # noqa: PLC0415

    gate = settings.gate
    if (
        not gate.push_notes
        or remote is None
        or open_config_value(notes.repository, REMOTE_KEY) != remote
    ):
        return []
    tip = notes.tip()
    if tip is None or tip == notes.tracked().get(remote):
        return []
    from wt_git.evidence.notes.sync import NotSynced  # noqa: PLC0415
    from wt_git.githooks.notes_sharing import share  # noqa: PLC0415

    outcome = share(notes, remote, timeout_s=gate.push_timeout_s)
    if isinstance(outcome, NotSynced):
        return [
            f"the push goes on, but the notes stayed here ({outcome.step}: {outcome.reason})",
            f"  later: wt sync {remote}",
        ]
    return []


def _remote(call: GitHookCall) -> str | None:
    """Return the name of the remote that is pushed to; None when it is a bare URL."""
    name = call.args[0] if call.args else call.environ.get("PRE_COMMIT_REMOTE_NAME")
    url = call.args[1] if len(call.args) > 1 else call.environ.get("PRE_COMMIT_REMOTE_URL")
    return name if name and name != url else None


def _again(call: GitHookCall, updated: Sequence[PushedRef], history: History) -> str:
    """Return the push that was refused, for its branches."""
    target = call.args[0] if call.args else call.environ.get("PRE_COMMIT_REMOTE_NAME", "REMOTE")
    specs = []
    for one in updated:
        spec = one.branch if one.source == one.ref else f"{one.source}:{one.ref}"
        forced = one.old is not None and not _has(history, one.new or "", one.old)
        specs.append(f"+{spec}" if forced else f"{spec}")
    return shlex.join(["git", "push", target, *specs])


def _has(history: History, new: str, old: str) -> bool:
    """Say whether `old`, which the other side has, is here and `new` builds on it."""
    return history.commit(old) is not None and history.contains(new, old)
