"""Reading one response of an agent; docs/writing-a-runtime.md, "What send returns"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wt_git.runner.safe_values import json_with_reprs, safe_text
from wt_git.spi.agent_runtime import content_text, response_message

if TYPE_CHECKING:
    from collections.abc import Mapping

RESERVED_WARNINGS = (
    "mcp_evidence:",
    "perturbation_applied:",
    "replay_prefix:",
    "runner_error:",
    "probe_error:",
    "surface_invalid:",
    "universe_divergence:",
    "runtime_warning_shape:",
    "hook:",
)
"""The first words of the product's own warnings; some of them decide how a run is scored."""


@dataclass(slots=True)
class Reply:
    """One assistant turn as the runtime reported it, ready for the trace."""

    content: str
    tool_calls: list[dict[str, Any]]
    tool_results: list[dict[str, Any]] = field(default_factory=list)
    rendered_prompt: str | None = None
    model: str | None = None
    usage: Any = None
    warnings: list[str] = field(default_factory=list)


def read_reply(response: Mapping[str, Any]) -> Reply:
    """Return the content of a response in any accepted shape.

    Raises `TypeError`, naming the type found, for a response that is no object and for tool calls
    that are no list.
    """
    message = response_message(response)
    content, calls = message.get("content"), message.get("tool_calls")
    model, rendered = response.get("model"), response.get("rendered_prompt")
    reply = Reply(
        content_text(content),
        _tool_calls(calls),
        rendered_prompt=rendered if isinstance(rendered, str) else None,
        model=model if isinstance(model, str) and model else None,
        usage=response.get("usage"),
        warnings=_runtime_warnings(response.get("worker_warnings")),
    )
    _add_tool_results(reply, response.get("tool_results"))
    return reply


def _tool_calls(calls: object) -> list[dict[str, Any]]:
    if not calls:
        return []
    if not isinstance(calls, (list, tuple)):
        raise TypeError(f"tool_calls is {type(calls).__name__}; it must be a list")
    copied = json_with_reprs(calls)
    if not isinstance(copied, list):
        raise TypeError("tool_calls contains itself; it must be JSON data")
    return copied


def _add_tool_results(reply: Reply, results: object) -> None:
    if results is None:
        return
    if isinstance(results, (list, tuple)):
        items = (json_with_reprs(result) for result in results)
        reply.tool_results = [i if isinstance(i, dict) else {"result": i} for i in items]
    else:
        reply.warnings.append(_wrong_shape("tool_results", results))


def _runtime_warnings(warnings: object) -> list[str]:
    if warnings is None:
        return []
    if not isinstance(warnings, (list, tuple)):
        return [_wrong_shape("worker_warnings", warnings)]
    return [quoted_warning(safe_text(warning)) for warning in warnings]


def _wrong_shape(key: str, value: object) -> str:
    return f"runtime_warning_shape: {key} must be a list, got {type(value).__name__}"


def quoted_warning(text: str) -> str:
    """Return a runtime's warning such that it cannot be mistaken for one of the product's own."""
    return f"runtime_warning: {text}" if text.startswith(RESERVED_WARNINGS) else text
