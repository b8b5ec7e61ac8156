"""The evidence that is closest to a commit without any, and the files that make it stale.

Looked for in the notes, on trees that are here to be compared, and in the ledgers of runs
directories, whose listings say which files a tree had. None of it decides anything.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wt_git import json_lines
from wt_git.errors import GitError
from wt_git.evidence.answers import Nearest
from wt_git.evidence.coverage import readable_rows
from wt_git.evidence.keys import Key
from wt_git.evidence.row_rules import COUNTING_TIERS
from wt_git.evidence.stored_rows import StoredRow, stored_row
from wt_git.git.trees import compare, walk
from wt_git.records import layout
from wt_git.records.manifests import read_manifest
from wt_git.records.notes import UnreadableLine, read_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wt_git.evidence.joined_notes import NotesSource
    from wt_git.evidence.policy import Policy
    from wt_git.git.history import History
    from wt_git.records.manifests import Manifest

_RECENT_COMMITS = 200
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
class Search:
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


def nearest(search: Search) -> Nearest | None:
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
            found.append(Nearest(one.tree, one.found_at, one.row, names, held))
    return max(found, key=lambda one: (-len(one.differing), one.row.ts), default=None)


def _candidates(search: Search) -> Iterator[_Candidate]:
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


def _in_notes(search: Search) -> Iterator[_Candidate]:
    keys = set(itertools.islice(search.view.record_keys(), _MOST_KEYS))
    for tree, commit in itertools.chain(_recent_trees(search), _other_trees(search, keys)):
        if tree in keys and (row := _passing_row(search, tree)) is not None:
            yield _Candidate(
                tree,
                commit,
                row,
                lambda tree=tree: _differing_trees(search, tree),  # type: ignore[misc]
            )


def _recent_trees(search: Search) -> Iterator[tuple[str, str | None]]:
    """Yield the trees of the commits that were built on, the newest first."""
    for parent in search.parents:
        own = search.history.commit(parent)
        before = search.history.ancestors(parent) if own else ()
        for one in itertools.islice(itertools.chain([own], before), _RECENT_COMMITS):
            if one is not None:
                yield one.tree, one.id


def _other_trees(search: Search, keys: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the trees with notes that are here for another reason: other branches, amended commits."""
    present = (key for key in sorted(keys) if search.history.has_tree(key))
    here = itertools.islice(present, _MOST_READ)
    rows = ((row, key) for key in here if (row := _passing_row(search, key)) is not None)
    for _, key in sorted(rows, key=lambda found: found[0].ts, reverse=True):
        yield key, None


def _passing_row(search: Search, tree: str) -> StoredRow | None:
    """Return the latest row on `tree` that would be evidence if it were about this commit."""
    found = readable_rows(search.view.sweeps(tree), Key(tree))
    return max(
        (one.row for one in found.values() if _is_evidence(one.row, search.policy)),
        key=lambda row: (row.ts, row.raw),
        default=None,
    )


def _is_evidence(row: StoredRow, policy: Policy) -> bool:
    about = policy.is_about(row.parts.runtime, row.parts.target)
    return row.passes and row.tier in COUNTING_TIERS and about


def _differing_trees(search: Search, tree: str) -> dict[str, str | None]:
    changes = compare(tree, search.tree, search.history.trees)
    return {
        os.fsdecode(path): held.id if held else None
        for path, (held, _) in changes.items()
        if not search.passed_over(path)
    }


def _in_ledgers(search: Search) -> Iterator[_Candidate]:
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


def _differing_listing(search: Search, listing: Manifest) -> dict[str, str | None]:
    """Return the paths in which a listing, differences from a base, differs from the tree."""
    trees = search.history.trees
    if listing.base is None:
        now = {os.fsdecode(path): entry.id for path, entry in walk(search.tree, trees)}
        then: dict[str, str | None] = {**dict.fromkeys(now), **listing.entries}
        found = {path: held for path, held in then.items() if held != now.get(path)}
    else:
        changes = compare(listing.base, search.tree, trees)
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
