"""The git hooks there are, and the module of each."""

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

MODULES = {name: f"wt_git.githooks.{name.replace('-', '_')}" for name in (*CLIENT, *SERVER)}
"""Where the function `run(call) -> HookResult` of each hook is."""

READS_STDIN = frozenset({"pre-push", "pre-receive", "post-rewrite"})
"""To these git writes what happened, a line for each ref or commit."""

GATES = frozenset({"pre-push", "pre-receive"})
"""What lets nothing through that it could not check."""
