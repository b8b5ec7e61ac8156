"""The types that an agent author's functions take and return, and their form on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wt_git.runtimes.http_inject.protocol import envelope, is_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from typing import TypeAlias

    Inject: TypeAlias = Callable[["InjectRequest"], "InjectReply | Awaitable[InjectReply]"]
    Reset: TypeAlias = Callable[[], Awaitable[None] | None]
    Surface: TypeAlias = Callable[[], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call the agent made: the bare name, and the arguments as an object."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InjectRequest:
    """One user turn to answer.

    `session_id` is opaque: an unknown one begins a conversation. `timeout_s` are the seconds left
    for the answer, a little less than the bench allows, so that an agent with a deadline of its own
    can still say that it was missed. An agent may append each `ToolCall` to `calls_so_far` as it makes it: if the
    turn then raises or runs out of time, its error envelope still lists them.
    """

    session_id: str
    text: str
    timeout_s: float
    calls_so_far: list[ToolCall] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True)
class InjectReply:
    """The answer to one turn.

    `reply` is the final text for the user, `tool_calls` every call of the turn in the order made.
    `error` is set when the agent failed; only then may the reply be blank. `usage` (token counts as
    the provider reports them, with `calls` when there were several model calls) and `model` let the
    bench price the run.
    """

    reply: str = ""
    tool_calls: Sequence[ToolCall] = ()
    error: str | None = None
    usage: Mapping[str, Any] | None = None
    model: str | None = None


def reply_body(answer: object, calls_so_far: Sequence[ToolCall]) -> dict[str, Any]:
    """Return the inject response for the value that the agent's function returned.

    A value that Contract C cannot carry (another type, a blank reply without an error, arguments
    that are no JSON object) becomes an error envelope that says so and keeps the valid calls.
    """
    if not isinstance(answer, InjectReply):
        return error_body(f"inject must return an InjectReply, got {_kind(answer)}", calls_so_far)
    problem = _problem(answer)
    if problem:
        own = answer.tool_calls if isinstance(answer.tool_calls, (list, tuple)) else ()
        return error_body(problem, own or calls_so_far)
    optional: dict[str, Any] = {
        "error": answer.error,
        "usage": None if answer.usage is None else dict(answer.usage),
        "model": answer.model,
    }
    return envelope(
        reply=answer.reply,
        tool_calls=_wire_calls(answer.tool_calls),
        **{key: value for key, value in optional.items() if value is not None},
    )


def error_body(
    error: str, calls: Iterable[object], *, failure_class: str = "harness"
) -> dict[str, Any]:
    """Return the inject response of a failed turn, with those of `calls` that are valid.

    `failure_class` is a word of docs/failure-classes.md; by default the agent's own code is at fault.
    """
    return envelope(
        reply="", tool_calls=_wire_calls(calls), error=error, failure_class=failure_class
    )


def _problem(answer: InjectReply) -> str | None:
    """Return the reason why Contract C cannot carry `answer`, or None."""
    calls, problem = answer.tool_calls, None
    if not isinstance(answer.reply, str):
        problem = f"reply must be a string, got {_kind(answer.reply)}"
    elif answer.error is not None and not is_text(answer.error):
        problem = f"error must be None or a non-empty string, got {answer.error!r:.200}"
    elif answer.error is None and not answer.reply.strip():
        problem = "the agent answered nothing: reply is blank and error is not set"
    elif not isinstance(calls, (list, tuple)):
        problem = f"tool_calls must be a list or tuple, got {_kind(calls)}"
    elif wrong := [place for place, call in enumerate(calls) if not _is_call(call)]:
        problem = (
            f"tool_calls[{wrong[0]}] must be a ToolCall with a name and arguments that are "
            f"a JSON object, got {calls[wrong[0]]!r:.200}"
        )
    elif answer.usage is not None and not _is_object(answer.usage):
        problem = "usage must be None or a JSON object"
    elif answer.model is not None and not isinstance(answer.model, str):
        problem = f"model must be None or a string, got {_kind(answer.model)}"
    return problem


def _wire_calls(calls: Iterable[object]) -> list[dict[str, Any]]:
    return [
        {"name": call.name, "arguments": dict(call.arguments)}
        for call in calls
        if isinstance(call, ToolCall) and _is_call(call)
    ]


def _is_call(call: object) -> bool:
    return isinstance(call, ToolCall) and is_text(call.name) and _is_object(call.arguments)


def _is_object(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
