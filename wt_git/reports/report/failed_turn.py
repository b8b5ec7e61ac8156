"""Finds the turn of a run that failed (docs/reports.md, "The turn that failed"). Pure.

A run fails by a layer, and a layer looks at a whole conversation. Some details of layers point to a
turn, and others do not: a call that was never made has no turn, and a policy may have looked at
anything. Then no turn is named: a wrong mark costs a reader more than a missing one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.evaluators.tool_calls import (
    UNAVAILABLE,
    evidence_label,
    observed_calls,
    transcript_names,
)
from wt_git.api.evaluators.tool_names import matches_any
from wt_git.api.replay import prefix_length

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from wt_git.api.trace import Trace
    from wt_git.records.runs.sidecars import LayerFacts

_RUNNER_ERROR_PREFIX = "runner_error: "
# How the detail of the outcome layer begins, by the last answer and by a missing tool call.
_ANSWER_DETAILS = (
    "outcome satisfied",
    "missing facts, any of each: ",
    "missing numbers: ",
    "forbidden facts asserted: ",
)
_NO_TOOLS_DETAIL = "no_tools_used: "


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
    broke = _runner_error(trace)
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
    said = [name for name in failed if pointed[name] == turn]
    return FailedTurn(turn, "; ".join(f"{name}: {layers[name].detail}" for name in said))


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


def _runner_error(trace: Trace) -> str | None:
    errors = (one for one in trace.worker_warnings if one.startswith(_RUNNER_ERROR_PREFIX))
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
