"""The trees that the evidence of a commit may stand under.

That is its own tree, this tree without the paths that no experiment depends on, and, since snapshots
hold no compiled files, both of them without those where there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.evidence import compiled_files
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import certainly_without, without

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.git.tree_objects import TreeSource


class Key(NamedTuple):
    """A tree to look under. `left_out` is what it lacks of the commit's own tree, None: nothing.

    Under a tree without `left_out`, rows count whose tree is that one once thinned.
    """

    tree: str
    left_out: PathPatterns | None = None


class Keys:
    """Finds the keys of any number of trees of one repository, with what it learnt of the others.

    `source` reads trees, `has_notes(tree)` says whether anything stands under one.
    """

    def __init__(self, source: TreeSource, has_notes: Callable[[str], bool]) -> None:
        self._source = source
        self._has_notes = has_notes
        self._thinned: dict[tuple[str, tuple[str, ...]], Key] = {}
        self._uncompiled: set[str] = set()

    def of(self, tree: str, patterns: Sequence[str]) -> list[Key]:
        """Return the trees to look under for `tree`, itself first.

        `patterns` are what no experiment depends on. Raises `GitError` when a tree is missing. A
        snapshot has no compiled files, so where there are notes on a tree it has none either, and
        need not be searched for them.
        """
        keys = [Key(tree)]
        if patterns:
            thinned = self.thinned(tree, patterns)
            keys = [thinned] if thinned.tree == tree else [*keys, thinned]
        if any(self._has_notes(key.tree) for key in keys) or self._has_no_compiled(tree):
            return keys
        compiled = self.thinned(tree, compiled_files.PATTERNS)
        if compiled.tree != tree:
            keys.append(Key(compiled.tree))
            if patterns:
                keys.append(self.thinned(tree, (*compiled_files.PATTERNS, *patterns)))
        return keys

    def thinned(self, tree: str, patterns: Sequence[str]) -> Key:
        """Return the tree without what `patterns` match; found once for each tree."""
        known = (tree, tuple(patterns))
        if known not in self._thinned:
            left_out = PathPatterns(patterns)
            self._thinned[known] = Key(without(tree, left_out, self._source), left_out)
        return self._thinned[known]

    def _has_no_compiled(self, tree: str) -> bool:
        """Say so where it is certain. Of many commits, only the folders that changed are read."""
        return certainly_without(
            tree, compiled_files.SUFFIXES, self._source, known=self._uncompiled
        )
