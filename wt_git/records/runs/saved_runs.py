"""Saved runs: the facts that tables need of a trace and its sidecar, and the whole conversation."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from wt_git import files
from wt_git.api.json_values import json_value
from wt_git.api.score import (
    GATE_LAYER_ORDER,
    SCORE_FORMAT_VERSION,
    SCORE_LAYER_ORDER,
    ScoreFormatError,
    score_from_dict,
)
from wt_git.api.trace import TRACE_FORMAT_VERSION
from wt_git.errors import os_reason
from wt_git.records import layout
from wt_git.records.decoding import is_version, text, within
from wt_git.records.record import as_recorded, encodable
from wt_git.records.runs.fast_decode import (
    CostFacts,
    LayerFacts,
    ScoreFacts,
    SidecarFacts,
    TraceFacts,
    quick_conversation,
    quick_sidecar,
    quick_trace,
)
from wt_git.records.runs.run_files import RunIdentity, begin_of, identity_of, is_all
from wt_git.records.runs.sidecars import run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.score import GateLayer, MetricValue

REPLAY_PREFIX = "replay_prefix:"
"""How the warning of a run begins in which only the last part is live."""

_ALL_LAYERS = list(GATE_LAYER_ORDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A scored run. `verdict` follows from its layers and gate, `origin` says how it was scored.

    `diagnostic_failures` are those of the `failed_layers` that do not gate. `risk_weight` is the weight
    of a failure, as the author of the scenario declared it.
    """

    path: str
    run_id: str
    scenario: str
    label: str
    started_at: str
    verdict: str
    metrics: Mapping[str, MetricValue]
    failed_layers: tuple[str, ...]
    diagnostic_failures: tuple[str, ...]
    risk_weight: float
    is_probe: bool
    origin: str | None


class UnreadableRunError(ValueError):
    """A trace or its score is not what its name promises."""


class Seen(NamedTuple):
    """What one look at a trace shows, None for what it does not.

    That is what the trace is about, and where that came along, all that tables need of it.
    """

    identity: RunIdentity | None
    trace: TraceFacts | None


def look_at(path: str) -> Seen:
    """Look at the file at `path`, which may be no trace, or one that cannot be read."""
    begin = begin_of(path)
    trace = quick_trace(begin) if is_all(begin) else None
    if trace is None:
        return Seen(identity_of(begin), None)
    return Seen(RunIdentity(trace.run_id, trace.scenario_id, trace.variant_id), trace)


def load_run(path: str, trace: TraceFacts | None = None) -> SavedRun:
    """Read the run whose trace is at `path`, with the score beside it.

    `trace` is what a look at it showed. Raises `UnreadableRunError`, which says what is wrong with
    which of the two.
    """
    if trace is None:
        data = all_of(path, "trace")
        trace = quick_trace(data) or _trace(data)
    sidecar = load_score(path)
    score = sidecar.score
    gates = gate_layers(sidecar)
    failed = tuple(layer for layer in SCORE_LAYER_ORDER if not getattr(score, layer).passed)
    return SavedRun(
        path=path,
        run_id=trace.run_id,
        scenario=trace.scenario_id,
        label=trace.variant_id,
        started_at=trace.started_at,
        verdict=run_verdict(score, gates),
        metrics=score.metrics,
        failed_layers=failed,
        diagnostic_failures=tuple(
            layer for layer in failed if layer not in gates and layer != "integrity"
        ),
        risk_weight=score.risk_weight,
        is_probe=any(one.startswith(REPLAY_PREFIX) for one in trace.worker_warnings),
        origin=text(within(sidecar.origin).get("kind")),
    )


def load_score(path: str) -> SidecarFacts:
    """Read the score beside the trace at `path`. Raises `UnreadableRunError`."""
    beside = layout.sidecar_name(path)
    data = all_of(beside, "score", begin_of(beside))
    return quick_sidecar(data) or _sidecar(data)


def gate_layers(sidecar: SidecarFacts) -> tuple[GateLayer, ...]:
    """Return the layers that decide; all of them where the file does not say it in a known way."""
    for said in (sidecar.gate_layers, within(sidecar.scenario).get("gate_layers")):
        if said == _ALL_LAYERS:
            break
        if isinstance(said, list) and all(name in GATE_LAYER_ORDER for name in said):
            return tuple(layer for layer in GATE_LAYER_ORDER if layer in said)
    return GATE_LAYER_ORDER


def all_of(path: str, what: str, begin: bytes = b"") -> bytes:
    """Return the bytes of the `what` at `path`, which begins with `begin`, as `begin_of` has it.

    Raises `UnreadableRunError`.
    """
    try:
        return begin if is_all(begin) else files.read_regular(path)
    except OSError as error:
        raise UnreadableRunError(f"{what}: {os_reason(error)}") from error


def json_object(data: bytes, what: str) -> dict[str, Any]:
    """Return the object that `data`, a `what`, holds as JSON. Raises `UnreadableRunError`."""
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableRunError(f"{what} is not JSON") from error
    if not isinstance(found, dict):
        raise UnreadableRunError(f"{what} is not an object")
    return found


