"""The repository that git called a hook in, its settings, and whether it may have notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.config import Settings, load
from wt_git.git.repository import GitFolders, find_git_folders, may_have_refs

if TYPE_CHECKING:
    from wt_git.githooks.git_hooks import GitHookCall

OWN_REFS = "refs/windtunnel/"


class HookRepository(NamedTuple):
    """The repository that git called the hook in, and the settings of its working directory."""

    folders: GitFolders
    settings: Settings

    @property
    def may_have_notes(self) -> bool:
        """Whether there may be recorded or fetched notes. False is certain."""
        return any(
            may_have_refs(self.folders.common_dir, prefix)
            for prefix in (OWN_REFS, self.settings.notes_ref)
        )


def find_hook_repository(call: GitHookCall) -> HookRepository | None:
    """Return the repository of the call; None outside of a repository.

    Raises `GitError` and `ConfigurationError`.
    """
    folders = find_git_folders(call.folder, call.environ)
    return HookRepository(folders, load(folders.home)) if folders else None
