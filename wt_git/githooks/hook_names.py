"""The git hooks there are, and the function of each."""

from __future__ import annotations

CLIENT = (
    "pre-commit",
    "prepare-commit-msg",
    "post-commit",
    "post-merge",
    "post-rewrite",
    "pre-push",
)
"""What runs where people commit and push."""

SERVER = ("pre-receive",)
"""What runs where pushes arrive."""

FUNCTIONS = {
    "pre-commit": "wt_git.githooks.pre_commit.run",
    "prepare-commit-msg": "wt_git.githooks.prepare_commit_msg.run",
    "post-commit": "wt_git.githooks.post_commit.run",
    "post-merge": "wt_git.githooks.post_merge.run",
    "post-rewrite": "wt_git.githooks.post_rewrite.run",
    "pre-push": "wt_git.githooks.pre_push.run",
    "pre-receive": "wt_git.githooks.pre_receive.run",
}
"""The function of each hook; it is loaded only when git calls the hook."""

READS_STDIN = frozenset({"pre-push", "pre-receive", "post-rewrite"})
"""To these git writes what happened, a line for each ref or commit."""

GATES = frozenset({"pre-push", "pre-receive"})
"""What lets nothing through that it could not check."""
