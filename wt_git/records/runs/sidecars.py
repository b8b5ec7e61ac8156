"""The score sidecar beside each trace: how it is written and read (docs/files.md, "Score sidecars")."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from wt_git.api.score import (
    GATE_LAYER_ORDER,
    SCORE_LAYER_ORDER,
    FailureCost,
    ScoreFormatError,
    SeverityLevel,
    score_from_dict,
    score_to_dict,
)
from wt_git.decoding import DecodingError, convert, decode, json_object, within
from wt_git.records import layout
from wt_git.records.record import encodable
from wt_git.records.runs.run_files import UnreadableRunError, whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import GateLayer, Score

RunVerdict: TypeAlias = Literal["PASS", "FAIL", "INVALID"]

RESCORED, REPLAYED = "rescore", "replay"
"""Origins of scores that `wt run` did not make; `selftest` is another one."""

NOT_FLIGHTS = ("selftest", REPLAYED)
"""Origins of scores that say nothing about how an agent did on a scenario."""


_ALL_LAYERS = list(GATE_LAYER_ORDER)
_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
_MetricName = Annotated[str, msgspec.Meta(pattern=r"\S")]


class LayerFacts(msgspec.Struct, frozen=True):
    """A layer of a score."""

    passed: bool
    detail: str = ""
    metrics: dict[_MetricName, bool | int | float | str] = {}


class CostFacts(msgspec.Struct, frozen=True):
    """The cost of a failure."""

    severity: SeverityLevel
    customer_visible: bool
    reversible: bool
    side_effect_performed: bool


class ScoreFacts(msgspec.Struct, frozen=True):
    """The four layers."""

    outcome: LayerFacts
    trajectory: LayerFacts
    constraint: LayerFacts
    integrity: LayerFacts
    failure_cost: CostFacts

    @property
    def risk_weight(self) -> float:
        """The weight of a failure."""
        return _risk_weight(self.failure_cost)

    @property
    def metrics(self) -> dict[str, bool | int | float | str]:
        """The metrics of all layers, each under `<layer>.<name>`."""
        return {
            f"{layer}.{name}": value
            for layer in SCORE_LAYER_ORDER
            for name, value in getattr(self, layer).metrics.items()
        }


class SidecarFacts(msgspec.Struct, frozen=True):
    """The score in a sidecar; the last three are as the file has them."""

    windtunnel_score: Literal[2]
    score: ScoreFacts
    gate_layers: Any = None
    scenario: Any = None
    origin: Any = None


def load_score(path: str) -> SidecarFacts:
    """Read the score beside the trace at `path`. Raises `UnreadableRunError`."""
    data = whole_file(layout.sidecar_name(path), "score")
    if _HALF_A_PAIR.search(data) is None:
        with contextlib.suppress(DecodingError):
            return decode(data, SidecarFacts)
    return _older_score(data)


def _older_score(data: bytes) -> SidecarFacts:
    """Return a score of any version, or say what is wrong with it."""
    try:
        sidecar = json_object(data)
        score = encodable(score_to_dict(score_from_dict(sidecar)))
    except ScoreFormatError as error:
        raise UnreadableRunError(f"score: {error}") from error
    except DecodingError as error:
        raise UnreadableRunError(f"score {error}") from error
    return SidecarFacts(
        windtunnel_score=2,
        score=convert(score, ScoreFacts),
        **{name: sidecar.get(name) for name in ("gate_layers", "scenario", "origin")},
    )


def gate_layers(sidecar: SidecarFacts) -> tuple[GateLayer, ...]:
    """Return the layers that decide; all of them where the file does not say it in a known way."""
    for said in (sidecar.gate_layers, within(sidecar.scenario).get("gate_layers")):
        if said == _ALL_LAYERS:
            break
        if isinstance(said, list) and all(name in GATE_LAYER_ORDER for name in said):
            return tuple(layer for layer in GATE_LAYER_ORDER if layer in said)
    return GATE_LAYER_ORDER


@lru_cache(maxsize=64)
def _risk_weight(cost: CostFacts) -> float:
    return float(FailureCost(*msgspec.structs.astuple(cost)).risk_weight)


def run_verdict(score: Score | ScoreFacts, gate_layers: Sequence[GateLayer]) -> RunVerdict:
    """Return `INVALID` when integrity failed, else `PASS` or `FAIL` by the gate."""
    if not score.integrity.passed:
        return "INVALID"
    passed = all(getattr(score, layer).passed for layer in gate_layers)
    return "PASS" if passed else "FAIL"


def sidecar_document(
    score: Score, gate_layers: Sequence[GateLayer], scenario: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the sidecar of one run; `scenario` is its `scenario_block`."""
    scored = score_to_dict(score)
    verdict = run_verdict(score, gate_layers)
    return {
        **scored,
        "verdict": verdict,
        "gate_layers": list(gate_layers),
        "failure_risk": float(score.failure_cost.risk_weight) if verdict == "FAIL" else 0.0,
        "score": scored,
        "scenario": scenario,
    }


def scenario_block(scenario: Scenario) -> dict[str, Any]:
    """Return the sidecar's description of the scenario, without its callables."""
    return {
        "name": scenario.name,
        "prompt": scenario.scored_prompt,
        "user_turns": list(scenario.user_turns),
        "target_facts": [list(group) for group in scenario.target_facts],
        "requires_tool_use": scenario.requires_tool_use,
        "tags": list(scenario.tags),
        "must_call": [
            entry if isinstance(entry, str) else list(entry) for entry in scenario.must_call
        ],
        "forbidden_calls": list(scenario.forbidden_calls),
        "gate_layers": list(scenario.resolved_gate_layers()),
        "has_perturbations": bool(scenario.perturbations),
    }
