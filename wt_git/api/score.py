"""Scores: the result of one run on each layer, and the cost of a failure.

A score has three gate layers (outcome, trajectory, constraint) that judge the agent, and integrity,
which says whether the test condition was applied. docs/writing-a-scenario.md states the rules.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, cast

from wt_git.api.document_reader import DocumentReader, shown

SCORE_FORMAT_VERSION = 2

GateLayer: TypeAlias = Literal["outcome", "trajectory", "constraint"]
SeverityLevel: TypeAlias = Literal["low", "medium", "high", "critical"]
MetricValue: TypeAlias = bool | int | float | str

GATE_LAYER_ORDER: tuple[GateLayer, ...] = ("outcome", "trajectory", "constraint")
SCORE_LAYER_ORDER: tuple[str, ...] = (*GATE_LAYER_ORDER, "integrity")


def check_gate_layers(layers: Iterable[GateLayer], owner: str = "") -> tuple[GateLayer, ...]:
    """Return `layers` as given; raises `ValueError` for unknown and repeated ones."""
    given = tuple(layers)
    unknown = [layer for layer in given if layer not in GATE_LAYER_ORDER]
    if unknown:
        known = ", ".join(GATE_LAYER_ORDER)
        raise ValueError(f"{owner}unknown gate layers {unknown!r}, expected some of {known}")
    if len(set(given)) < len(given):
        raise ValueError(f"{owner}gate_layers hold duplicates: {[*given]!r}")
    return given


def in_canonical_order(layers: Collection[GateLayer]) -> tuple[GateLayer, ...]:
    """Return gate layers in the order outcome, trajectory, constraint."""
    return tuple(layer for layer in GATE_LAYER_ORDER if layer in layers)


_SEVERITY_WEIGHT: dict[SeverityLevel, int] = {"low": 1, "medium": 4, "high": 16, "critical": 64}
_CUSTOMER_VISIBLE_WEIGHT = 2
_IRREVERSIBLE_WEIGHT = 4
_SIDE_EFFECT_WEIGHT = 8


DETAIL_WARNING = "warning: "
"""In the detail of a layer that passed: what follows is shown to the author."""


class ScoreFormatError(ValueError):
    """A stored score does not have the shape of its version."""


class Verdict(Enum):
    """The verdict on one run, as in sidecars, rows and reports."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    SKIP = "SKIP"
    INVALID = "INVALID"


def validate_metrics(metrics: Mapping[str, MetricValue]) -> dict[str, MetricValue]:
    """Return a copy of `metrics` made of plain bool, int, float and str values.

    Number types of other libraries become int or float. Raises `TypeError` for other types, and
    `ValueError` for a blank name and for NaN or an infinity.
    """
    if not isinstance(metrics, Mapping):
        raise TypeError(f"metrics must be a mapping of names to values, got {metrics!r}")
    return {_metric_name(name): _metric_value(name, value) for name, value in metrics.items()}


def _metric_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"metric names must be non-blank strings, got {name!r}")
    return name


