"""The repository that a command is called in, its notes, and the errors for what is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wt_git.config import load
from wt_git.errors import UsageError
from wt_git.git.git_config import config_values
from wt_git.git.notes.store import Notes, open_notes
from wt_git.git.repository import GitFolders, find_git_folders
from wt_git.githooks.git_hooks import REMOTE_KEY
from wt_git.text import one_line, shell_word

if TYPE_CHECKING:
    from wt_git.git.history import History

_COMPUTED = re.compile(r"[~^:@]|\.\.")


class NotesHere(NamedTuple):
    """The notes, and the repository they are in."""

    notes: Notes
    folders: GitFolders

    def remote(self, named: str | None) -> str:
        """Return the remote `named`, by default the one that `wt init` recorded.

        Raises `UsageError` when there is no such remote.
        """
        known = list(self.notes.repository.remotes.names())
        recorded = config_values(self.folders.home, REMOTE_KEY)
        name = named if named is not None else next(iter(recorded), None)
        if name is None:
            raise UsageError(
                "which remote? wt init recorded none",
                hints=tuple(f"wt sync {one}" for one in known if one)
                or ("git remote add NAME URL",),
            )
        if name not in known:
            there = ", ".join(one for one in known if one) or "none"
            raise UsageError(f"there is no remote '{name}'; there is: {there}")
        return name


def no_commit(history: History, revision: str) -> UsageError:
    """Return the error for a revision that is no commit here, with a command that may fetch it."""
    if revision == "HEAD" and history.is_unborn:
        return UsageError(
            "nothing was committed yet on this branch", hints=("git commit",), code="commit-missing"
        )
    return UsageError(
        f"there is no commit '{one_line(revision)}' in this clone",
        hints=(_fetch(history, revision),),
        code="commit-missing",
    )


def _fetch(history: History, revision: str) -> str:
    """Return a command that may fetch a commit. A remote knows names, but not `HEAD~2` or `a..b`."""
    if _COMPUTED.search(revision) is None:
        return f"git fetch origin {shell_word(revision)}"
    return "git fetch --unshallow" if history.shallow_commits else "git fetch"


def notes_here() -> NotesHere:
    """Return the notes of this repository. Raises `UsageError` outside of one, and `GitError`."""
    folders = find_git_folders(Path.cwd())
    if folders is not None:
        notes = open_notes(folders.git_dir, ref=load(folders.home).notes_ref)
        if notes is not None:
            return NotesHere(notes, folders)
    raise UsageError("this is not a git repository, and notes are kept in one", hints=("git init",))
