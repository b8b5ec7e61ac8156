"""`pre-receive`: the same check where pushes arrive, which nobody can leave out.

Git has put the pushed objects aside until this hook says yes, and names the place in variables. The
policy is the one that the branch has had until now, so a push cannot weaken what judges it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.config import Settings
from wt_git.errors import EXIT_NO, EXIT_YES, UsageError, WindTunnelError
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.push_lines import from_pre_receive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.git.history import CommitFacts, History
    from wt_git.git.notes.store import Notes
    from wt_git.git.notes.view import NotesView
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.push_lines import PushedRef


def run(call: GitHookCall) -> GitHookResult:
    """Judge what arrives: branches by their evidence, the notes by what must not happen to them."""
    pushed = from_pre_receive(call.stdin)
    if not pushed:
        return GitHookResult()
    try:
        return _received(call, pushed)
    except WindTunnelError as error:
        why = f"refused: whether there is evidence cannot be told: {error.message}"
        return GitHookResult(EXIT_NO, (why, *(f"  {hint}" for hint in error.hints)))


def _received(call: GitHookCall, pushed: Sequence[PushedRef]) -> GitHookResult:
    from wt_git.evidence.coverage.checker import CoverageChecker  # noqa: PLC0415
    from wt_git.evidence.coverage.result import NotCovered  # noqa: PLC0415
    from wt_git.git.history import History  # noqa: PLC0415
    from wt_git.git.libgit2 import open_repository  # noqa: PLC0415
    from wt_git.git.notes.store import Notes  # noqa: PLC0415
    from wt_git.githooks.push_check import PushCheck  # noqa: PLC0415
    from wt_git.githooks.push_messages import accepted_lines, refusal_lines  # noqa: PLC0415

    repository = open_repository(call.repository, from_environment=True)
    if repository is None:
        raise UsageError("git started this hook outside of a repository")
    history = History(repository)
    policies = _Policies(history)
    notes = Notes(repository, ref=policies.default().notes_ref)
    lines = _notes_refused(notes, pushed)
    updated = [one for one in pushed if one.updates_a_branch]
    checker = CoverageChecker(repository, _view(notes, pushed))
    judge = PushCheck(checker, policies.for_branch, lambda _: _tips(notes))
    judgements = judge.judge(updated)
    refused = [one for one in judgements if isinstance(one.answer, NotCovered)]
    if refused:
        lines += refusal_lines(refused)
        lines.append("with the evidence in git, push it before or along: wt sync, then git push")
    if lines:
        return GitHookResult(EXIT_NO, tuple(lines))
    return GitHookResult(EXIT_YES, tuple(accepted_lines(judgements)))


class _Policies:
    """Whose policy judges: the branch's until now, for a new branch the default branch's."""

    def __init__(self, history: History) -> None:
        self._history = history

    def default(self) -> Settings:
        """Return the settings of the default branch; the defaults where it has no commit yet."""
        found = self._history.resolve("HEAD")
        return self._of(found) if found else Settings()

    def for_branch(self, pushed: PushedRef, commit: CommitFacts) -> Settings:
        """Return the settings that judge `commit`.

        The very first push to a repository has nothing else than what it brings.
        """
        for name in (pushed.old, "HEAD"):
            found = self._history.resolve(name) if name else None
            if found is not None:
                return self._of(found)
        return self._of(commit)

    def _of(self, commit: CommitFacts) -> Settings:
        from wt_git.evidence.policy import settings_of  # noqa: PLC0415

        return settings_of(self._history, commit)


def _view(notes: Notes, pushed: Sequence[PushedRef]) -> NotesView:
    """Return the notes as they will be when this push is in."""
    arriving = [one.new for one in pushed if one.ref == notes.ref and one.new]
    return notes.view(at=arriving) if arriving else notes.view()


def _notes_refused(notes: Notes, pushed: Sequence[PushedRef]) -> list[str]:
    """Say what must not happen to the notes: that they go, or lose what was there."""
    lines = []
    for one in pushed:
        if one.ref != notes.ref:
            continue
        if one.new is None:
            lines.append(f"refused: {one.ref} holds everybody's evidence and is not deleted")
            lines.append("  to take out what one sweep recorded: wt notes prune SWEEP_ID")
        elif one.old is not None and not _contains(notes, one.new, one.old):
            lines.append(f"refused: this would take evidence out of {one.ref} that others recorded")
            lines.append("  to send yours along with theirs, without force: wt sync")
        elif one.old is not None and (key := _lost(notes, one.new, one.old)):
            lines.append(
                f"refused: this would take evidence out of {one.ref} that others recorded: it lacks "
                f"lines under {key}"
            )
            lines.append("  to take out what one sweep recorded: wt notes prune SWEEP_ID")
    return lines


def _lost(notes: Notes, new: str, old: str) -> str | None:
    """Return where notes that come later lack what there was: a commit can also take out."""
    from wt_git.git.history import commit_and_tree  # noqa: PLC0415
    from wt_git.git.notes.view import first_lost_key  # noqa: PLC0415

    trees = [commit_and_tree(notes.repository, one)[1] for one in (old, new)]
    return first_lost_key(notes.repository, *trees) if all(trees) else None  # type: ignore[arg-type]


def _contains(notes: Notes, new: str, old: str) -> bool:
    from wt_git.git.history import commit_id  # noqa: PLC0415

    if commit_id(notes.repository, new) is None:
        raise UsageError(f"what is pushed to {notes.ref} is no commit")
    return new == old or bool(notes.repository.descendant_of(new, old))


def _tips(notes: Notes) -> list[str]:
    """Return the commits that the branches here are at before the push."""
    from wt_git.git.history import commit_id  # noqa: PLC0415

    names = [ref.name for ref in notes.repository.references.iterator()]
    tips = [commit_id(notes.repository, name) for name in names if name.startswith("refs/heads/")]
    return [tip for tip in tips if tip]