def _trace(data: bytes) -> TraceFacts:
    """Return what a trace of any age says."""
    trace = json_object(data, "trace")
    if not is_version(trace.get("windtunnel_trace", 0), 0, TRACE_FORMAT_VERSION):
        raise UnreadableRunError("trace of another version")
    scenario, label = trace.get("scenario_id"), trace.get("variant_id")
    if not isinstance(scenario, str) or not isinstance(label, str):
        raise UnreadableRunError("trace without scenario and label")
    if not isinstance(trace.get("turns"), list):
        raise UnreadableRunError("trace without turns")
    warnings = trace.get("worker_warnings")
    return TraceFacts(
        windtunnel_trace=TRACE_FORMAT_VERSION,
        run_id=text(trace.get("run_id")) or "",
        scenario_id=scenario,
        variant_id=label,
        started_at=text(trace.get("started_at")) or "",
        worker_warnings=list(filter(text, warnings)) if isinstance(warnings, list) else [],
    )


def _sidecar(data: bytes) -> SidecarFacts:
    """Return what a sidecar of any age says."""
    sidecar = json_object(data, "score")
    try:
        score = score_from_dict(sidecar)
    except ScoreFormatError as error:
        raise UnreadableRunError(f"score: {error}") from error
    layers = {
        layer: LayerFacts(of.passed, as_recorded(of.detail), encodable(dict(of.metrics)))
        for layer in SCORE_LAYER_ORDER
        for of in [getattr(score, layer)]
    }
    cost = score.failure_cost
    return SidecarFacts(
        windtunnel_score=SCORE_FORMAT_VERSION,
        score=ScoreFacts(
            **layers,
            failure_cost=CostFacts(
                cost.severity, cost.customer_visible, cost.reversible, cost.side_effect_performed
            ),
        ),
        gate_layers=sidecar.get("gate_layers"),
        scenario=sidecar.get("scenario"),
        origin=sidecar.get("origin"),
    )


_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTrace:
    """A trace; text is empty where the file has none.

    Every turn has the keys of a `Turn`, and every call is an object. All of it can be written as
    JSON and encoded as UTF-8.
    """

    run_id: str
    scenario: str
    label: str
    started_at: str
    finished_at: str
    model: str
    quant: str
    turns: Sequence[dict[str, Any]]
    warnings: Sequence[str]
    mcp_calls: Sequence[dict[str, Any]]

    @property
    def tool_calls(self) -> int:
        """How many tool calls the agent says it made."""
        return sum(len(turn["tool_calls"]) for turn in self.turns)


def load_saved_trace(path: str) -> SavedTrace:
    """Read the trace at `path`. Raises `UnreadableRunError` where no object can be read from it."""
    data = all_of(path, "trace", begin_of(path))
    quick = quick_conversation(data)
    if quick is not None:
        return SavedTrace(
            run_id=quick.run_id,
            scenario=quick.scenario_id,
            label=quick.variant_id,
            started_at=quick.started_at,
            finished_at=quick.finished_at,
            model=quick.model,
            quant=quick.quant,
            turns=cast("list[dict[str, Any]]", quick.turns),
            warnings=quick.worker_warnings,
            mcp_calls=quick.mcp_calls,
        )
    shown = json_value(json_object(data, "trace"))
    return saved_trace(encodable(shown) if _HALF_A_PAIR.search(data) else shown)


def saved_trace(found: dict[str, Any]) -> SavedTrace:
    """Return the trace that a JSON object holds, of whatever age or writer."""
    return SavedTrace(
        run_id=_text(found.get("run_id")),
        scenario=_text(found.get("scenario_id")),
        label=_text(found.get("variant_id")),
        started_at=_text(found.get("started_at")),
        finished_at=_text(found.get("finished_at")),
        model=_text(found.get("model")),
        quant=_text(found.get("quant")),
        turns=[_turn(one) for one in _list(found.get("turns"))],
        warnings=list(filter(text, _list(found.get("worker_warnings")))),
        mcp_calls=[one for one in _list(found.get("mcp_calls")) if isinstance(one, dict)],
    )


def _turn(found: object) -> dict[str, Any]:
    """Return a turn; what is no object at all keeps its place as its text."""
    turn = found if isinstance(found, dict) else {"content": found}
    content = turn.get("content")
    latency = turn.get("latency_ms")
    is_number = isinstance(latency, int | float) and not isinstance(latency, bool)
    return {
        "role": text(turn.get("role")) or "unknown",
        "content": _as_text(content),
        "tool_calls": _list(turn.get("tool_calls")),
        "tool_results": _list(turn.get("tool_results")),
        "latency_ms": latency if is_number else 0.0,
        "rendered_prompt": text(turn.get("rendered_prompt")),
        "rendered_prompt_hash": text(turn.get("rendered_prompt_hash")),
    }


def _text(value: object) -> str:
    return text(value) or ""


def _as_text(value: object) -> str:
    """Return what stands where text belongs: parts of a message, say, which some tools send."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
