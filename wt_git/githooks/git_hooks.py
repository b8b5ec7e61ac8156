"""The git hooks that `wt hook` runs, one call of one by git, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLIENT_HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "post-commit",
    "post-merge",
    "post-rewrite",
    "pre-push",
)
"""What runs where people commit and push."""

SERVER_HOOKS = ("pre-receive",)
"""What runs where pushes arrive."""

FUNCTIONS = {
    "pre-commit": "wt_git.githooks.commit_hooks.run_pre_commit",
    "prepare-commit-msg": "wt_git.githooks.commit_hooks.run_prepare_commit_msg",
    "post-commit": "wt_git.githooks.post_hooks.run_post_commit",
    "post-merge": "wt_git.githooks.post_hooks.run_post_merge",
    "post-rewrite": "wt_git.githooks.post_hooks.run_post_rewrite",
    "pre-push": "wt_git.githooks.pre_push.run",
    "pre-receive": "wt_git.githooks.pre_receive.run",
}
"""The function of each hook; it is loaded only when git calls the hook."""

READS_STDIN = frozenset({"pre-push", "pre-receive", "post-rewrite"})
"""To these git writes what happened, a line for each ref or commit."""

GATES = frozenset({"pre-push", "pre-receive"})
"""What lets nothing through that it could not check."""


@dataclass(frozen=True, slots=True)
class GitHookCall:
    """What git gave the hook.

    `folder` is where git started it, `args` and `stdin` what it said, `environ` all variables; those
    whose names begin with GIT_ say which repository and index are meant.
    """

    folder: Path
    args: tuple[str, ...] = ()
    stdin: bytes = b""
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> Path:
        """Where the repository is to be opened: at its git directory, where git names it."""
        return self.folder / self.environ.get("GIT_DIR", "")


class GitHookResult(NamedTuple):
    """`exit_code` is what git gets; `lines` are for the person, on stderr."""

    exit_code: int = EXIT_YES
    lines: tuple[str, ...] = ()


PYTHON_KEY = "windtunnel.python"
"""The interpreter that hooks run with."""

REMOTE_KEY = "windtunnel.remote"
"""The remote that notes are pushed to."""
