"""`post-commit`, `post-merge` and `post-rewrite`: new commits show the evidence on their trees.

A failure is a line on stderr: the commits are made, and the evidence can be shown later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.hook_repository import find_hook_repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.githooks.git_hooks import GitHookCall


def run_post_commit(call: GitHookCall) -> GitHookResult:
    """Show the evidence on the tree of HEAD; in a rebase `post-rewrite` does it for all commits."""
    return _show(call, ["HEAD"], "notes on a new commit", in_rebase=False)


def run_post_merge(call: GitHookCall) -> GitHookResult:
    """Merge fetched notes, and show the evidence on the commits since ORIG_HEAD.

    A squash (the argument `1`) has made no commit yet.
    """
    since = None if call.args[:1] == ("1",) else "ORIG_HEAD"
    return _show(call, [], "notes on merged commits", since=since, merge_fetched=True)


def run_post_rewrite(call: GitHookCall) -> GitHookResult:
    """Show the evidence on each new commit of the `<old> <new>` lines.

    The pre-commit framework passes no lines, and a rebase does not list commits that were made
    during a break: so the commits since the start of the rebase are included.
    """
    lines = [line.split(b" ") for line in call.stdin.split(b"\n") if b" " in line]
    rewritten = [words[1].decode("ascii", "replace") for words in lines]
    amend = call.args[:1] == ("amend",)
    since = None if amend and rewritten else "ORIG_HEAD"
    return _show(call, rewritten, "notes on rewritten commits", since=since, in_rebase=not amend)


def _show(
    call: GitHookCall,
    commits: Sequence[str],
    subject: str,
    *,
    since: str | None = None,
    merge_fetched: bool = False,
    in_rebase: bool = True,
) -> GitHookResult:
    """Show the evidence on `commits` and on those of HEAD since `since`.

    With `in_rebase` false nothing is done during a rebase.
    """
    try:
        repository = find_hook_repository(call)
        if repository is None or not repository.may_have_notes:
            return GitHookResult()
        git_dir = repository.folders.git_dir
        if not in_rebase and (git_dir / "rebase-merge").is_dir():
            return GitHookResult()
        from wt_git.githooks.commit_notes import show_new_commits  # noqa: PLC0415 - loads libgit2

        show_new_commits(
            git_dir,
            repository.settings.notes_ref,
            commits,
            subject,
            since=since,
            merge_fetched=merge_fetched,
        )
    except WindTunnelError as error:
        return GitHookResult(lines=(error.message, *(f"  {hint}" for hint in error.hints)))
    return GitHookResult()
