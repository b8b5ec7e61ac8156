"""The notes on commits, for `wt notes show` and `wt log`."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.clock import whole_seconds
from wt_git.errors import ConfigurationError, UsageError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.evidence_trees import trees_by_commit
from wt_git.evidence.coverage.result import Covered
from wt_git.evidence.notes.sweep_notes import sweep_lines
from wt_git.git.history import commit_and_tree
from wt_git.records.documents.evidence import CommitLog, LoggedCommit, LoggedRow
from wt_git.records.notes import read_note, speaks_for
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pygit2

    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.evidence.coverage.row_rules import CheckedRow
    from wt_git.git.history import CommitFacts
    from wt_git.git.notes.store import Notes, NotesView

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


def commit_log(
    repository: pygit2.Repository,
    view: NotesSource,
    commits: Iterable[CommitFacts],
    *,
    limit: int | None,
    scenario: str | None = None,
) -> CommitLog:
    """Return the log of the first `limit` of `commits`.

    With `scenario` (`name` or `pack/name`), only its rows, and only commits that have some. Raises
    `GitError`.
    """
    checker = CoverageChecker(repository, view, explain=False)
    skipped: set[bytes] = set()
    logged = (_logged(checker, one, scenario, skipped) for one in commits)
    wanted = (one for one in logged if scenario is None or one.rows)
    found = list(itertools.islice(wanted, limit))
    return CommitLog(commits=found, cut=bool(checker.history.shallow_commits), skipped=len(skipped))


def _logged(
    checker: CoverageChecker, commit: CommitFacts, scenario: str | None, skipped: set[bytes]
) -> LoggedCommit:
    try:
        covered = isinstance(checker.commit(commit.id), Covered)
    except ConfigurationError:  # an old commit, whose tables this version refuses
        covered = False
    rows = checker.recorded(commit.id, skipped)
    return LoggedCommit(
        commit=commit.id,
        time=whole_seconds(commit.time),
        title=commit.subject,
        covered=covered,
        rows=[
            _row(one)
            for one in sorted(rows, key=_order)
            if scenario is None or scenario in {one.row.scenario_id, one.row.name}
        ],
    )


def _order(one: CheckedRow) -> tuple[str, str, str, bytes]:
    return (one.row.ts, one.row.sweep_id, one.row.name, one.row.raw)


def _row(one: CheckedRow) -> LoggedRow:
    row = one.row
    tokens = [row.cost.input_tokens, row.cost.output_tokens]
    held = {sweep.prediction_held for sweep in one.sweeps}
    return LoggedRow(
        sweep_id=row.sweep_id,
        ts=row.ts,
        pack=row.pack,
        scenario=row.scenario_id,
        tier=row.tier,
        verdict=row.verdict,
        passed=row.passed,
        runs=row.runs,
        wall_s=_float(row.cost.wall_s),
        tokens=None if None in tokens else int(sum(one or 0 for one in tokens)),
        usd=_float(row.dollars),
        expect=row.experiment.expect,
        prediction_held=held.pop() if len(held) == 1 else None,
    )


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)