def _metric_value(name: str, value: object) -> MetricValue:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if not isinstance(value, Real):
        raise TypeError(f"metric {name!r} must be bool, int, float, or str, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"metric {name!r} must be finite, got {value!r}")
    return number


@dataclass
class LayerResult:
    """The result of one layer: whether it passed, the reason for people, and its metrics.

    Metrics are aggregated over runs and never decide a verdict.
    """

    passed: bool
    detail: str
    metrics: Mapping[str, MetricValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.metrics = validate_metrics(self.metrics)


class BrokenCheck(LayerResult):
    """The result of a check whose own code raised, or returned what it must not.

    It says nothing about the agent: the run is INVALID.
    """


@dataclass
class FailureCost:
    """The cost of a failure of this scenario in production.

    Raises `ValueError` for an unknown severity and for a flag that is not a real boolean.
    """

    severity: SeverityLevel = "low"
    customer_visible: bool = False
    reversible: bool = True
    side_effect_performed: bool = False

    def __post_init__(self) -> None:
        if self.severity not in tuple(_SEVERITY_WEIGHT):
            known = ", ".join(_SEVERITY_WEIGHT)
            raise ValueError(f"severity must be one of {known}, got {self.severity!r}")
        for name in ("customer_visible", "reversible", "side_effect_performed"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be a boolean, got {value!r}")

    @property
    def risk_weight(self) -> int:
        """The cost as one number, 1 for the default profile and 78 for the worst."""
        return (
            _SEVERITY_WEIGHT[self.severity]
            + _CUSTOMER_VISIBLE_WEIGHT * self.customer_visible
            + _IRREVERSIBLE_WEIGHT * (not self.reversible)
            + _SIDE_EFFECT_WEIGHT * self.side_effect_performed
        )


@dataclass(init=False)
class Score:
    """All four layers of one run, with the cost that the scenario declares for a failure."""

    outcome: LayerResult
    trajectory: LayerResult
    constraint: LayerResult
    integrity: LayerResult
    failure_cost: FailureCost

    def __init__(
        self,
        outcome: LayerResult,
        trajectory: LayerResult,
        constraint: LayerResult,
        integrity: LayerResult | None = None,
        failure_cost: FailureCost | None = None,
        *,
        robustness: LayerResult | None = None,
    ) -> None:
        if integrity is not None and robustness is not None:
            raise TypeError("integrity and robustness are two names of one layer: give only one")
        given = robustness if integrity is None else integrity
        if given is None:
            raise TypeError("a Score needs its integrity layer")
        self.outcome = outcome
        self.trajectory = trajectory
        self.constraint = constraint
        self.integrity = given
        self.failure_cost = FailureCost() if failure_cost is None else failure_cost

    @property
    def robustness(self) -> LayerResult:
        """The integrity layer, under its name in version 1."""
        return self.integrity

    def layer(self, name: str) -> LayerResult:
        """Return one gate layer by name; raises `ValueError` for any other name."""
        if name not in GATE_LAYER_ORDER:
            known = ", ".join(GATE_LAYER_ORDER)
            raise ValueError(f"unknown gate layer {name!r}, expected one of {known}")
        layer: LayerResult = getattr(self, name)
        return layer

    def gate_passed(self, layers: Iterable[str]) -> bool:
        """Say whether integrity and every named gate layer passed."""
        gates = [self.layer(name).passed for name in layers]
        return self.integrity.passed and all(gates)

    @property
    def metrics(self) -> dict[str, MetricValue]:
        """The metrics of all layers, each under `<layer>.<name>`."""
        return {
            f"{layer}.{name}": value
            for layer in SCORE_LAYER_ORDER
            for name, value in getattr(self, layer).metrics.items()
        }


def merged_metrics(results: Iterable[LayerResult]) -> dict[str, MetricValue]:
    """Return the metrics of all `results`; of two with the same name the later wins."""
    return {name: value for result in results for name, value in result.metrics.items()}


def score_to_dict(score: Score) -> dict[str, Any]:
    """Return `score` as the JSON object of sidecars."""
    cost = score.failure_cost
    return {
        "windtunnel_score": SCORE_FORMAT_VERSION,
        **{name: _layer_to_dict(getattr(score, name)) for name in SCORE_LAYER_ORDER},
        "failure_cost": {
            "severity": cost.severity,
            "customer_visible": cost.customer_visible,
            "reversible": cost.reversible,
            "side_effect_performed": cost.side_effect_performed,
            "risk_weight": cost.risk_weight,
        },
    }


def _layer_to_dict(layer: LayerResult) -> dict[str, Any]:
    written: dict[str, Any] = {"passed": layer.passed, "detail": layer.detail}
    if layer.metrics:
        written["metrics"] = dict(layer.metrics)
    return written


def score_from_dict(payload: Mapping[str, Any]) -> Score:
    """Read a stored score of version 1 or 2, bare or inside a sidecar.

    Nothing is coerced: a part of another shape raises `ScoreFormatError`, which names it. The stored
    risk weight is ignored, since it follows from the other fields.
    """
    document = DocumentReader(payload, "", ScoreFormatError)
    nested = payload.get("score")
    body = (
        DocumentReader(nested, "score", ScoreFormatError)
        if isinstance(nested, Mapping)
        else document
    )
    version = _read_version(document if "windtunnel_score" in document else body)
    fourth = "integrity" if version > 1 or "integrity" in body else "robustness"
    return Score(
        _read_layer(body, "outcome"),
        _read_layer(body, "trajectory"),
        _read_layer(body, "constraint"),
        _read_layer(body, fourth),
        _read_failure_cost(body.child("failure_cost", {})),
    )


def _read_version(document: DocumentReader) -> int:
    version = document.integer("windtunnel_score", 1)
    if version not in {1, SCORE_FORMAT_VERSION}:
        raise ScoreFormatError(
            f"unsupported windtunnel_score {shown(version)}, known are 1 and {SCORE_FORMAT_VERSION}"
        )
    return version


def _read_layer(body: DocumentReader, name: str) -> LayerResult:
    layer = body.child(name)
    passed = layer.flag("passed")
    detail = layer.text("detail", "")
    metrics = layer.mapping("metrics", {})
    try:
        return LayerResult(passed, detail, metrics)
    except (TypeError, ValueError) as problem:
        raise ScoreFormatError(f"{name}: {problem}") from problem


def _read_failure_cost(stored: DocumentReader) -> FailureCost:
    try:
        return FailureCost(
            severity=cast("SeverityLevel", stored.text("severity", "low")),
            customer_visible=stored.flag("customer_visible", default=False),
            reversible=stored.flag("reversible", default=True),
            side_effect_performed=stored.flag("side_effect_performed", default=False),
        )
    except ScoreFormatError:
        raise
    except ValueError as problem:
        raise ScoreFormatError(f"failure_cost: {problem}") from problem


def error_message(error: BaseException) -> str:
    """Return the message of `error`, or the name of its type when the message is blank."""
    return str(error).strip() or type(error).__name__


def normalized_result(result: LayerResult) -> LayerResult:
    """Return `result` with a real boolean and a real string, as score files need them.

    Authored code often returns the types of a library. Raises what the conversion raises.
    """
    passed: object = result.passed
    detail: object = result.detail
    if isinstance(passed, bool) and isinstance(detail, str):
        return result
    return LayerResult(bool(passed), "" if detail is None else str(detail), result.metrics)
