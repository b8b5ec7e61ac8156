"""Which rows say what is working, and what results need of them (docs/files.md, "Results"). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.records.lenient import flag, is_version, text, within
from wt_git.records.rows import LEDGER_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Pair(NamedTuple):
    """What results are grouped by: the name of a scenario, and a label."""

    scenario: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A ledger row as tables need it: which runs it is about, and what they came to.

    `record` is the row as it stands in the ledger, of any age.
    """

    pair: Pair
    pack: str | None
    tier: str | None
    sweep_id: str | None
    verdict: str | None
    run_ids: frozenset[str]
    budget_exhausted: bool | None
    interrupted: bool | None
    counts_as_failure: bool | None
    record: Mapping[str, Any]


class LedgerResults(NamedTuple):
    """The rows that results rest on, and how many lines were passed over on the way.

    Those are the lines that hold no row, and the rows of another version.
    """

    rows: dict[Pair, tuple[ResultRow, ...]]
    passed_over: int


def may_be_shown(record: Mapping[str, Any]) -> bool | None:
    """Say whether results may rest on a row.

    False for a row of another version, None for one that names no scenario or label.
    """
    if not is_version(record.get("windtunnel_ledger", 0), 0, LEDGER_VERSION):
        return False
    is_named = isinstance(record.get("scenario_id"), str) and isinstance(record.get("label"), str)
    return True if is_named else None


def result_row(record: Mapping[str, Any]) -> ResultRow:
    """Return what results need of a row that may be shown."""
    experiment = within(record.get("experiment"))
    run_ids = record.get("run_ids")
    return ResultRow(
        pair=Pair(record["scenario_id"], record["label"]),
        pack=text(record.get("pack")),
        tier=text(experiment.get("tier")),
        sweep_id=text(record.get("sweep_id")),
        verdict=text(record.get("verdict")),
        run_ids=frozenset(filter(text, run_ids if isinstance(run_ids, list) else [])),
        budget_exhausted=flag(experiment.get("budget_exhausted")),
        interrupted=flag(experiment.get("interrupted")),
        counts_as_failure=flag(experiment.get("counts_as_failure")),
        record=record,
    )


def rows_that_stand(rows: Iterable[ResultRow]) -> dict[Pair, tuple[ResultRow, ...]]:
    """Return the rows that say what is working: per scenario and label the last of `rows`.

    One for each pack that owns a scenario of the name; a row that names no pack is about any of
    them. A probe replays a part of a scenario, so its row stands only where there is no other.
    """
    flights: dict[Pair, dict[str | None, ResultRow]] = {}
    probes: dict[Pair, dict[str | None, ResultRow]] = {}
    for row in rows:
        kept = probes if row.tier == "probe" else flights
        _replace(kept.setdefault(row.pair, {}), row)
    for pair, of_probes in probes.items():
        known = flights.setdefault(pair, {})
        if None not in known:
            only = [row for pack, row in of_probes.items() if pack not in known]
            known.update({row.pack: row for row in only if not known or row.pack is not None})
    return {pair: tuple(rows.values()) for pair, rows in flights.items()}


def _replace(rows: dict[str | None, ResultRow], row: ResultRow) -> None:
    if row.pack is None:
        rows.clear()
    else:
        rows.pop(None, None)
    rows[row.pack] = row
