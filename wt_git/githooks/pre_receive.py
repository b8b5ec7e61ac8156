"""`pre-receive`: the check where pushes arrive, which cannot be skipped.

Git keeps the pushed objects apart until this hook accepts them, and names their place in variables.
The policy is that of the branch before the push, so a push cannot weaken its own check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.config import Settings
from wt_git.errors import EXIT_NO, EXIT_YES, UsageError, WindTunnelError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.result import NotCovered
from wt_git.evidence.policy import settings_of
from wt_git.git.history import History, branch_tips, commit_and_tree, commit_id
from wt_git.git.libgit2 import open_repository
from wt_git.git.notes.store import Notes, first_lost_key
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.push_check import check_push
from wt_git.githooks.push_messages import accepted_lines, refusal_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.git.history import CommitFacts
    from wt_git.git.notes.store import NotesView
    from wt_git.githooks.git_hooks import GitHookCall
    from wt_git.githooks.push_lines import PushedRef


def check_received(call: GitHookCall, pushed: Sequence[PushedRef]) -> GitHookResult:
    """Check the evidence of pushed branches, and that pushed notes lose nothing."""
    try:
        return _checked(call, pushed)
    except WindTunnelError as error:
        why = f"refused: the evidence cannot be checked: {error.message}"
        return GitHookResult(EXIT_NO, (why, *(f"  {hint}" for hint in error.hints)))


def _checked(call: GitHookCall, pushed: Sequence[PushedRef]) -> GitHookResult:
    repository = open_repository(call.git_folder, from_environment=True)
    if repository is None:
        raise UsageError("git started this hook outside of a repository")
    history = History(repository)
    default = history.resolve("HEAD")
    settings = settings_of(history, default) if default else Settings()
    notes = Notes(repository, ref=settings.notes_ref)
    lines = _refused_notes(notes, pushed)
    commits = check_push(
        [one for one in pushed if one.updates_a_branch],
        CoverageChecker(repository, _notes_after(notes, pushed)),
        settings_for=lambda ref, commit: _settings_for(history, ref, commit),
        known=lambda: branch_tips(repository),
    )
    refused = [one for one in commits if isinstance(one.result, NotCovered)]
    if refused:
        lines += refusal_lines(refused)
        lines.append("with the evidence in git, push it before or along: wt sync, then git push")
    if lines:
        return GitHookResult(EXIT_NO, tuple(lines))
    return GitHookResult(EXIT_YES, tuple(accepted_lines(commits)))


def _settings_for(history: History, ref: PushedRef, commit: CommitFacts) -> Settings:
    """Return the settings for a pushed `commit`.

    They are those of the branch before the push, for a new branch those of the default branch. The
    first push to a repository can only bring its own.
    """
    for name in (ref.old, "HEAD"):
        found = history.resolve(name) if name else None
        if found is not None:
            return settings_of(history, found)
    return settings_of(history, commit)


def _notes_after(notes: Notes, pushed: Sequence[PushedRef]) -> NotesView:
    arriving = [one.new for one in pushed if one.ref == notes.ref and one.new]
    return notes.view(at=arriving) if arriving else notes.view()


def _refused_notes(notes: Notes, pushed: Sequence[PushedRef]) -> list[str]:
    """Return the lines that refuse to delete the notes, or to lose some of them."""
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
        elif one.old is not None and (key := _lost_key(notes, one.new, one.old)):
            lines.append(
                f"refused: this would take evidence out of {one.ref} that others recorded: it lacks "
                f"lines under {key}"
            )
            lines.append("  to take out what one sweep recorded: wt notes prune SWEEP_ID")
    return lines


def _lost_key(notes: Notes, new: str, old: str) -> str | None:
    """Return a key that lost lines: also a commit on top of the old notes can remove some."""
    before, after = (commit_and_tree(notes.repository, one)[1] for one in (old, new))
    return first_lost_key(notes.repository, before, after) if before and after else None


def _contains(notes: Notes, new: str, old: str) -> bool:
    if commit_id(notes.repository, new) is None:
        raise UsageError(f"{notes.ref} would not point to a commit")
    return new == old or bool(notes.repository.descendant_of(new, old))
