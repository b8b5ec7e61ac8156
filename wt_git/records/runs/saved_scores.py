"""The score beside a trace, as it is read back, of any version."""

from __future__ import annotations

import contextlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from wt_git import files
from wt_git.api.score import (
    GATE_LAYER_ORDER,
    SCORE_FORMAT_VERSION,
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
from wt_git.records.runs.run_files import HALF_A_PAIR, UnreadableRunError, whole_file
from wt_git.records.runs.sidecars import run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import GateLayer
    from wt_git.records.runs.sidecars import RunVerdict

_ALL_LAYERS = list(GATE_LAYER_ORDER)
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
    if not HALF_A_PAIR.search(data):
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


class SavedScore(msgspec.Struct, frozen=True, kw_only=True):
    """A score, the layers that decided its verdict, and its origin, if that was not `wt run`."""

    score: ScoreFacts
    gate_layers: tuple[GateLayer, ...]
    origin: Mapping[str, Any]

    @property
    def verdict(self) -> RunVerdict:
        """The verdict of its layers by its own gate."""
        return run_verdict(self.score, self.gate_layers)


class UnreadableScoreError(ValueError):
    """The score beside a trace cannot be read by this version.

    `is_newer`: a later version of this program wrote it.
    """

    def __init__(self, message: str, *, is_newer: bool) -> None:
        super().__init__(message)
        self.is_newer = is_newer


def read_score(trace_path: str) -> SavedScore | None:
    """Return the score beside the trace at `trace_path`; None when there is none.

    Raises `UnreadableScoreError`.
    """
    try:
        found = load_score(trace_path)
    except UnreadableRunError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise UnreadableScoreError(str(error), is_newer=_is_newer(trace_path)) from error
    return SavedScore(
        score=found.score, gate_layers=gate_layers(found), origin=within(found.origin)
    )


def _is_newer(trace_path: str) -> bool:
    try:
        found = within(json.loads(files.read_regular(layout.sidecar_name(trace_path))))
    except (OSError, ValueError, RecursionError):
        return False
    said = found.get("windtunnel_score", within(found.get("score")).get("windtunnel_score"))
    return type(said) is int and said > SCORE_FORMAT_VERSION
