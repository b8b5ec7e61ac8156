"""`post-merge`: what came in by a merge, a fast-forward or a pull shows its evidence, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.githooks.shown_commits import head_since, show

if TYPE_CHECKING:
    from wt_git.git.notes import Notes
    from wt_git.githooks.hook_call import HookCall, HookResult


def run(call: HookCall) -> HookResult:
    """Take in the notes that were fetched, and show evidence under the commits since ORIG_HEAD.

    A squash (the argument `1`) makes no commit yet.
    """

    def new(notes: Notes) -> list[str]:
        return [] if call.args[:1] == ("1",) else head_since(notes, "ORIG_HEAD")

    return show(call, new, "notes on merged commits", fold=True)
