"""`post-commit`: a commit of a tree that has evidence shows it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.githooks.shown_commits import show

if TYPE_CHECKING:
    from wt_git.git.notes import Notes
    from wt_git.githooks.hook_call import HookCall, HookResult


def run(call: HookCall) -> HookResult:
    """Show the evidence on HEAD's tree; in a rebase `post-rewrite` does it, for all commits at once."""
    return show(call, _head, "notes on a new commit", in_rebase=False)


def _head(notes: Notes) -> list[str]:
    from wt_git.git.commit_walk import commit_id  # noqa: PLC0415

    head = commit_id(notes.repository, "HEAD")
    return [head] if head else []
