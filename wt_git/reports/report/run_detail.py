"""The detail of one run: its conversation, the turn that failed, and the evidence for that. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wt_git.api.evaluators.tool_calls import evidence_label
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.api.trace import Trace, Turn
from wt_git.records.decoding import within
from wt_git.records.documents.report import DetailLayer, RunDetail
from wt_git.records.record import as_recorded, encodable
from wt_git.records.runs.sidecars import gate_layers
from wt_git.reports.report.failed_turn import (
    evidence_source,
    find_failed_turn,
    frozen_turns,
)

if TYPE_CHECKING:
    from wt_git.records.runs.saved_runs import SavedRun, SavedTrace
    from wt_git.records.runs.sidecars import LayerFacts, SidecarFacts

_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def run_detail(run: SavedRun, saved: SavedTrace, sidecar: SidecarFacts, key: str) -> RunDetail:
    """Return the detail of `run`, which the page finds under `key`."""
    gates = gate_layers(sidecar)
    trace = _trace_for_rules(saved)
    layers: dict[str, LayerFacts] = {
        name: getattr(sidecar.score, name) for name in SCORE_LAYER_ORDER
    }
    failed = find_failed_turn(trace, layers, gates, _forbidden_calls(sidecar))
    return {
        "data": key,
        "run_id": as_recorded(run.run_id),
        "path": as_recorded(run.path),
        "scenario_id": as_recorded(run.scenario),
        "label": as_recorded(run.label),
        "started_at": saved.started_at,
        "finished_at": saved.finished_at,
        "model": saved.model,
        "quant": saved.quant,
        "verdict": run.verdict,
        "layers": {
            name: DetailLayer(
                passed=layer.passed,
                detail=layer.detail,
                gate=name == "integrity" or name in gates,
                evidence=evidence_source(name, layer, trace),
            )
            for name, layer in layers.items()
        },
        "metrics": encodable(dict(run.metrics)),
        "warnings": list(saved.warnings),
        "turns": saved.turn_documents(),
        "mcp_calls": list(saved.mcp_calls),
        "failed_turn": failed.turn,
        "failed_because": failed.because,
        "evidence": evidence_label(trace),
        "frozen_turns": frozen_turns(trace),
    }


def _forbidden_calls(sidecar: SidecarFacts) -> list[str]:
    names = within(sidecar.scenario).get("forbidden_calls")
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []


def _trace_for_rules(saved: SavedTrace) -> Trace:
    """Return the trace that the rules of evidence read, whatever its age and its writer."""
    return Trace(
        scenario_id=saved.scenario,
        agent_id="",
        variant_id=saved.label,
        model=saved.model,
        quant=saved.quant,
        sampler={},
        started_at=_ANY_TIME,
        finished_at=_ANY_TIME,
        turns=[
            Turn(turn["role"], turn["content"], turn["tool_calls"], turn["tool_results"], 0.0)
            for turn in saved.turns
        ],
        tool_schema_hash=None,
        worker_warnings=list(saved.warnings),
        mcp_calls=list(saved.mcp_calls),
        run_id=saved.run_id,
    )
