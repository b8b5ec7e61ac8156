"""`post-rewrite`: commits that `git commit --amend` and `git rebase` made show what their trees have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.githooks.shown_commits import MOST, head_since, show

if TYPE_CHECKING:
    from wt_git.git.notes import Notes
    from wt_git.githooks.hook_call import HookCall, HookResult


def run(call: HookCall) -> HookResult:
    """Show evidence under each new commit of the `<old> <new>` lines.

    The pre-commit framework passes none, and a rebase lists no commit that was made while it stood
    still: so what HEAD has since it began is looked at, too.
    """
    rewritten = [line.split(b" ")[1] for line in call.stdin.split(b"\n") if line.count(b" ")]
    named = [one.decode("ascii", "replace") for one in rewritten]

    def new(notes: Notes) -> list[str]:
        amended = call.args[:1] == ("amend",) and named
        since = [] if amended else head_since(notes, "ORIG_HEAD")
        return [*dict.fromkeys([*named[-MOST:], *since])]

    in_rebase = call.args[:1] != ("amend",)
    return show(call, new, "notes on rewritten commits", in_rebase=in_rebase)
