"""The evidence nearest to a commit that has none, and the files that make it stale.

It is searched for in the notes and in the ledgers of runs directories. It only explains a result,
and never decides one.
"""

from __future__ import annotations

import itertools
import os
import shlex
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from wt_git import files as json_lines
from wt_git.errors import GitError
from wt_git.evidence.changes import FileListing, differing_files, listing_of_manifest
from wt_git.evidence.coverage.evidence_trees import EvidenceTree
from wt_git.evidence.coverage.result import (
    PACK_PLACEHOLDER,
    RUNTIME_PLACEHOLDER,
    NearestRow,
    Reason,
)
from wt_git.evidence.coverage.row_rules import COUNTING_TIERS
from wt_git.evidence.coverage.rules import readable_rows
from wt_git.evidence.coverage.stored_rows import StoredRow, stored_row
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import compare_trees, find_entry
from wt_git.records import layout
from wt_git.records.fingerprint import COMPILED_PATTERNS, read_manifest
from wt_git.records.notes import UnreadableLine, read_line
from wt_git.text import DECLARATION_OPTIONS, one_line, quoted_list, short_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wt_git.evidence.coverage.evidence_trees import CommitToCheck, NotesSource
    from wt_git.evidence.coverage.result import NotCovered
    from wt_git.git.history import History

_RECENT_COMMITS = 200
_RECENT_ROWS = 200
_MOST_KEYS = 20_000
_MOST_READ = 300
_MOST_COMPARED = 10
_MOST_FILES = 8


