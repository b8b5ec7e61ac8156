"""The detail of one run: its transcript, the failed turn, and the evidence of its layers.

docs/reports.md, "The turn that failed", states the rules.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.replay import prefix_length
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.api.tool_calls import (
    UNAVAILABLE,
    evidence_label,
    matches_any,
    observed_calls,
    transcript_names,
)
from wt_git.api.trace import Trace, Turn
from wt_git.decoding import within
from wt_git.records.documents.report import DetailLayer, RunDetail
from wt_git.records.record import as_recorded
from wt_git.records.runs.saved_scores import gate_layers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from wt_git.records.runs.saved_runs import SavedRun, SavedTrace
    from wt_git.records.runs.saved_scores import LayerFacts, SidecarFacts

_RUNNER_ERROR_PREFIX = "runner_error: "
# How the detail of the outcome layer begins, by the last answer and by a missing tool call.
_ANSWER_DETAILS = (
    "outcome satisfied",
    "missing facts, any of each: ",
    "missing numbers: ",
    "forbidden facts asserted: ",
)
_NO_TOOLS_DETAIL = "no_tools_used: "
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


class FailedTurn(NamedTuple):
    """The index of the turn that failed, None where no turn can be named; and why the run failed."""

    turn: int | None
    because: str | None


def find_failed_turn(
    trace: Trace,
    layers: Mapping[str, LayerFacts],
    gates: Sequence[str],
    forbidden_calls: Collection[str] = (),
) -> FailedTurn:
    """Return the first turn that a deciding layer points to, with the detail of that layer.

    `layers` are all four, `gates` those that decide, `forbidden_calls` are the scenario's. Replayed
    turns did not fail.
    """
    broke = _runner_error(trace.worker_warnings)
    if broke is not None:
        last = len(trace.turns) - 1
        return FailedTurn(last if last >= frozen_turns(trace) else None, f"the run broke: {broke}")
    if not layers["integrity"].passed:
        return FailedTurn(None, f"integrity: {layers['integrity'].detail}")
    failed = [name for name in gates if not layers[name].passed]
    if not failed:
        return FailedTurn(None, None)
    pointed = {name: _turn_of_layer(name, trace, layers[name], forbidden_calls) for name in failed}
    turn = min((index for index in pointed.values() if index is not None), default=None)
    named = [name for name in failed if pointed[name] == turn]
    return FailedTurn(turn, "; ".join(f"{name}: {layers[name].detail}" for name in named))


def frozen_turns(trace: Trace) -> int:
    """Return the number of replayed turns at the beginning of the trace."""
    return min(prefix_length(trace), len(trace.turns))


def evidence_source(name: str, layer: LayerFacts, trace: Trace) -> str | None:
    """Return the evidence of a layer; None where the author's code may have read anything."""
    if name == "integrity":
        return "the warnings of the run"
    if name == "trajectory" or layer.detail.startswith(_NO_TOOLS_DETAIL):
        return evidence_label(trace)
    if name == "outcome" and layer.detail.startswith(_ANSWER_DETAILS):
        return "the last answer"
    return None


def _runner_error(warnings: Sequence[str]) -> str | None:
    errors = (one for one in warnings if one.startswith(_RUNNER_ERROR_PREFIX))
    return next((one.removeprefix(_RUNNER_ERROR_PREFIX) for one in errors), None)


def _turn_of_layer(
    name: str, trace: Trace, layer: LayerFacts, forbidden: Collection[str]
) -> int | None:
    match name:
        case "outcome":
            return None if layer.detail.startswith(_NO_TOOLS_DETAIL) else _last_answer_turn(trace)
        case "trajectory":
            return _forbidden_call_turn(trace, forbidden)
        case _:
            return _named_call_turn(trace, layer.detail)


def _last_answer_turn(trace: Trace) -> int | None:
    answers = [index for index in _live_turns(trace) if trace.turns[index].role == "assistant"]
    return answers[-1] if answers else None


def _forbidden_call_turn(trace: Trace, forbidden: Collection[str]) -> int | None:
    """Return the turn of the first forbidden call that counts.

    Tool servers do not know of turns. A call that only they recorded has a turn only where the
    agent had a single one.
    """
    view = replace(trace, turns=[trace.turns[index] for index in _live_turns(trace)])
    seen = [name for name in observed_calls(view).names if matches_any(forbidden, name)]
    if not seen:
        return None
    in_transcript = [
        index for index, name in _transcript_calls(trace) if matches_any(forbidden, name)
    ]
    if in_transcript:
        return in_transcript[0]
    answers = [index for index in _live_turns(trace) if trace.turns[index].role == "assistant"]
    return answers[0] if len(answers) == 1 else None


def _named_call_turn(trace: Trace, detail: str) -> int | None:
    """Return the turn of the call that a policy names, if it names one call that was made once."""
    if evidence_label(trace) == UNAVAILABLE:
        return None
    named: dict[str, set[int]] = {}
    for index, name in _transcript_calls(trace):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", detail):
            named.setdefault(name, set()).add(index)
    if len(named) != 1:
        return None
    (turns,) = named.values()
    return turns.pop() if len(turns) == 1 else None


def _transcript_calls(trace: Trace) -> Iterator[tuple[int, str]]:
    """Yield the turn and the name of each live call in the transcript, in order."""
    for index in _live_turns(trace):
        for name in transcript_names(replace(trace, turns=[trace.turns[index]])):
            yield index, name


def _live_turns(trace: Trace) -> range:
    return range(frozen_turns(trace), len(trace.turns))


def run_detail(run: SavedRun, saved: SavedTrace, sidecar: SidecarFacts, key: str) -> RunDetail:
    """Return the detail of `run`, which the page finds under `key`."""
    gates = gate_layers(sidecar)
    trace = _trace_for_rules(run, saved)
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
        "metrics": dict(run.metrics),
        "warnings": list(saved.warnings),
        "turns": saved.turn_documents(),
        "mcp_calls": list(saved.mcp_calls),
        "failed_turn": failed.turn,
        "failed_because": failed.because,
        "evidence": evidence_label(trace),
        "frozen_turns": min(prefix_length(trace), len(saved.turns)),
    }


def _forbidden_calls(sidecar: SidecarFacts) -> list[str]:
    names = within(sidecar.scenario).get("forbidden_calls")
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []


def _trace_for_rules(run: SavedRun, saved: SavedTrace) -> Trace:
    """Return the trace that the rules of evidence read; the turns of a run that passed are not."""
    has_failed = run.verdict != "PASS" or _runner_error(saved.warnings) is not None
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
            for turn in (saved.turns if has_failed else ())
        ],
        tool_schema_hash=None,
        worker_warnings=list(saved.warnings),
        mcp_calls=list(saved.mcp_calls),
        run_id=saved.run_id,
    )
