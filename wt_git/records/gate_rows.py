"""What the gate of the ladder reads of a ledger row (docs/ladder.md, "The gate").

Rows are read leniently: a row of an older or newer writer says what it can, and never more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.records.lenient import is_version, text, within
from wt_git.records.rows import LEDGER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

_PASSING = {"PASS", "PASS_WITH_VARIANCE"}


class ScenarioId(NamedTuple):
    """What tells a scenario apart: the pack that owns it (None: not known), and its name."""

    pack: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """One row against `target`.

    `failed` is the sweep's own judgement, that of the exit code. `passes`: a focused row that may
    be evidence for its fingerprint, from a sweep that was not cut short. `parts` are the parts of
    the fingerprint as recorded, `sources` the files that decided the sweep; empty where a row names
    none.
    """

    target: str
    tier: str | None
    scenario: ScenarioId
    sweep_id: str | None
    verdict: str | None
    failed: bool
    passes: bool
    fingerprint: str | None
    parts: Mapping[str, Any]
    sources: Mapping[str, Any] = field(default_factory=dict)


def gate_row(record: Mapping[str, Any]) -> GateRow | None:
    """Return what `record` means to the gate; None for rows that name no target.

    Those without an experiment are neither history nor evidence. What a newer writer recorded may
    be a failure, but never a pass.
    """
    experiment = record.get("experiment")
    if not isinstance(experiment, dict):
        return None
    parts = experiment.get("fingerprint_parts")
    if not isinstance(parts, dict):
        return None
    target = parts["target"] if "target" in parts else parts.get("runtime")
    if not isinstance(target, str):
        return None
    tier = text(experiment.get("tier"))
    failed = _failed(record, experiment)
    cut_short = experiment.get("budget_exhausted") is True or experiment.get("interrupted") is True
    return GateRow(
        target=target,
        tier=tier,
        scenario=scenario_id(record),
        sweep_id=text(record.get("sweep_id")),
        verdict=text(record.get("verdict")),
        failed=failed,
        passes=tier == "focused" and not cut_short and not failed and _is_known(record),
        fingerprint=text(experiment.get("fingerprint")),
        parts=parts,
        sources=within(experiment.get("sources")),
    )


def scenario_id(record: Mapping[str, Any]) -> ScenarioId:
    """Return which scenario a record is about; a name that is no text is one all the same."""
    name = record.get("scenario_id")
    if isinstance(name, list | dict):  # of any depth, so not written out
        name = type(name).__name__
    return ScenarioId(text(record.get("pack")), str(name))


def _failed(record: Mapping[str, Any], experiment: Mapping[str, Any]) -> bool:
    said = experiment.get("counts_as_failure")
    return said if isinstance(said, bool) else text(record.get("verdict")) not in _PASSING


def _is_known(record: Mapping[str, Any]) -> bool:
    """Whether the row's version is one whose passes can be read; none at all is the oldest."""
    return is_version(record.get("windtunnel_ledger", 0), 0, LEDGER_VERSION)
