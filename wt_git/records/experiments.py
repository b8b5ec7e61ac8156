"""The experiments file: finished sweeps and the reviews of them (docs/files.md, "Experiments").

Lines of every age are read; a line that holds neither is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from wt_git import files
from wt_git.decoding import DecodingError, decode, is_version
from wt_git.records.layout import EXPERIMENT_VERSION, EXPERIMENTS
from wt_git.records.ledger.row import RecordedCost, RecordedPrice
from wt_git.records.record import Record, Text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class ReviewRecord(Record, frozen=True, kw_only=True):
    """A review of a sweep: `changed` exactly when there is a `decision`. The last one counts."""

    windtunnel_experiment: int = EXPERIMENT_VERSION
    kind: Literal["review"] = "review"
    ts: str
    sweep_id: str
    changed: bool
    decision: Text | None


SHORTEST_PREFIX = 4
"""The shortest beginning of a sweep id that is taken for the whole one."""


class RecordedCacheCheck(msgspec.Struct, frozen=True):
    """Whether prompts came from the model's cache; None where unknown."""

    result: str | None = None


class FinishedSweep(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep that ended, as recorded; None where it is not known, or without a price."""

    windtunnel_experiment: Any = None
    kind: Any = None
    sweep_id: str = ""
    tier: str = ""
    ts: str | None = None
    label: str | None = None
    question: str | None = None
    fingerprint: str | None = None
    outcome: str | None = None
    prediction_held: bool | None = None
    changed: bool | None = None
    cost: RecordedCost = RecordedCost()
    cost_usd: RecordedPrice | None = None
    cache_check: RecordedCacheCheck = RecordedCacheCheck()


class Review(NamedTuple):
    """Whether a sweep changed a decision, as a person said."""

    sweep_id: str
    ts: str | None
    changed: bool


class FoundSweep(NamedTuple):
    """A finished sweep, and its latest review if there is one."""

    sweep: FinishedSweep
    review: Review | None


class Ambiguous(NamedTuple):
    """Finished sweeps with ids that begin alike, the latest first."""

    sweeps: tuple[FinishedSweep, ...]


def read_experiment(line: bytes) -> FinishedSweep | Review | None:
    """Return the sweep or review in `line`; None for records of other versions and kinds."""
    try:
        found = decode(line, FinishedSweep, lenient=True)
    except DecodingError:
        return None
    if not is_version(found.windtunnel_experiment, EXPERIMENT_VERSION) or not found.sweep_id:
        return None
    if found.kind == "review" and found.changed is not None:
        return Review(found.sweep_id, found.ts, found.changed)
    return found if found.kind == "sweep" and found.tier else None


def newest_first(runs_dir: Path, report: files.LineReport) -> Iterator[FinishedSweep | Review]:
    """Yield the records of `runs_dir`, the last one first, reading only as far as it is asked.

    Lines that hold none are counted in `report`.
    """
    for line in files.raw_lines_backwards(runs_dir / EXPERIMENTS):
        found = read_experiment(line)
        if found is not None:
            yield found
        elif line.strip():
            report.skipped += 1


def find_sweep(runs_dir: Path, wanted: str) -> FoundSweep | Ambiguous | None:
    """Return the finished sweep with the id `wanted`, or the one with an id that begins so.

    A whole id is found without reading older sweeps.
    """
    reviews: dict[str, Review] = {}
    matches: dict[str, FinishedSweep] = {}
    is_prefix = len(wanted) >= SHORTEST_PREFIX
    for found in newest_first(runs_dir, files.LineReport()):
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
