"""The score sidecar beside each trace (docs/files.md, "Score sidecars")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.score import score_to_dict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.score import GateLayer, Score

RunVerdict = str


def run_verdict(score: Score, gate_layers: Sequence[GateLayer]) -> RunVerdict:
    """Return `INVALID` when integrity failed, else `PASS` or `FAIL` by the gate."""
    failed = [layer for layer in gate_layers if not score.layer(layer).passed]
    return verdict_of(failed, gate_layers, integrity=score.integrity.passed)


def verdict_of(
    failed: Sequence[GateLayer], gate_layers: Sequence[GateLayer], *, integrity: bool
) -> RunVerdict:
    """Return the verdict of a run by the layers that failed, its gate, and whether integrity held."""
    if not integrity:
        return "INVALID"
    return "FAIL" if any(layer in gate_layers for layer in failed) else "PASS"


def sidecar_document(
    score: Score, gate_layers: Sequence[GateLayer], scenario: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the sidecar of one run; `scenario` is the block that describes what was scored."""
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
