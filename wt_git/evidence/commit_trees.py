"""The trees that evidence of a commit was looked for under, by commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.keys import Keys
from wt_git.evidence.policy import settings_of
from wt_git.git.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pygit2

    from wt_git.evidence.joined_notes import NotesSource


def evidence_trees(
    repository: pygit2.Repository, view: NotesSource, commits: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each commit its own tree, and that tree without what no experiment depends on.

    A commit whose configuration is broken has its own tree alone, and so has one of whose folders
    some are not here, as in a partial clone; one that is not here itself has none.
    """
    history = History(repository)
    keys = Keys(history.trees, lambda tree: bool(view.sweeps(tree)))
    return {commit: _trees(history, keys, commit) for commit in commits}


def _trees(history: History, keys: Keys, commit: str) -> tuple[str, ...]:
    found = history.commit(commit)
    if found is None:
        return ()
    try:
        patterns = settings_of(history, found).gate.not_under_test
        found_under = [key.tree for key in keys.of(found.tree, patterns)]
    except (ConfigurationError, GitError):
        return (found.tree,)
    return tuple(dict.fromkeys((found.tree, *found_under)))
