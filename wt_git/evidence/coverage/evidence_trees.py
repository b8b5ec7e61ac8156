"""Where the evidence for a commit is looked up: which notes, under which trees.

Evidence is filed under the commit's own tree, that tree without the paths in `not_under_test`, and,
since snapshots hold no compiled files, either of them without compiled files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.policy import settings_of
from wt_git.git.history import History
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import certainly_without, tree_without
from wt_git.records.fingerprint import COMPILED_PATTERNS, COMPILED_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pygit2

    from wt_git.config import Settings
    from wt_git.evidence.policy import Policy
    from wt_git.git.trees import TreeSource


class NotesSource(Protocol):
    """Notes that coverage can be read from, such as a `NotesView`."""

    def __bool__(self) -> bool:
        """Whether there are any notes."""
        ...

    def sweeps(self, tree_id: str, /) -> Mapping[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, by sweep id."""
        ...

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that has notes."""
        ...


class JoinedNotes:
    """The union of several sources: pruning in one removes nothing from another.

    Within one notes ref, lines pruned anywhere are gone everywhere. A fork must not have that
    power: it could prune failures that keep its commits from being covered.
    """

    def __init__(self, *sources: NotesSource) -> None:
        self._sources = sources

    def __bool__(self) -> bool:
        """Whether any source has notes."""
        return any(self._sources)

    def sweeps(self, tree_id: str, /) -> dict[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, from all sources."""
        lines: dict[str, set[bytes]] = {}
        for source in self._sources:
            for sweep_id, found in source.sweeps(tree_id).items():
                lines.setdefault(sweep_id, set()).update(found)
        return {sweep_id: tuple(sorted(found)) for sweep_id, found in lines.items()}

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that has notes in any source, each once."""
        yield from sorted({tree for source in self._sources for tree in source.record_keys()})


class CommitToCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A commit, or a tree about to be committed (then `commit` is empty), and the policy to apply.

    `own` are the settings in its tree.
    """

    commit: str
    tree: str
    parents: tuple[str, ...]
    own: Settings
    policy: Policy

    @property
    def not_under_test(self) -> tuple[str, ...]:
        """The commit's own patterns, or none if they leave out more than the policy allows.

        They are the commit's own because the file that holds them is part of every thinned tree.
        """
        own = self.own.gate.not_under_test
        return own if set(own) <= set(self.policy.gate.not_under_test) else ()

    @property
    def starts(self) -> tuple[str, ...]:
        """The commits to search history from."""
        return (self.commit,) if self.commit else self.parents


class EvidenceTree(NamedTuple):
    """A tree to look for notes under. `left_out` are the paths that were removed from it.

    With `left_out`, rows count that are about this tree once the same paths are removed.
    """

    tree: str
    left_out: PathPatterns | None = None


class EvidenceTrees:
    """Finds the trees to look under, for any number of trees of one repository.

    `has_notes(tree)` says whether there are notes under a tree.
    """

    def __init__(self, source: TreeSource, has_notes: Callable[[str], bool]) -> None:
        self._source = source
        self._has_notes = has_notes
        self._thinned: dict[tuple[str, tuple[str, ...]], EvidenceTree] = {}
        self._uncompiled: set[str] = set()

    def of(self, tree: str, not_under_test: Sequence[str]) -> list[EvidenceTree]:
        """Return the trees to look under for `tree`, itself first.

        Raises `GitError` when a tree is missing.
        """
        found = [EvidenceTree(tree)]
        if not_under_test:
            thinned = self.thinned(tree, not_under_test)
            found = [thinned] if thinned.tree == tree else [*found, thinned]
        # A snapshot has no compiled files. So a tree with notes has none either, and the search of
        # the whole tree can be skipped.
        if any(self._has_notes(one.tree) for one in found) or self._has_no_compiled(tree):
            return found
        uncompiled = self.thinned(tree, COMPILED_PATTERNS)
        if uncompiled.tree != tree:
            found.append(EvidenceTree(uncompiled.tree))
            if not_under_test:
                found.append(self.thinned(tree, (*COMPILED_PATTERNS, *not_under_test)))
        return found

    def thinned(self, tree: str, patterns: Sequence[str]) -> EvidenceTree:
        """Return `tree` without the paths that match `patterns`."""
        known = (tree, tuple(patterns))
        if known not in self._thinned:
            left_out = PathPatterns(patterns)
            without = tree_without(tree, left_out, self._source)
            self._thinned[known] = EvidenceTree(without, left_out)
        return self._thinned[known]

    def _has_no_compiled(self, tree: str) -> bool:
        """Say whether this is certain; of many commits, only folders that changed are read."""
        return certainly_without(tree, COMPILED_SUFFIXES, self._source, known=self._uncompiled)


def trees_by_commit(
    repository: pygit2.Repository, view: NotesSource, commits: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return the trees to look under for each commit, its own first.

    A commit with a broken configuration, or with missing folders as in a partial clone, has only
    its own tree; a missing commit has none.
    """
    history = History(repository)
    trees = EvidenceTrees(history.trees, lambda tree: bool(view.sweeps(tree)))
    return {commit: _trees(history, trees, commit) for commit in commits}


def _trees(history: History, trees: EvidenceTrees, commit: str) -> tuple[str, ...]:
    found = history.commit(commit)
    if found is None:
        return ()
    try:
        not_under_test = settings_of(history, found).gate.not_under_test
        looked_under = [one.tree for one in trees.of(found.tree, not_under_test)]
    except (ConfigurationError, GitError):
        return (found.tree,)
    return tuple(dict.fromkeys((found.tree, *looked_under)))
