"""One run with its conversation, the turn that failed, and what that rests on. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from wt_git.api.evaluators.tool_calls import evidence_label
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.api.trace import Trace, Turn
from wt_git.records.decoding import within
from wt_git.records.documents.report import DetailLayer, RunDetail
from wt_git.records.runs.saved_runs import gate_layers
from wt_git.reports.report.failed_turn import (
    LayerResult,
    evidence_source,
    find_failed_turn,
    frozen_turns,
)

if TYPE_CHECKING:
    from wt_git.records.runs.fast_decode import SidecarFacts
    from wt_git.records.runs.saved_runs import SavedRun, SavedTrace

_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def run_detail(run: SavedRun, saved: SavedTrace, score: SidecarFacts, key: str) -> RunDetail:
    """Return the detail of `run` under `key`."""
    trace = _trace_for_rules(saved)
    gates = gate_layers(score)
    layers = {name: _layer_result(score, name) for name in SCORE_LAYER_ORDER}
    failed = find_failed_turn(trace, layers, gates, _forbidden_calls(score))
    return RunDetail(
        data=key,
        run_id=run.run_id,
        path=run.path,
        scenario_id=run.scenario,
        label=run.label,
        started_at=saved.started_at,
        finished_at=saved.finished_at,
        model=saved.model,
        quant=saved.quant,
        verdict=run.verdict,
        layers={
            name: DetailLayer(
                passed=layer.passed,
                detail=layer.detail,
                gate=name == "integrity" or name in gates,
                evidence=evidence_source(name, layer, trace),
            )
            for name, layer in layers.items()
        },
        metrics=dict(run.metrics),
        warnings=list(saved.warnings),
        turns=list(saved.turns),
        mcp_calls=list(saved.mcp_calls),
        failed_turn=failed.turn,
        failed_because=failed.because,
        evidence=evidence_label(trace),
        frozen_turns=frozen_turns(trace),
    )


def _layer_result(score: SidecarFacts, name: str) -> LayerResult:
    layer = getattr(score.score, name)
    return LayerResult(layer.passed, layer.detail)


def _forbidden_calls(score: SidecarFacts) -> list[str]:
    said = within(score.scenario).get("forbidden_calls")
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def _trace_for_rules(saved: SavedTrace) -> Trace:
    """Return what evidence rules need of a trace, which may be of an age or a writer of its own."""
    return Trace(
        scenario_id=saved.scenario,
        agent_id="",
        variant_id=saved.label,
        model=saved.model,
        quant=saved.quant,
        sampler={},
        started_at=_ANY_TIME,
        finished_at=_ANY_TIME,
        turns=[_turn(turn) for turn in saved.turns],
        tool_schema_hash=None,
        worker_warnings=list(saved.warnings),
        mcp_calls=list(saved.mcp_calls),
        run_id=saved.run_id,
    )


def _turn(turn: dict[str, Any]) -> Turn:
    return Turn(
        turn["role"],
        turn["content"],
        turn["tool_calls"],
        turn["tool_results"],
        turn["latency_ms"],
    )
