"""Saved runs: the facts that tables need of a trace and its sidecar, and the whole conversation."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

import msgspec

from wt_git.api.json_values import DEEPEST, json_value
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.api.trace import TRACE_FORMAT_VERSION
from wt_git.decoding import DecodingError, convert, decode, is_version, json_object, within
from wt_git.records.record import encodable
from wt_git.records.runs.run_files import (
    HALF_A_PAIR,
    RunIdentity,
    UnreadableRunError,
    begin_of,
    identity_of,
    is_all,
    whole_file,
)
from wt_git.records.runs.saved_scores import gate_layers, load_score
from wt_git.records.runs.sidecars import run_verdict
from wt_git.run_errors import run_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import MetricValue

REPLAY_PREFIX = "replay_prefix:"
"""How the warning of a run begins in which only the last part is live."""


class SavedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A scored run. `verdict` follows from its layers and gate, `origin` says how it was scored.

    `diagnostic_failures` are those of the `failed_layers` that do not gate. `risk_weight` is the weight
    of a failure, as the author of the scenario declared it.
    """

    path: str
    run_id: str
    scenario: str
    label: str
    started_at: str
    verdict: str
    metrics: Mapping[str, MetricValue]
    failed_layers: tuple[str, ...]
    diagnostic_failures: tuple[str, ...]
    risk_weight: float
    is_probe: bool
    origin: str | None
    failure_class: str | None = None


class TraceFacts(NamedTuple):
    """The facts of a trace that tables need; `is_current`: it has the version of this program.

    `failure_class` is that of the run's error, None without one.
    """

    identity: RunIdentity
    started_at: str
    is_probe: bool
    is_current: bool
    failure_class: str | None = None


class Seen(NamedTuple):
    """The result of a look at a trace: its identity, and all facts where they came along.

    None where the look does not show it.
    """

    identity: RunIdentity | None
    trace: TraceFacts | None


def look_at(path: str) -> Seen:
    """Look at the file at `path`, which may be no trace, or one that cannot be read."""
    begin = begin_of(path)
    if is_all(begin):
        with contextlib.suppress(UnreadableRunError):
            trace = _trace_facts(begin)
            return Seen(trace.identity if trace.is_current else identity_of(begin), trace)
    return Seen(identity_of(begin), None)


def load_run(path: str, trace: TraceFacts | None = None) -> SavedRun:
    """Read the run with its trace at `path`, and the score beside it.

    `trace` is the result of a look at it. Raises `UnreadableRunError`, which says what is wrong with
    which of the two.
    """
    if trace is None:
        trace = _trace_facts(whole_file(path, "trace"))
    sidecar = load_score(path)
    score = sidecar.score
    gates = gate_layers(sidecar)
    failed = tuple(layer for layer in SCORE_LAYER_ORDER if not getattr(score, layer).passed)
    origin = within(sidecar.origin).get("kind")
    return SavedRun(
        path=path,
        run_id=trace.identity.run_id,
        scenario=trace.identity.scenario,
        label=trace.identity.label,
        started_at=trace.started_at,
        verdict=run_verdict(score, gates),
        metrics=score.metrics,
        failed_layers=failed,
        diagnostic_failures=tuple(
            layer for layer in failed if layer not in gates and layer != "integrity"
        ),
        risk_weight=score.risk_weight,
        is_probe=trace.is_probe,
        failure_class=trace.failure_class,
        origin=origin if isinstance(origin, str) else None,
    )


class _Unread(msgspec.Struct):
    """A turn that is passed over."""


class _Trace(msgspec.Struct):
    windtunnel_trace: Any = 0
    run_id: str = ""
    scenario_id: str | None = None
    variant_id: str | None = None
    started_at: str = ""
    worker_warnings: list[str] = []
    turns: list[_Unread] | None = None


