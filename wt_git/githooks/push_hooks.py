"""`pre-push` and `pre-receive`: a push of tags, of notes, or of nothing ends here, before git is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.push_lines import from_framework, from_pre_push, from_pre_receive

if TYPE_CHECKING:
    from wt_git.githooks.git_hooks import GitHookCall


def run_pre_push(call: GitHookCall) -> GitHookResult:
    """Check each branch that git is about to push."""
    pushed = from_pre_push(call.stdin) or from_framework(call.environ)
    updated = [one for one in pushed if one.updates_a_branch]
    if not updated:
        return GitHookResult()
    from wt_git.githooks.pre_push import check_before_push  # noqa: PLC0415 - loads libgit2

    return check_before_push(call, updated)


def run_pre_receive(call: GitHookCall) -> GitHookResult:
    """Check the branches and the notes that a push brings."""
    pushed = from_pre_receive(call.stdin)
    if not pushed:
        return GitHookResult()
    from wt_git.githooks.pre_receive import check_received  # noqa: PLC0415 - loads libgit2

    return check_received(call, pushed)
