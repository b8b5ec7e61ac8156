"""The experiments file: finished sweeps and the reviews of them (docs/files.md, "Experiments").

Lines of every age are read; a line that holds neither is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wt_git import json_lines
from wt_git.records import layout
from wt_git.records.decoding import amount, flag, is_version, text, whole, within
from wt_git.records.record import Record, Text
from wt_git.records.sweep_records import EXPERIMENT_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ReviewRecord(Record):
    """What came of a sweep: `changed` exactly when there is a `decision`. The last one holds."""

    windtunnel_experiment: int = EXPERIMENT_VERSION
    kind: Literal["review"] = "review"
    ts: str
    sweep_id: str
    changed: bool
    decision: Text | None


SHORTEST_PREFIX = 4
"""Characters of a sweep id that may stand for the whole one."""


class Spent(NamedTuple):
    """Dollars by what they went into, each None where unknown; `tokens_known` as recorded."""

    uncached_input: Decimal | None
    cache_read: Decimal | None
    output: Decimal | None
    time: Decimal | None
    total: Decimal | None
    tokens_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSweep:
    """A sweep that ended, as recorded; None where it is not known.

    `spent` is None without a price.
    """

    sweep_id: str
    tier: str
    ts: str | None
    label: str | None
    question: str | None
    fingerprint: str | None
    outcome: str | None
    prediction_held: bool | None
    wall_s: Decimal | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    spent: Spent | None
    cache_result: str | None


class Review(NamedTuple):
    """What somebody said came of a sweep."""

    sweep_id: str
    ts: str | None
    changed: bool


class FoundSweep(NamedTuple):
    """A finished sweep, and its latest review if there is one."""

    sweep: FinishedSweep
    review: Review | None


class Ambiguous(NamedTuple):
    """The finished sweeps whose ids begin alike, the latest first."""

    sweeps: tuple[FinishedSweep, ...]


def read_experiment(record: Mapping[str, Any]) -> FinishedSweep | Review | None:
    """Return what `record` is; None for records of other versions and of no sweep."""
    sweep_id = record.get("sweep_id")
    if not is_version(record.get("windtunnel_experiment"), EXPERIMENT_VERSION):
        return None
    if not isinstance(sweep_id, str) or not sweep_id:
        return None
    if record.get("kind") == "review":
        changed = flag(record.get("changed"))
        return None if changed is None else Review(sweep_id, text(record.get("ts")), changed)
    tier = record.get("tier")
    if record.get("kind") != "sweep" or not isinstance(tier, str) or not tier:
        return None
    cost = within(record.get("cost"))
    return FinishedSweep(
        sweep_id=sweep_id,
        tier=tier,
        ts=text(record.get("ts")),
        label=text(record.get("label")),
        question=text(record.get("question")),
        fingerprint=text(record.get("fingerprint")),
        outcome=text(record.get("outcome")),
        prediction_held=flag(record.get("prediction_held")),
        wall_s=amount(cost.get("wall_s")),
        input_tokens=whole(cost.get("input_tokens")),
        cached_tokens=whole(cost.get("cached_tokens")),
        output_tokens=whole(cost.get("output_tokens")),
        spent=_spent(record.get("cost_usd")),
        cache_result=text(within(record.get("cache_check")).get("result")),
    )


def newest_first(runs_dir: Path, report: json_lines.LineReport) -> Iterator[FinishedSweep | Review]:
    """Yield the records of `runs_dir`, the last one first, reading only as far as it is asked.

    Lines that hold none are counted in `report`.
    """
    for line in json_lines.read_lines_backwards(runs_dir / layout.EXPERIMENTS, report):
        found = read_experiment(line.record)
        if found is None:
            report.skipped += 1
        else:
            yield found


def find_sweep(runs_dir: Path, wanted: str) -> FoundSweep | Ambiguous | None:
    """Return the finished sweep whose id is `wanted`, or the one whose id begins so.

    A whole id is found without reading what is older than its sweep.
    """
    reviews: dict[str, Review] = {}
    matches: dict[str, FinishedSweep] = {}
    is_prefix = len(wanted) >= SHORTEST_PREFIX
    for found in newest_first(runs_dir, json_lines.LineReport()):
        if found.sweep_id != wanted and not (is_prefix and found.sweep_id.startswith(wanted)):
            continue
        if isinstance(found, Review):
            reviews.setdefault(found.sweep_id, found)
        elif found.sweep_id == wanted:
            return FoundSweep(found, reviews.get(wanted))
        else:
            matches.setdefault(found.sweep_id, found)
    if len(matches) > 1:
        return Ambiguous(tuple(matches.values()))
    return next((FoundSweep(one, reviews.get(key)) for key, one in matches.items()), None)


def _spent(usd: object) -> Spent | None:
    if not isinstance(usd, dict):
        return None
    return Spent(
        uncached_input=amount(usd.get("uncached_input")),
        cache_read=amount(usd.get("cache_read")),
        output=amount(usd.get("output")),
        time=amount(usd.get("time")),
        total=amount(usd.get("total")),
        tokens_known=usd.get("tokens_known") is True,
    )
