"""Showing evidence that is already there under commits that are new: their lines for `git log`.

The lines are told anew from the records on a commit's tree, never copied from another commit, and a
commit has one for each sweep however many hooks see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.githooks.hook_call import HookResult
from wt_git.githooks.surroundings import surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wt_git.git.notes import Notes
    from wt_git.githooks.hook_call import HookCall

MOST = 200
"""So many commits, the newest, are looked at; `wt sync` does the others."""


def show(
    call: HookCall,
    new: Callable[[Notes], list[str]],
    subject: str,
    *,
    fold: bool = False,
    in_rebase: bool = True,
) -> HookResult:
    """Give the commits that `new` returns their lines; with `fold`, take in what was fetched first.

    Without `in_rebase` nothing is done while one is under way: it tells of all its commits at its end.
    A failure is a line on stderr: the commits are made, and nothing that failed here is lost.
    """
    try:
        around = surroundings(call)
        if around is None or not around.may_have_notes:
            return HookResult()
        if not in_rebase and (around.folders.git_dir / "rebase-merge").is_dir():
            return HookResult()
        notes = around.notes()
        if notes is None:
            return HookResult()
        if fold:
            from wt_git.evidence.sync import fold as take_in  # noqa: PLC0415

            take_in(notes)
        show_on(notes, new(notes), subject)
    except WindTunnelError as error:
        return HookResult(lines=(error.message, *(f"  {hint}" for hint in error.hints)))
    return HookResult()


def show_on(notes: Notes, commits: Iterable[str], subject: str) -> int:
    """Give `commits` the lines of the evidence on their trees; return how many got something new.

    Raises `GitError`.
    """
    from wt_git.evidence.commit_trees import evidence_trees  # noqa: PLC0415
    from wt_git.evidence.journal import annotate  # noqa: PLC0415

    trees = evidence_trees(notes.repository, notes.view(), commits)
    return annotate(notes, trees, subject) if trees else 0


def head_since(notes: Notes, *before: str) -> list[str]:
    """Return the commits that HEAD has and none of `before` has, the newest `MOST` of them."""
    from wt_git.git.commit_walk import commit_id, new_commits  # noqa: PLC0415

    head = commit_id(notes.repository, "HEAD")
    if head is None:
        return []
    return new_commits(notes.repository, head, before, limit=MOST)[-MOST:]
