"""A saved run as tables need it: what it was, its verdict, and what was measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.api.score import GATE_LAYER_ORDER, Score, ScoreFormatError, score_from_dict
from wt_git.api.trace import TRACE_FORMAT_VERSION
from wt_git.records import layout
from wt_git.records.lenient import is_version, text, within
from wt_git.records.sidecars import run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import GateLayer, MetricValue

REPLAYED = "replay_prefix:"
"""How the warning of a run begins in which only the last part is live."""

NOT_FLIGHTS = ("selftest", "replay")
"""Origins of scores that say nothing about how an agent did on a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A scored run. `verdict` follows from its layers and gate, `origin` says how it was scored.

    `diagnostic_failures` are the layers that failed and do not gate. `risk_weight` is what a failure
    of the scenario weighs, as its author declared it.
    """

    path: str
    run_id: str
    scenario: str
    label: str
    started_at: str
    verdict: str
    metrics: Mapping[str, MetricValue]
    diagnostic_failures: tuple[str, ...]
    risk_weight: float
    is_probe: bool
    origin: str | None


class UnreadableRunError(ValueError):
    """A trace or its score is not what its name promises."""


def load_run(path: str) -> SavedRun:
    """Read the run whose trace is at `path`, with the score beside it.

    Raises `UnreadableRunError`, which says what is wrong with which of the two.
    """
    trace, sidecar = _object(path, "trace"), _object(layout.sidecar_name(path), "score")
    if not is_version(trace.get("windtunnel_trace", 0), 0, TRACE_FORMAT_VERSION):
        raise UnreadableRunError("trace of another version")
    scenario, label = trace.get("scenario_id"), trace.get("variant_id")
    if not isinstance(scenario, str) or not isinstance(label, str):
        raise UnreadableRunError("trace without scenario and label")
    if not isinstance(trace.get("turns"), list):
        raise UnreadableRunError("trace without turns")
    try:
        score = score_from_dict(sidecar)
    except ScoreFormatError as error:
        raise UnreadableRunError(f"score: {error}") from error
    gates = _gate_layers(sidecar)
    return SavedRun(
        path=path,
        run_id=text(trace.get("run_id")) or "",
        scenario=scenario,
        label=label,
        started_at=text(trace.get("started_at")) or "",
        verdict=run_verdict(score, gates),
        metrics=score.metrics,
        diagnostic_failures=_diagnostic_failures(score, gates),
        risk_weight=float(score.failure_cost.risk_weight),
        is_probe=_is_probe(trace.get("worker_warnings")),
        origin=text(within(sidecar.get("origin")).get("kind")),
    )


def _object(path: str, what: str) -> dict[str, Any]:
    try:
        found = json.loads(files.read_regular(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableRunError(f"{what} is not JSON") from error
    except OSError as error:
        raise UnreadableRunError(f"{what}: {error.strerror or error}") from error
    if not isinstance(found, dict):
        raise UnreadableRunError(f"{what} is not an object")
    return found


def _gate_layers(sidecar: Mapping[str, Any]) -> tuple[GateLayer, ...]:
    """Return the layers that decide; all of them where the file does not say it in a known way."""
    for said in (sidecar.get("gate_layers"), within(sidecar.get("scenario")).get("gate_layers")):
        if isinstance(said, list) and all(name in GATE_LAYER_ORDER for name in said):
            return tuple(layer for layer in GATE_LAYER_ORDER if layer in said)
    return GATE_LAYER_ORDER


def _diagnostic_failures(score: Score, gates: tuple[GateLayer, ...]) -> tuple[str, ...]:
    others = (layer for layer in GATE_LAYER_ORDER if layer not in gates)
    return tuple(layer for layer in others if not score.layer(layer).passed)


def _is_probe(warnings: object) -> bool:
    if not isinstance(warnings, list):
        return False
    return any(isinstance(one, str) and one.startswith(REPLAYED) for one in warnings)
