"""Decodes saved runs of the present format quickly, without the turns of the conversation.

Files of other formats, and broken ones, are left to `wt_git/records/runs/saved_runs.py`, which says
what is wrong with them. About the same file the two never disagree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast

import msgspec

from wt_git.api.json_values import DEEPEST
from wt_git.api.score import SCORE_FORMAT_VERSION, SCORE_LAYER_ORDER, FailureCost
from wt_git.api.trace import TRACE_FORMAT_VERSION

if TYPE_CHECKING:
    from wt_git.api.score import SeverityLevel

Shape = TypeVar("Shape")


class TraceFacts(msgspec.Struct, frozen=True):
    """Of a trace what tables need. `turns` is their JSON, not taken apart."""

    windtunnel_trace: int
    run_id: str
    scenario_id: str
    variant_id: str
    started_at: str
    worker_warnings: list[str]
    turns: msgspec.Raw = msgspec.Raw()


class TurnFacts(TypedDict):
    """A turn as every trace of today has it."""

    role: str
    content: str
    tool_calls: list[Any]
    tool_results: list[Any]
    latency_ms: int | float
    rendered_prompt: str | None
    rendered_prompt_hash: str | None


class ConversationFacts(msgspec.Struct, frozen=True):
    """Of a trace what readers of the conversation need."""

    run_id: str
    scenario_id: str
    variant_id: str
    started_at: str
    finished_at: str
    model: str
    quant: str
    turns: list[TurnFacts]
    worker_warnings: list[str]
    mcp_calls: list[dict[str, Any]]


class LayerFacts(msgspec.Struct, frozen=True):
    """A layer of a score."""

    passed: bool
    detail: str
    metrics: dict[str, bool | int | float | str] = {}


class CostFacts(msgspec.Struct, frozen=True):
    """What a failure would cost."""

    severity: str
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
        """What a failure weighs. Raises `ValueError` for an unknown severity."""
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
    """Of a sidecar what tables need; the last three are as the file has them."""

    windtunnel_score: int
    score: ScoreFacts
    gate_layers: Any = None
    scenario: Any = None
    origin: Any = None


class _Reader(Generic[Shape]):
    def __init__(self, shape: type[Shape]) -> None:
        self._decoder = msgspec.json.Decoder(shape)

    def read(self, data: bytes) -> Shape | None:
        try:
            if not data.isascii():
                data.decode()  # what is passed over is not looked at so closely
            return self._decoder.decode(data)
        except (ValueError, RecursionError):  # msgspec's errors are values'
            return None


_TRACES = _Reader(TraceFacts)
_SIDECARS = _Reader(SidecarFacts)
_CONVERSATIONS = _Reader(ConversationFacts)
_INDENTED = b'{\n  "'
_TOO_DEEP = b"\n" + b"  " * DEEPEST


def quick_trace(data: bytes) -> TraceFacts | None:
    """Return what a trace says; None unless `data` is one of today's form."""
    trace = _TRACES.read(data)
    if trace is None or trace.windtunnel_trace != TRACE_FORMAT_VERSION:
        return None
    return trace if bytes(memoryview(trace.turns)[:1]) == b"[" else None


def quick_conversation(data: bytes) -> ConversationFacts | None:
    """Return a trace with its conversation; None unless all of it can be written as JSON.

    NaN, numbers that no float holds and halves of surrogate pairs are refused by the decoder, deep
    nesting is seen by its indentation.
    """
    if not data.startswith(_INDENTED) or _TOO_DEEP in data:
        return None
    found = _CONVERSATIONS.read(data)
    return found if found is not None and all(turn["role"] for turn in found.turns) else None


def quick_sidecar(data: bytes) -> SidecarFacts | None:
    """Return what a sidecar says; None unless `data` is one of today's form."""
    sidecar = _SIDECARS.read(data)
    if sidecar is None or sidecar.windtunnel_score != SCORE_FORMAT_VERSION:
        return None
    score = sidecar.score
    try:
        _ = score.risk_weight
    except ValueError:
        return None
    for layer in (score.outcome, score.trajectory, score.constraint, score.integrity):
        for name in layer.metrics:
            if not name.strip():
                return None
    return sidecar


@lru_cache(maxsize=64)
def _risk_weight(cost: CostFacts) -> float:
    declared = FailureCost(
        cast("SeverityLevel", cost.severity),
        cost.customer_visible,
        cost.reversible,
        cost.side_effect_performed,
    )
    return float(declared.risk_weight)