def _trace_facts(data: bytes) -> TraceFacts:
    """Return the facts of a trace of any age. Raises `UnreadableRunError`."""
    try:
        trace = decode(data, _Trace, lenient=True)
    except DecodingError as error:
        raise UnreadableRunError(f"trace {error}") from error
    if not is_version(trace.windtunnel_trace, 0, TRACE_FORMAT_VERSION):
        raise UnreadableRunError("trace of another version")
    if trace.scenario_id is None or trace.variant_id is None:
        raise UnreadableRunError("trace without scenario and label")
    if trace.turns is None:
        raise UnreadableRunError("trace without turns")
    return TraceFacts(
        RunIdentity(trace.run_id, trace.scenario_id, trace.variant_id),
        trace.started_at,
        any(one.startswith(REPLAY_PREFIX) for one in trace.worker_warnings),
        trace.windtunnel_trace == TRACE_FORMAT_VERSION,
        run_class(trace.worker_warnings),
    )


_INDENTED = b'{\n  "'
_TOO_DEEP = b"\n" + b"  " * DEEPEST


class SavedTurn(TypedDict):
    """A turn of a saved trace."""

    role: str
    content: str
    tool_calls: list[Any]
    tool_results: list[Any]
    latency_ms: int | float
    rendered_prompt: str | None
    rendered_prompt_hash: str | None


class SavedTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace; text is empty where the file has none.

    All of it can be written as JSON and encoded as UTF-8.
    """

    run_id: str = ""
    scenario: str = msgspec.field(name="scenario_id", default="")
    label: str = msgspec.field(name="variant_id", default="")
    started_at: str = ""
    finished_at: str = ""
    model: str = ""
    quant: str = ""
    turns: list[SavedTurn] = []
    warnings: list[str] = msgspec.field(name="worker_warnings", default_factory=list)
    mcp_calls: list[dict[str, Any]] = []

    def turn_documents(self) -> list[dict[str, Any]]:
        """Return the turns as JSON holds them."""
        return cast("list[dict[str, Any]]", self.turns)

    @property
    def tool_calls(self) -> int:
        """How many tool calls the agent says it made."""
        return sum(len(turn["tool_calls"]) for turn in self.turns)


def load_saved_trace(path: str) -> SavedTrace:
    """Read the trace at `path`. Raises `UnreadableRunError` where no object can be read from it."""
    data = whole_file(path, "trace")
    known = _trace_of_today(data)
    if known is not None:
        return known
    try:
        shown = json_value(json_object(data))
    except DecodingError as error:
        raise UnreadableRunError(f"trace {error}") from error
    return saved_trace(encodable(shown) if HALF_A_PAIR.search(data) else shown)


def _trace_of_today(data: bytes) -> SavedTrace | None:
    """Return a trace that needs no cleaning; None for any other.

    NaN, numbers that no float holds and halves of surrogate pairs are refused by msgspec, deep nesting
    is seen by its indentation.
    """
    if not data.startswith(_INDENTED) or _TOO_DEEP in data:
        return None
    with contextlib.suppress(ValueError, RecursionError):
        data.decode()
        found = msgspec.json.decode(data, type=SavedTrace)
        return found if all(turn["role"] for turn in found.turns) else None
    return None


def saved_trace(found: dict[str, Any]) -> SavedTrace:
    """Return the trace in a JSON object, of any age or writer."""
    turns = found.get("turns")
    shown = [_turn(one) for one in turns] if isinstance(turns, list) else []
    return convert({**found, "turns": shown}, SavedTrace, lenient=True)


def _turn(found: object) -> dict[str, Any]:
    """Return a turn; a value that is no object becomes the content of one."""
    turn = found if isinstance(found, dict) else {"content": found}
    content = turn.get("content")
    latency = turn.get("latency_ms")
    is_number = isinstance(latency, int | float) and not isinstance(latency, bool)
    return {
        "role": _text(turn.get("role")) or "unknown",
        "content": _as_text(content),
        "tool_calls": _list(turn.get("tool_calls")),
        "tool_results": _list(turn.get("tool_results")),
        "latency_ms": latency if is_number else 0.0,
        "rendered_prompt": _text(turn.get("rendered_prompt")),
        "rendered_prompt_hash": _text(turn.get("rendered_prompt_hash")),
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _as_text(value: object) -> str:
    """Return content as text; some tools send the parts of a message instead."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