class Explainer(msgspec.Struct, frozen=True, kw_only=True):
    """Explains why one commit has no evidence. `runs_dirs` may hold ledgers with more than notes."""

    commit: CommitToCheck
    history: History
    view: NotesSource
    runs_dirs: Sequence[Path]

    def explained(self, result: NotCovered) -> NotCovered:
        """Return the result with the reasons for a tree without evidence made precise.

        Are there any notes, which files make the nearest evidence stale, is history too short?
        Other reasons explain themselves.
        """
        bare = [one for one in result.reasons if one.code == "no-evidence"]
        if not bare:
            return result
        nearest = self.nearest()
        reasons = []
        if not self.view:
            reasons.append(self._no_notes(() if nearest else (self._first_command(),)))
        if nearest is not None:
            reasons.append(self._stale(nearest))
        elif self.view:
            reasons.append(replace(bare[0], hints=(self._first_command(),)))
        if nearest is None and any(map(self.history.lacks_ancestors, self.commit.starts)):
            reasons.append(
                Reason(
                    code="history-short",
                    message="history is cut in this clone, so evidence on what this commit builds "
                    "on could not be looked for",
                    hints=("git fetch --unshallow",),
                )
            )
        others = [one for one in result.reasons if one.code != "no-evidence"]
        return replace(result, reasons=(*reasons, *others), nearest=nearest)

    def nearest(self) -> NearestRow | None:
        """Return the passing row with the fewest differing files; among equals, the latest."""
        found = []
        for one in self._candidates():
            try:
                files = one.differing()
            except GitError:
                continue  # a tree of it is missing here
            if files:
                names = sorted(files)
                ids = tuple(files[name] for name in names)
                found.append(NearestRow(one.tree, one.found_at, one.row, tuple(names), ids))
        return max(found, key=lambda one: (-len(one.differing), one.row.ts), default=None)

    # Reasons.

    def _no_notes(self, commands: tuple[str, ...]) -> Reason:
        fetch = ("wt verify --fetch",) if self.history.has_remotes else ()
        return Reason(
            code="no-notes",
            message="there are no notes here: none were recorded in this clone, and none were "
            "fetched",
            hints=(*fetch, *commands),
        )

    def _first_command(self) -> str:
        """Return the command for a first experiment, with placeholders for unknown values."""
        gate = self.commit.policy.gate
        packs = [f"--pack={pack}" for pack in gate.packs or (PACK_PLACEHOLDER,)]
        runtime = f"--runtime={gate.runtime or RUNTIME_PLACEHOLDER}"
        command = one_line(shlex.join(["wt", "run", *packs, runtime]))
        return f"{command} {DECLARATION_OPTIONS}" if self.runs_dirs else command

    def _stale(self, nearest: NearestRow) -> Reason:
        """Say whether edits make the nearest evidence stale, or a base that moved under them."""
        found_at = nearest.found_at
        where = f"commit {short_commit(found_at)}" if found_at else f"sweep {nearest.row.sweep_id}"
        files = quoted_list(nearest.differing, most=_MOST_FILES)
        hints = (nearest.row.command(),)
        if self._base_moved(nearest):
            return Reason(
                code="base-moved",
                message="no experiment was recorded on this tree. What this commit changes was "
                f"tested ({where}), but on another base; these files are different there: {files}",
                facts=nearest.differing,
                hints=hints,
            )
        return Reason(
            code="stale-evidence",
            message="no experiment was recorded on this tree; the nearest evidence is that of "
            f"{where}, and these files differ from it: {files}",
            facts=nearest.differing,
            hints=hints,
        )

    def _base_moved(self, nearest: NearestRow) -> bool:
        """Say whether all files that this commit changes were tested, on an earlier base."""
        parents = self.commit.parents
        parent = self.history.commit(parents[0]) if parents else None
        if parent is None:
            return False
        try:
            changed = compare_trees(parent.tree, self.commit.tree, self.history.trees)
            names = {os.fsdecode(path) for path in changed}
            if not names or not names.isdisjoint(nearest.differing):
                return False
            return nearest.found_at in parents or self._was_a_base(parent.id, nearest)
        except GitError:
            return False

    def _was_a_base(self, commit: str, nearest: NearestRow) -> bool:
        """Say whether a commit before `commit` has the nearest evidence's version of its files.

        If none has, the evidence is not from an earlier base: its files were not committed, or came
        later.
        """
        ids = dict(zip(nearest.differing[:_MOST_FILES], nearest.object_ids, strict=False))
        before = itertools.islice(self.history.ancestors(commit), _RECENT_COMMITS)
        return any(
            all(self._id_at(one.tree, path) == object_id for path, object_id in ids.items())
            for one in before
        )

    def _id_at(self, tree: str, path: str) -> str | None:
        entry = find_entry(tree, os.fsencode(path), self.history.trees)
        return entry.id if entry else None

    # The search.

    def _candidates(self) -> Iterator[_Candidate]:
        """Yield candidates, each tree once.

        Ledgers are always searched too. People ask most often about an experiment with files that
        were not committed, and its tree is in no commit.
        """
        seen = {self.commit.tree}
        for found in (self._in_notes(), self._in_ledgers()):
            compared = 0
            for one in found:
                if one.tree in seen:
                    continue
                seen.add(one.tree)
                yield one
                compared += 1
                if compared == _MOST_COMPARED:
                    break

    def _in_notes(self) -> Iterator[_Candidate]:
        noted = set(itertools.islice(self.view.record_keys(), _MOST_KEYS))
        for tree, found_at in itertools.chain(self._recent_trees(), self._other_trees(noted)):
            if tree in noted and (row := self._passing_row(tree)) is not None:
                yield _Candidate(tree, found_at, row, partial(self._differing, FileListing(tree)))

    def _recent_trees(self) -> Iterator[tuple[str, str]]:
        """Yield the trees of the commits that this one builds on, the newest first."""
        for start in self.commit.starts:
            own = self.history.commit(start)
            if own is not None:
                commits = itertools.chain([own], self.history.ancestors(start))
                for one in itertools.islice(commits, _RECENT_COMMITS):
                    yield one.tree, one.id

    def _other_trees(self, noted: Iterable[str]) -> Iterator[tuple[str, None]]:
        """Yield other trees with notes, such as those of other branches and amended commits."""
        present = (tree for tree in sorted(noted) if self.history.has_tree(tree))
        here = itertools.islice(present, _MOST_READ)
        rows = [(row, tree) for tree in here if (row := self._passing_row(tree)) is not None]
        for _, tree in sorted(rows, key=lambda found: found[0].ts, reverse=True):
            yield tree, None

    def _passing_row(self, tree: str) -> StoredRow | None:
        """Return the latest row on `tree` that would be evidence on the commit's own tree."""
        found = readable_rows(self.view.sweeps(tree), EvidenceTree(tree), {})
        return max(
            (one.row for one in found.values() if self._is_evidence(one.row)),
            key=lambda row: (row.ts, row.raw),
            default=None,
        )

    def _is_evidence(self, row: StoredRow) -> bool:
        about = self.commit.policy.is_about(row.parts.runtime, row.parts.target)
        return row.passes and row.tier in COUNTING_TIERS and about

    def _in_ledgers(self) -> Iterator[_Candidate]:
        for folder in self.runs_dirs:
            lines = json_lines.read_lines_backwards(folder / layout.LEDGER)
            for line in itertools.islice(lines, _RECENT_ROWS):
                read = read_line(line.text.encode("utf-8"))
                row = None if isinstance(read, UnreadableLine) else stored_row(read)
                if row is None or not self._is_evidence(row):
                    continue
                tree = row.parts.git_tree
                if tree is None or row.fingerprint != row.parts.value():
                    continue
                manifest = read_manifest(folder, tree)
                if manifest is not None:
                    differing = partial(self._differing, listing_of_manifest(manifest))
                    yield _Candidate(tree, None, row, differing)

    def _differing(self, listing: FileListing) -> dict[str, str | None]:
        """Return the files under test in which a listing differs from the commit."""
        left_out = PathPatterns((*COMPILED_PATTERNS, *self.commit.not_under_test))
        files = differing_files(listing, FileListing(self.commit.tree), self.history.trees)
        return {path: one for path, one in files.items() if not left_out.match(os.fsencode(path))}


class _Candidate(NamedTuple):
    """A tree with a passing row. `differing` maps each file that differs to its object id there."""

    tree: str
    found_at: str | None
    row: StoredRow
    differing: Callable[[], dict[str, str | None]]
