"""The evidence nearest to a commit that has none, and the files that make it stale.

It is searched for in the notes and in the ledgers of runs directories. It only explains a result,
and never decides one.
"""

from __future__ import annotations

import itertools
import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from wt_git import json_lines
from wt_git.errors import GitError
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
from wt_git.evidence.fingerprint import compiled_files
from wt_git.evidence.policy import gate_changes
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import compare_trees, find_entry, walk_files
from wt_git.records import layout
from wt_git.records.manifests import read_manifest
from wt_git.records.notes import UnreadableLine, read_line
from wt_git.text import DECLARATION_OPTIONS, one_line, quoted_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wt_git.config import Settings
    from wt_git.evidence.coverage.evidence_trees import CommitToCheck, NotesSource
    from wt_git.evidence.coverage.result import CoverageResult, NotCovered
    from wt_git.evidence.policy import Policy
    from wt_git.git.history import History
    from wt_git.records.manifests import Manifest

_SEARCHED_COMMITS = 200
_RECENT_ROWS = 200
_MOST_KEYS = 20_000
_MOST_READ = 300
_MOST_COMPARED = 10


class _Candidate(NamedTuple):
    """A tree with a passing row, and how to name the files in which it differs from another.

    `differing` maps each such file to what the tree has there, an object id, None for nothing.
    """

    tree: str
    found_at: str | None
    row: StoredRow
    differing: Callable[[], dict[str, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestSearch:
    """What is searched for: evidence that `policy` is about, close to the tree `tree`.

    `parents` are the commits to look back from, `passed_over(path)` says which paths matter to
    nobody, `runs_dirs` are where ledgers may be.
    """

    history: History
    view: NotesSource
    policy: Policy
    tree: str
    parents: Sequence[str]
    passed_over: Callable[[bytes], bool]
    runs_dirs: Sequence[Path] = ()


def nearest_evidence(search: NearestSearch) -> NearestRow | None:
    """Return the evidence with the fewest differing files; of several, the latest. None without."""
    found = []
    for one in _candidates(search):
        try:
            paths = one.differing()
        except GitError:
            continue  # some tree of it is not here
        if paths:
            names = tuple(sorted(paths))
            held = tuple(paths[name] for name in names)
            found.append(NearestRow(one.tree, one.found_at, one.row, names, held))
    return max(found, key=lambda one: (-len(one.differing), one.row.ts), default=None)


def _candidates(search: NearestSearch) -> Iterator[_Candidate]:
    """Yield candidates, each tree once.

    Some are always from the ledgers: an experiment with files that were then not committed, the one
    that people ask about most, is on a tree that is in no commit.
    """
    seen: set[str] = {search.tree}
    for found in (_in_notes(search), _in_ledgers(search)):
        compared = 0
        for one in found:
            if one.tree in seen:
                continue
            seen.add(one.tree)
            yield one
            compared += 1
            if compared == _MOST_COMPARED:
                break


def _in_notes(search: NearestSearch) -> Iterator[_Candidate]:
    keys = set(itertools.islice(search.view.record_keys(), _MOST_KEYS))
    for tree, commit in itertools.chain(_recent_trees(search), _other_trees(search, keys)):
        if tree in keys and (row := _passing_row(search, tree)) is not None:
            yield _Candidate(
                tree,
                commit,
                row,
                lambda tree=tree: _differing_trees(search, tree),  # type: ignore[misc]
            )


def _recent_trees(search: NearestSearch) -> Iterator[tuple[str, str | None]]:
    """Yield the trees of the commits that were built on, the newest first."""
    for parent in search.parents:
        own = search.history.commit(parent)
        before = search.history.ancestors(parent) if own else ()
        for one in itertools.islice(itertools.chain([own], before), _SEARCHED_COMMITS):
            if one is not None:
                yield one.tree, one.id


def _other_trees(search: NearestSearch, keys: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the trees with notes that are here for another reason: other branches, amended commits."""
    present = (key for key in sorted(keys) if search.history.has_tree(key))
    here = itertools.islice(present, _MOST_READ)
    rows = ((row, key) for key in here if (row := _passing_row(search, key)) is not None)
    for _, key in sorted(rows, key=lambda found: found[0].ts, reverse=True):
        yield key, None


def _passing_row(search: NearestSearch, tree: str) -> StoredRow | None:
    """Return the latest row on `tree` that would be evidence if it were about this commit."""
    found = readable_rows(search.view.sweeps(tree), EvidenceTree(tree))
    return max(
        (one.row for one in found.values() if _is_evidence(one.row, search.policy)),
        key=lambda row: (row.ts, row.raw),
        default=None,
    )


def _is_evidence(row: StoredRow, policy: Policy) -> bool:
    about = policy.is_about(row.parts.runtime, row.parts.target)
    return row.passes and row.tier in COUNTING_TIERS and about


def _differing_trees(search: NearestSearch, tree: str) -> dict[str, str | None]:
    changes = compare_trees(tree, search.tree, search.history.trees)
    return {
        os.fsdecode(path): held.id if held else None
        for path, (held, _) in changes.items()
        if not search.passed_over(path)
    }


def _in_ledgers(search: NearestSearch) -> Iterator[_Candidate]:
    for folder in search.runs_dirs:
        lines = json_lines.read_lines_backwards(folder / layout.LEDGER)
        for line in itertools.islice(lines, _RECENT_ROWS):
            read = read_line(line.text.encode("utf-8"))
            row = None if isinstance(read, UnreadableLine) else stored_row(read)
            if row is None or not _is_evidence(row, search.policy):
                continue
            tree = row.parts.git_tree
            if tree is None or row.fingerprint != row.parts.value():
                continue
            listing = read_manifest(folder, tree)
            if listing is not None:
                yield _Candidate(
                    tree,
                    None,
                    row,
                    lambda one=listing: _differing_listing(search, one),  # type: ignore[misc]
                )


def _differing_listing(search: NearestSearch, listing: Manifest) -> dict[str, str | None]:
    """Return the paths in which a listing, differences from a base, differs from the tree."""
    trees = search.history.trees
    if listing.base is None:
        now = {os.fsdecode(path): entry.id for path, entry in walk_files(search.tree, trees)}
        then: dict[str, str | None] = {**dict.fromkeys(now), **listing.entries}
        found = {path: held for path, held in then.items() if held != now.get(path)}
    else:
        changes = compare_trees(listing.base, search.tree, trees)
        ids = {
            os.fsdecode(path): tuple(one.id if one else None for one in both)
            for path, both in changes.items()
        }
        found = {path: was for path, (was, _) in ids.items() if path not in listing.entries}
        found |= {
            path: held
            for path, held in listing.entries.items()
            if path not in ids or ids[path][1] != held
        }
    return {path: held for path, held in found.items() if not search.passed_over(os.fsencode(path))}


_MOST_FILES = 8
_RECENT_COMMITS = 200
_SHORT_ID = 10


@dataclass(frozen=True, slots=True)
class Explainer:
    """Finds out what is missing; `runs_dirs` are where ledgers may be that know more than notes."""

    history: History
    view: NotesSource
    runs_dirs: Sequence[Path]

    def explained(self, case: CommitToCheck, answer: NotCovered) -> NotCovered:
        """Return the answer with what helps: are there notes at all, which files make them stale.

        Only where nothing was recorded on the tree; other reasons speak for themselves.
        """
        if not any(one.code == "no-evidence" for one in answer.reasons):
            return answer
        found = self._nearest(case)
        reasons: list[Reason] = []
        if not self.view:
            reasons.append(self._no_notes(() if found else (self._first_command(case.policy),)))
        if found is not None:
            reasons.append(self._stale(case, found))
        elif self.view:
            reasons.append(replace(answer.reasons[0], hints=(self._first_command(case.policy),)))
        if found is None and any(map(self.history.is_cut, case.starts)):
            reasons.append(_short_history())
        kept = [one for one in answer.reasons if one.code != "no-evidence"]
        return replace(answer, reasons=(*reasons, *kept), nearest=found)

    def _no_notes(self, commands: tuple[str, ...]) -> Reason:
        """Say that there is nothing to look in, and whether something could be fetched."""
        fetch = ("wt verify --fetch",) if self.history.has_remotes else ()
        return Reason(
            code="no-notes",
            message="there are no notes here: none were recorded in this clone, and none were "
            "fetched",
            hints=(*fetch, *commands),
        )

    def _first_command(self, policy: Policy) -> str:
        """Return the command for a first experiment; what nobody can know stands in capitals."""
        packs = [f"--pack={pack}" for pack in policy.gate.packs or (PACK_PLACEHOLDER,)]
        runtime = f"--runtime={policy.gate.runtime or RUNTIME_PLACEHOLDER}"
        command = one_line(shlex.join(["wt", "run", *packs, runtime]))
        return f"{command} {DECLARATION_OPTIONS}" if self.runs_dirs else command

    def _nearest(self, case: CommitToCheck) -> NearestRow | None:
        # MOVED

        left_out = PathPatterns((*compiled_files.PATTERNS, *case.patterns))
        return nearest_evidence(
            NearestSearch(
                history=self.history,
                view=self.view,
                policy=case.policy,
                tree=case.tree,
                parents=case.starts,
                passed_over=left_out.match,
                runs_dirs=self.runs_dirs,
            )
        )

    def _stale(self, case: CommitToCheck, found: NearestRow) -> Reason:
        """Say what makes the nearest evidence stale: edits, or a base that moved under them."""
        commit = found.found_at
        where = f"commit {commit[:_SHORT_ID]}" if commit else f"sweep {found.row.sweep_id}"
        files = quoted_list(found.differing, most=_MOST_FILES)
        if self._base_moved(case, found):
            return Reason(
                code="base-moved",
                message="no experiment was recorded on this tree. What this commit changes was "
                f"tested ({where}), but on another base; these files are different there: {files}",
                facts=found.differing,
                hints=(found.row.command(),),
            )
        return Reason(
            code="stale-evidence",
            message="no experiment was recorded on this tree; the nearest evidence is that of "
            f"{where}, and these files differ from it: {files}",
            facts=found.differing,
            hints=(found.row.command(),),
        )

    def _base_moved(self, case: CommitToCheck, found: NearestRow) -> bool:
        """Say whether all that this commit changes is as it was tested, and only its base is not."""
        parent = self.history.commit(case.parents[0]) if case.parents else None
        if parent is None:
            return False
        try:
            own = compare_trees(parent.tree, case.tree, self.history.trees)
        except GitError:
            return False
        names = {path.decode("utf-8", "surrogateescape") for path in own}
        if not names or not names.isdisjoint(found.differing):
            return False
        return found.found_at in case.parents or self._had(parent.id, found)

    def _had(self, commit: str, found: NearestRow) -> bool:
        """Say whether a commit that `commit` builds on had, where evidence differs, what that has.

        Where none had, it is no earlier base: files were not committed, or came later.
        """
        looked_at = dict(zip(found.differing[:_MOST_FILES], found.held, strict=False))
        before = itertools.islice(self.history.ancestors(commit), _RECENT_COMMITS)
        try:
            return any(
                all(self._at(one.tree, path) == held for path, held in looked_at.items())
                for one in before
            )
        except GitError:
            return False

    def _at(self, tree: str, path: str) -> str | None:
        entry = find_entry(tree, os.fsencode(path), self.history.trees)
        return entry.id if entry else None


def remarks(
    case: CommitToCheck, answer: CoverageResult, before: Settings | None
) -> tuple[str, ...]:
    """Return what does not change the answer: changes of the rules since `before`, skipped lines."""
    said = []
    if before is not None:
        changes = gate_changes(before, case.own)
        if changes:
            said.append(f"the rules themselves change: {quoted_list(changes, most=8)}")
    own, judged = case.own.gate.not_under_test, case.policy.gate.not_under_test
    if not set(own) <= set(judged):
        more = [one for one in own if one not in judged]
        said.append(
            f"this commit leaves {quoted_list(more)} out of what is under test, and the policy that "
            "judges it does not: only evidence for the whole tree counts"
        )
    if answer.skipped.total:
        why = ", ".join(f"{count} {code}" for code, count in sorted(answer.skipped.counts.items()))
        said.append(f"lines of notes on this tree that count for nothing: {why}")
    return tuple(said)


def _short_history() -> Reason:
    return Reason(
        code="history-short",
        message="history is cut in this clone, so evidence on what this commit builds on could not "
        "be looked for",
        hints=("git fetch --unshallow",),
    )
