"""The git hooks that `wt hook` runs, one call of one by git, and its result."""

from __future__ import annotations

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
"""The hooks of a repository in which people commit."""

SERVER_HOOKS = ("pre-receive",)
"""The hooks of a repository that receives pushes."""

FUNCTIONS = {
    "pre-commit": "wt_git.githooks.commit_hooks.run_pre_commit",
    "prepare-commit-msg": "wt_git.githooks.commit_hooks.run_prepare_commit_msg",
    "post-commit": "wt_git.githooks.post_hooks.run_post_commit",
    "post-merge": "wt_git.githooks.post_hooks.run_post_merge",
    "post-rewrite": "wt_git.githooks.post_hooks.run_post_rewrite",
    "pre-push": "wt_git.githooks.push_hooks.run_pre_push",
    "pre-receive": "wt_git.githooks.push_hooks.run_pre_receive",
}
"""The function of each hook. Its module is loaded when git calls the hook, and imports more modules
only if there is something to do."""

READS_STDIN = frozenset({"pre-push", "pre-receive", "post-rewrite"})
"""The hooks to which git writes a line for each ref or commit."""

GATES = frozenset({"pre-push", "pre-receive"})
"""The hooks that refuse a push if they cannot check it."""

PYTHON_KEY = "windtunnel.python"
"""The key of git's configuration for the interpreter that runs hooks."""

REMOTE_KEY = "windtunnel.remote"
"""The key of git's configuration for the remote to which notes are pushed."""


class GitHookCall(NamedTuple):
    """One call of a hook by git.

    `folder` is the working directory of the process. GIT_ variables in `environ` name the repository
    and the index.
    """

    folder: Path
    args: tuple[str, ...]
    stdin: bytes
    environ: Mapping[str, str]

    @property
    def git_folder(self) -> Path:
        """The git directory if git names it, else `folder`."""
        return self.folder / self.environ.get("GIT_DIR", "")


class GitHookResult(NamedTuple):
    """The exit code for git, and the lines for the user on stderr."""

    exit_code: int = EXIT_YES
    lines: tuple[str, ...] = ()
