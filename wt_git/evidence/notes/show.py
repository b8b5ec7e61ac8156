"""The notes on one commit or tree, for `wt notes show`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.errors import UsageError
from wt_git.evidence.coverage.evidence_trees import trees_by_commit
from wt_git.evidence.notes.sweep_notes import sweep_lines
from wt_git.git.history import commit_and_tree
from wt_git.records.notes import read_note, speaks_for
from wt_git.text import one_line

if TYPE_CHECKING:
    from wt_git.git.notes.store import Notes
    from wt_git.git.notes.view import NotesView

DOCUMENT_VERSION = 1


@dataclass(frozen=True, slots=True)
class ShownNotes:
    """The notes under the trees of a commit, or under a tree; `named` is the commit or tree.

    `lines` has a line for each sweep, `records` the records by sweep id, `problems` sentences about
    lines that were skipped.
    """

    named: str
    trees: tuple[str, ...]
    lines: tuple[str, ...]
    records: dict[str, list[dict[str, Any]]]
    problems: tuple[str, ...]

    def as_document(self) -> dict[str, Any]:
        """Return the document that `--json` prints."""
        return {
            "windtunnel_notes": DOCUMENT_VERSION,
            "revision": self.named,
            "trees": list(self.trees),
            "sweeps": [
                {"sweep_id": sweep_id, "records": records}
                for sweep_id, records in self.records.items()
            ],
            "problems": list(self.problems),
        }


def show_notes(notes: Notes, rev: str) -> ShownNotes:
    """Return the notes on `rev`. Raises `UsageError` unless it names a commit or a tree."""
    commit, tree = commit_and_tree(notes.repository, rev)
    if tree is None:
        raise UsageError(f"'{one_line(rev)}' is neither a commit nor a tree of this repository")
    view = notes.view()
    trees: tuple[str, ...] = (tree,)
    if commit is not None:
        trees = trees_by_commit(notes.repository, view, [commit])[commit]
    records: dict[str, list[dict[str, Any]]] = {}
    problems: list[str] = []
    for one in trees:
        _read(view, one, records, problems)
    return ShownNotes(commit or tree, trees, sweep_lines(view, trees), records, tuple(problems))


def _read(
    view: NotesView, tree: str, records: dict[str, list[dict[str, Any]]], problems: list[str]
) -> None:
    for sweep_id, lines in view.sweeps(tree).items():
        content = read_note(lines, sweep_id)
        foreign = [line for line in content.rows if not speaks_for(line.record, tree)]
        for why, count in Counter(one.why for one in content.unreadable).items():
            problems.append(f"sweep {sweep_id}: {count} unreadable lines ({why}) count for nothing")
        if foreign:
            problems.append(
                f"sweep {sweep_id}: {len(foreign)} rows are not about this tree and count for nothing"
            )
        found = records.setdefault(sweep_id, [])
        for line in (*content.rows, *content.sweeps, *content.reviews):
            if line not in foreign and line.record not in found:
                found.append(json.loads(line.raw))
