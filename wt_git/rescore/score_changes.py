"""What scoring a trace again changed: the old score and the new one make the entry. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.records.documents.rescore import (
    LayerChange,
    MetricValues,
    Rescored,
    Verdicts,
)
from wt_git.records.runs.sidecars import run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.score import GateLayer, LayerResult, MetricValue, Score
    from wt_git.records.documents.rescore import Passed
    from wt_git.records.runs.saved_scores import SavedScore
    from wt_git.records.runs.sidecars import LayerFacts

UNKNOWN: Literal["UNKNOWN"] = "UNKNOWN"


class TraceIdentity(NamedTuple):
    """Where a trace stands, and what it says that it is."""

    trace: str
    scenario_id: str
    label: str
    run_id: str


def score_change(
    identity: TraceIdentity,
    old: SavedScore | None,
    new: Score,
    gate_layers: Sequence[GateLayer],
    *,
    written: bool,
) -> Rescored:
    """Return what `new`, judged by `gate_layers`, makes of a trace that was scored `old`.

    Nothing changes where nothing was known.
    """
    before = UNKNOWN if old is None else old.verdict
    verdict = Verdicts(old=before, new=run_verdict(new, gate_layers))
    layers = {
        name: _layer(None if old is None else getattr(old.score, name), getattr(new, name))
        for name in SCORE_LAYER_ORDER
    }
    metrics = MetricValues(old=None if old is None else old.score.metrics, new=new.metrics)
    return Rescored(
        **identity._asdict(),
        changed=_differs(verdict.old, verdict.new) or any(one.changed for one in layers.values()),
        verdict=verdict,
        layers=layers,
        metrics=metrics,
        metrics_changed=old is not None and _typed(old.score.metrics) != _typed(new.metrics),
        written=written,
    )


def _layer(old: LayerFacts | None, new: LayerResult) -> LayerChange:
    before, now = _said(old), _said(new)
    return LayerChange(
        old=before,
        new=now,
        changed=_differs(before, now),
        old_detail=None if old is None else old.detail,
        detail=new.detail,
    )


def _said(layer: LayerFacts | LayerResult | None) -> Passed:
    if layer is None:
        return UNKNOWN
    return "PASS" if layer.passed else "FAIL"


def _differs(old: str, new: str) -> bool:
    return old not in (UNKNOWN, new)


def _typed(metrics: Mapping[str, MetricValue]) -> dict[str, tuple[type, MetricValue]]:
    """Return the metrics so that 1, 1.0 and True, which JSON tells apart, are three values."""
    return {name: (type(value), value) for name, value in metrics.items()}
