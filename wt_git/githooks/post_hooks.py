"""`post-commit`, `post-merge` and `post-rewrite`: new commits show the evidence on their trees in `git log`.

The lines are made from the records on a commit's tree, never copied from another commit. A commit has
one line for each sweep, however many hooks see the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.hook_repository import find_hook_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wt_git.git.notes.store import Notes
    from wt_git.githooks.git_hooks import GitHookCall

_MOST_COMMITS = 200
"""So many commits, the newest, are looked at; `wt sync` does the others."""


def _show_new_commits(
    call: GitHookCall,
    new: Callable[[Notes], list[str]],
    subject: str,
    *,
    fold: bool = False,
    in_rebase: bool = True,
) -> GitHookResult:
    """Give the commits that `new` returns their lines; with `fold`, take in what was fetched first.

    Without `in_rebase` nothing is done while one is under way: it tells of all its commits at its end.
    A failure is a line on stderr: the commits are made, and nothing that failed here is lost.
    """
    try:
        around = find_hook_repository(call)
        if around is None or not around.may_have_notes:
            return GitHookResult()
        if not in_rebase and (around.folders.git_dir / "rebase-merge").is_dir():
            return GitHookResult()
        notes = around.notes()
        if notes is None:
            return GitHookResult()
        if fold:
            from wt_git.evidence.notes.sync import merge_fetched_notes as take_in  # noqa: PLC0415

            take_in(notes)
        show_evidence_on(notes, new(notes), subject)
    except WindTunnelError as error:
        return GitHookResult(lines=(error.message, *(f"  {hint}" for hint in error.hints)))
    return GitHookResult()


def show_evidence_on(notes: Notes, commits: Iterable[str], subject: str) -> int:
    """Give `commits` the lines of the evidence on their trees; return how many got something new.

    Raises `GitError`.
    """
    from wt_git.evidence.coverage.evidence_trees import trees_by_commit  # noqa: PLC0415
    from wt_git.evidence.notes.sweep_notes import add_commit_texts  # noqa: PLC0415

    trees = trees_by_commit(notes.repository, notes.view(), commits)
    return add_commit_texts(notes, trees, subject) if trees else 0


def head_since(notes: Notes, *before: str) -> list[str]:
    """Return the commits that HEAD has and none of `before` has, the newest `MOST` of them."""
    from wt_git.git.history import commit_id, new_commits  # noqa: PLC0415

    head = commit_id(notes.repository, "HEAD")
    if head is None:
        return []
    return new_commits(notes.repository, head, before, limit=_MOST_COMMITS)[-_MOST_COMMITS:]


def run_post_commit(call: GitHookCall) -> GitHookResult:
    """Show the evidence on HEAD's tree; in a rebase `post-rewrite` does it, for all commits at once."""
    return _show_new_commits(call, _head, "notes on a new commit", in_rebase=False)


def _head(notes: Notes) -> list[str]:
    from wt_git.git.history import commit_id  # noqa: PLC0415

    head = commit_id(notes.repository, "HEAD")
    return [head] if head else []


def run_post_merge(call: GitHookCall) -> GitHookResult:
    """Take in the notes that were fetched, and show evidence under the commits since ORIG_HEAD.

    A squash (the argument `1`) makes no commit yet.
    """

    def new(notes: Notes) -> list[str]:
        return [] if call.args[:1] == ("1",) else head_since(notes, "ORIG_HEAD")

    return _show_new_commits(call, new, "notes on merged commits", fold=True)


def run_post_rewrite(call: GitHookCall) -> GitHookResult:
    """Show evidence under each new commit of the `<old> <new>` lines.

    The pre-commit framework passes none, and a rebase lists no commit that was made while it stood
    still: so what HEAD has since it began is looked at, too.
    """
    rewritten = [line.split(b" ")[1] for line in call.stdin.split(b"\n") if line.count(b" ")]
    named = [one.decode("ascii", "replace") for one in rewritten]

    def new(notes: Notes) -> list[str]:
        amended = call.args[:1] == ("amend",) and named
        since = [] if amended else head_since(notes, "ORIG_HEAD")
        return [*dict.fromkeys([*named[-_MOST_COMMITS:], *since])]

    in_rebase = call.args[:1] != ("amend",)
    return _show_new_commits(call, new, "notes on rewritten commits", in_rebase=in_rebase)
