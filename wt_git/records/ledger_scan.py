"""Questions to the ledger that are answered by reading it: an index may answer them instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git import files
from wt_git.records import layout
from wt_git.records.lenient import flag, is_version, text, within
from wt_git.records.notes import recorded_trees
from wt_git.records.rows import LEDGER_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path


class Pair(NamedTuple):
    """What results are grouped by: the name of a scenario, and a label."""

    scenario: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A ledger row as tables need it: which runs it is about, and what they came to."""

    pack: str | None
    tier: str | None
    sweep_id: str | None
    verdict: str | None
    run_ids: frozenset[str]
    budget_exhausted: bool | None
    interrupted: bool | None


def latest_rows(
    runs_dir: Path, labels: AbstractSet[str] | None, report: files.LineReport
) -> dict[Pair, tuple[ResultRow, ...]]:
    """Return the rows that say what is working: per scenario and label the last in the file.

    One for each pack that owns a scenario of the name; a row that names no pack is about any of
    them. A probe replays a part of a scenario, so its row stands only where there is no other.
    Lines that hold no row, also those of newer writers, are counted in `report`.
    """
    flights: dict[Pair, dict[str | None, ResultRow]] = {}
    probes: dict[Pair, dict[str | None, ResultRow]] = {}
    for record in _records(runs_dir / layout.LEDGER, labels, report):
        scenario, label = record.get("scenario_id"), record.get("label")
        if not is_version(record.get("windtunnel_ledger", 0), 0, LEDGER_VERSION):
            report.skipped += 1
            continue
        if not isinstance(scenario, str) or not isinstance(label, str):
            continue
        if labels is None or label in labels:
            row = _result_row(record)
            kept = probes if row.tier == "probe" else flights
            _replace(kept.setdefault(Pair(scenario, label), {}), row)
    for pair, of_probes in probes.items():
        known = flights.setdefault(pair, {})
        if None not in known:
            only = [row for pack, row in of_probes.items() if pack not in known]
            known.update({row.pack: row for row in only if not known or row.pack is not None})
    return {pair: tuple(rows.values()) for pair, rows in flights.items()}


def _records(
    path: Path, labels: AbstractSet[str] | None, report: files.LineReport
) -> Iterator[dict[str, Any]]:
    """Yield the records of the ledger, without most of those that are under none of `labels`."""
    words = None if labels is None else [f'"{one}"'.encode("utf-8", "replace") for one in labels]
    descriptor = files.open_regular(path)
    if descriptor is None:
        return
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - it is a descriptor
        for raw in stream:
            data = raw.strip()
            if not data or (words is not None and _is_about_others(data, words)):
                continue
            line = files.parse_line(data)
            if line is not None:
                yield line.record
            else:
                report.skipped += 1


def _is_about_others(data: bytes, words: Sequence[bytes]) -> bool:
    """Say whether a line is certainly under another label, without reading it as JSON.

    Reading a row takes ten times what finding a word in it does. Text without a backslash stands in
    JSON as it is, so a row that has neither the word nor a backslash is another label's. A line that
    is not whole has to be read, to be counted.
    """
    is_whole = data.startswith(b"{") and data.endswith(b"}")
    return is_whole and b"\\" not in data and not any(word in data for word in words)


def _replace(rows: dict[str | None, ResultRow], row: ResultRow) -> None:
    if row.pack is None:
        rows.clear()
    else:
        rows.pop(None, None)
    rows[row.pack] = row


def _result_row(record: Mapping[str, Any]) -> ResultRow:
    experiment = within(record.get("experiment"))
    run_ids = record.get("run_ids")
    return ResultRow(
        pack=text(record.get("pack")),
        tier=text(experiment.get("tier")),
        sweep_id=text(record.get("sweep_id")),
        verdict=text(record.get("verdict")),
        run_ids=frozenset(filter(text, run_ids if isinstance(run_ids, list) else [])),
        budget_exhausted=flag(experiment.get("budget_exhausted")),
        interrupted=flag(experiment.get("interrupted")),
    )


def trees_of_sweep(runs_dir: Path, sweep_id: str, rows: int | None) -> tuple[str, ...]:
    """Return the trees that the rows of a sweep are about; empty when none says so.

    Read backwards, and no further than to the first row that says it: those of one sweep agree.
    `rows` is how many there can be, None when that is not known.
    """
    seen = 0
    if rows == 0:
        return ()
    for line in files.read_lines_backwards(runs_dir / layout.LEDGER):
        if seen == rows:
            break
        if line.record.get("sweep_id") == sweep_id:
            seen += 1
            if trees := recorded_trees(line.record):
                return trees
    return ()
