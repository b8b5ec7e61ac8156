"""The trees that a commit's evidence may stand under."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import ConfigurationError
from wt_git.evidence.policy import settings_of
from wt_git.git import trees
from wt_git.git.history import History
from wt_git.git.path_patterns import PathPatterns

if TYPE_CHECKING:
    import pygit2

_COMPILED = ("**/*.pyc", "**/*.pyo")


def evidence_trees(repository: pygit2.Repository, commit: str) -> tuple[str, ...]:
    """Return the commit's own tree, and that tree without what no experiment depends on.

    A commit whose configuration is broken has its own tree alone; one that is not here has none.
    Raises `GitError`.
    """
    history = History(repository)
    found = history.commit(commit)
    if found is None:
        return ()
    try:
        patterns = settings_of(history, found).gate.not_under_test
    except ConfigurationError:
        return (found.tree,)
    ways = (_COMPILED, (*_COMPILED, *patterns))
    thinned = [trees.without(found.tree, PathPatterns(way), history.trees) for way in ways]
    return tuple(dict.fromkeys((found.tree, *thinned)))
