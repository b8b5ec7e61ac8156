"""Where the evidence for a commit is looked up: which notes, under which trees.

Evidence is filed under the commit's own tree, that tree without the paths in `not_under_test`, and,
since snapshots hold no compiled files, either of them without compiled files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.fingerprint import compiled_files
from wt_git.evidence.policy import settings_of
from wt_git.git.history import History
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import certainly_without, tree_without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pygit2

    from wt_git.config import Settings
    from wt_git.evidence.policy import Policy
    from wt_git.git.trees import TreeSource


class NotesSource(Protocol):
    """What coverage reads notes from; `wt_git.git.notes.view.NotesView` is one."""

    def __bool__(self) -> bool:
        """Whether there are any notes."""
        ...

    def sweeps(self, tree_id: str, /) -> Mapping[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, by sweep id."""
        ...

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that has such notes."""
        ...


class JoinedNotes:
    """All that `sources` say, each for itself."""

    def __init__(self, *sources: NotesSource) -> None:
        self._sources = sources

    def __bool__(self) -> bool:
        """Whether any of them has notes."""
        return any(self._sources)

    def sweeps(self, tree_id: str, /) -> dict[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, those of all sources together."""
        lines: dict[str, set[bytes]] = {}
        for source in self._sources:
            for sweep_id, found in source.sweeps(tree_id).items():
                lines.setdefault(sweep_id, set()).update(found)
        return {sweep_id: tuple(sorted(found)) for sweep_id, found in lines.items()}

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that any of them has notes under, each once."""
        yield from sorted({key for source in self._sources for key in source.record_keys()})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitToCheck:
    """A tree, the settings in it, the commits that it builds on, and the policy that judges it.

    `commit` is empty for what is about to be committed.
    """

    commit: str
    tree: str
    parents: tuple[str, ...]
    own: Settings
    policy: Policy

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns that evidence for this tree was thinned with.

        They are its own: the file that holds them is part of every thinned tree. Where they leave
        out more than the policy allows, nothing found that way counts.
        """
        own = self.own.gate.not_under_test
        return own if set(own) <= set(self.policy.gate.not_under_test) else ()

    @property
    def starts(self) -> tuple[str, ...]:
        """The commits that history is looked through from."""
        return (self.commit,) if self.commit else self.parents


class EvidenceTree(NamedTuple):
    """A tree to look under. `left_out` is what it lacks of the commit's own tree, None: nothing.

    Under a tree without `left_out`, rows count whose tree is that one once thinned.
    """

    tree: str
    left_out: PathPatterns | None = None


class EvidenceTrees:
    """Finds the keys of any number of trees of one repository, with what it learnt of the others.

    `source` reads trees, `has_notes(tree)` says whether anything stands under one.
    """

    def __init__(self, source: TreeSource, has_notes: Callable[[str], bool]) -> None:
        self._source = source
        self._has_notes = has_notes
        self._thinned: dict[tuple[str, tuple[str, ...]], EvidenceTree] = {}
        self._uncompiled: set[str] = set()

    def of(self, tree: str, patterns: Sequence[str]) -> list[EvidenceTree]:
        """Return the trees to look under for `tree`, itself first.

        `patterns` are what no experiment depends on. Raises `GitError` when a tree is missing. A
        snapshot has no compiled files, so where there are notes on a tree it has none either, and
        need not be searched for them.
        """
        keys = [EvidenceTree(tree)]
        if patterns:
            thinned = self.thinned(tree, patterns)
            keys = [thinned] if thinned.tree == tree else [*keys, thinned]
        if any(self._has_notes(key.tree) for key in keys) or self._has_no_compiled(tree):
            return keys
        compiled = self.thinned(tree, compiled_files.PATTERNS)
        if compiled.tree != tree:
            keys.append(EvidenceTree(compiled.tree))
            if patterns:
                keys.append(self.thinned(tree, (*compiled_files.PATTERNS, *patterns)))
        return keys

    def thinned(self, tree: str, patterns: Sequence[str]) -> EvidenceTree:
        """Return the tree without what `patterns` match; found once for each tree."""
        known = (tree, tuple(patterns))
        if known not in self._thinned:
            left_out = PathPatterns(patterns)
            self._thinned[known] = EvidenceTree(
                tree_without(tree, left_out, self._source), left_out
            )
        return self._thinned[known]

    def _has_no_compiled(self, tree: str) -> bool:
        """Say so where it is certain. Of many commits, only the folders that changed are read."""
        return certainly_without(
            tree, compiled_files.SUFFIXES, self._source, known=self._uncompiled
        )


def trees_by_commit(
    repository: pygit2.Repository, view: NotesSource, commits: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each commit its own tree, and that tree without what no experiment depends on.

    A commit whose configuration is broken has its own tree alone, and so has one of whose folders
    some are not here, as in a partial clone; one that is not here itself has none.
    """
    history = History(repository)
    keys = EvidenceTrees(history.trees, lambda tree: bool(view.sweeps(tree)))
    return {commit: _trees(history, keys, commit) for commit in commits}


def _trees(history: History, keys: EvidenceTrees, commit: str) -> tuple[str, ...]:
    found = history.commit(commit)
    if found is None:
        return ()
    try:
        patterns = settings_of(history, found).gate.not_under_test
        found_under = [key.tree for key in keys.of(found.tree, patterns)]
    except (ConfigurationError, GitError):
        return (found.tree,)
    return tuple(dict.fromkeys((found.tree, *found_under)))
