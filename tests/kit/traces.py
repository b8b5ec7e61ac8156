"""Traces and scores for tests: small ones to hold in the hand, and any that could be saved."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from wt_git.api.score import FailureCost, LayerResult, Score
from wt_git.api.trace import Trace, Turn

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NOON = datetime(2026, 1, 2, 12, 0, 0, 123456, tzinfo=UTC)


def user(text: str = "How many?") -> Turn:
    """A user turn."""
    return Turn("user", text, [], [], 0.0)


def assistant(text: str = "75 orders.", *calls: Any) -> Turn:
    """An assistant turn with the given tool calls."""
    return Turn("assistant", text, list(calls), [], 12.5)


def a_trace(*turns: Turn, **changes: Any) -> Trace:
    """A trace with everything required filled in."""
    required = {
        "scenario_id": "lookup_order",
        "agent_id": "agent",
        "variant_id": "baseline",
        "model": "some-model",
        "quant": "q4",
        "sampler": {"temperature": 0.2},
        "started_at": NOON,
        "finished_at": NOON,
        "turns": list(turns),
        "tool_schema_hash": None,
        "run_id": "abcd1234-0000-4000-8000-000000000000",
    }
    return Trace(**(required | changes))


def a_score(
    *,
    outcome: bool = True,
    trajectory: bool = True,
    constraint: bool = True,
    integrity: bool = True,
    cost: FailureCost | None = None,
    **metrics: Any,
) -> Score:
    """A score whose layers passed unless said otherwise; metrics belong to the outcome."""
    return Score(
        LayerResult(outcome, "outcome", metrics),
        LayerResult(trajectory, "trajectory"),
        LayerResult(constraint, "constraint"),
        LayerResult(integrity, "integrity"),
        cost,
    )


@cache
def texts() -> SearchStrategy[str]:
    """Any text that an agent may send, lone surrogates included.

    A low surrogate right after a high one is left out: in JSON the two are one character.
    """
    return st.text().filter(lambda text: text == _joined(text))


def _joined(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@cache
def json_values() -> SearchStrategy[Any]:
    """Anything that JSON can hold and give back unchanged."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts()
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
        max_leaves=6,
    )


@cache
def json_objects() -> SearchStrategy[dict[str, Any]]:
    """Any JSON object."""
    return st.dictionaries(texts(), json_values(), max_size=3)


@cache
def tool_calls() -> SearchStrategy[Any]:
    """Calls in each shape that agents send: OpenAI's, flat, and anything else."""
    arguments = texts() | json_objects()
    nested = st.fixed_dictionaries({"name": texts(), "arguments": arguments})
    openai = st.fixed_dictionaries({"id": texts(), "type": st.just("function"), "function": nested})
    flat = st.fixed_dictionaries({"id": texts(), "name": texts(), "args": arguments})
    return openai | flat | json_values()


@cache
def turns() -> SearchStrategy[Turn]:
    """Any turn."""
    return st.builds(
        Turn,
        role=st.sampled_from(["user", "assistant", "tool", "system"]) | texts(),
        content=texts(),
        tool_calls=st.lists(tool_calls(), max_size=3),
        tool_results=st.lists(json_objects(), max_size=2),
        latency_ms=st.floats(min_value=0, allow_nan=False, allow_infinity=False),
        rendered_prompt=st.none() | texts(),
    )


@cache
def traces() -> SearchStrategy[Trace]:
    """Any trace that a run can leave."""
    moments = st.datetimes(timezones=st.just(UTC))
    return st.builds(
        Trace,
        scenario_id=texts(),
        agent_id=texts(),
        variant_id=texts(),
        model=texts(),
        quant=texts(),
        sampler=json_objects(),
        started_at=moments,
        finished_at=moments,
        turns=st.lists(turns(), max_size=3),
        tool_schema_hash=st.none() | texts(),
        worker_warnings=st.lists(texts(), max_size=3),
        mcp_calls=st.lists(json_objects(), max_size=3),
        observations=json_objects(),
        surface=st.none() | json_objects(),
        usage=st.none() | json_objects(),
        model_calls=st.none() | st.lists(json_objects(), max_size=2),
        run_id=texts(),
    )
