"""The score sidecar beside each trace, as it is written (docs/files.md, "Score sidecars")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from wt_git.api.score import score_to_dict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import GateLayer, Score

RunVerdict: TypeAlias = Literal["PASS", "FAIL", "INVALID"]

RESCORED, REPLAYED = "rescore", "replay"
"""Origins of scores that `wt run` did not make; `selftest` is another one."""

NOT_FLIGHTS = ("selftest", REPLAYED)
"""Origins of scores that say nothing about how an agent did on a scenario."""


class Layer(Protocol):
    """A layer of a score."""

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        ...


class Scored(Protocol):
    """A score; the gate layers are attributes beside integrity."""

    @property
    def integrity(self) -> Layer:
        """The layer without which a run is invalid."""
        ...


def run_verdict(score: Scored, gate_layers: Sequence[GateLayer]) -> RunVerdict:
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
            list(map(_tool_name, entry)) if isinstance(entry, list | tuple) else _tool_name(entry)
            for entry in scenario.must_call
        ],
        "forbidden_calls": list(scenario.forbidden_calls),
        "gate_layers": list(scenario.resolved_gate_layers()),
        "has_perturbations": bool(scenario.perturbations),
    }


def _tool_name(wanted: object) -> str:
    """Return the name of a tool that must be called; the arguments of a `Call` are not kept."""
    return str(getattr(wanted, "name", wanted))
