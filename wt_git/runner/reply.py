"""Reading one response of an agent; docs/writing-a-runtime.md, "What send returns"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.runner.safe_values import json_with_reprs, safe_text
from wt_git.spi.agent_runtime import content_text, response_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


class Reply(NamedTuple):
    """One assistant turn as the runtime reported it, ready for the trace."""

    content: str
    tool_calls: list[dict[str, Any]]
    tool_results: list[dict[str, Any]]
    rendered_prompt: str | None
    model: str | None
    usage: Any
    warnings: list[str]


def read_reply(response: Mapping[str, Any]) -> Reply:
    """Return the content of a response in any accepted shape.

    Raises `TypeError`, naming the type found, for a response that is no object and for tool calls
    that are no list.
    """
    message = response_message(response)
    calls = _tool_calls(message.get("tool_calls"))
    model, rendered = response.get("model"), response.get("rendered_prompt")
    warnings: list[str] = []
    quoted = [
        quoted_warning(safe_text(warning))
        for warning in _listed(response, "worker_warnings", warnings)
    ]
    results = [json_with_reprs(one) for one in _listed(response, "tool_results", warnings)]
    return Reply(
        content_text(message.get("content")),
        calls,
        [one if isinstance(one, dict) else {"result": one} for one in results],
        rendered if isinstance(rendered, str) else None,
        model if isinstance(model, str) and model else None,
        response.get("usage"),
        quoted + warnings,
    )


def _tool_calls(calls: object) -> list[dict[str, Any]]:
    if not calls:
        return []
    if not isinstance(calls, (list, tuple)):
        raise TypeError(f"tool_calls is {type(calls).__name__}; it must be a list")
    copied = json_with_reprs(calls)
    if not isinstance(copied, list):
        raise TypeError("tool_calls contains itself; it must be JSON data")
    return copied


def _listed(response: Mapping[str, Any], key: str, warnings: list[str]) -> Sequence[object]:
    """Return the list under `key`; one of another type adds a warning and counts as empty."""
    value = response.get(key)
    if value is None or isinstance(value, (list, tuple)):
        return value or ()
    warnings.append(f"runtime_warning_shape: {key} must be a list, got {type(value).__name__}")
    return ()


def quoted_warning(text: str) -> str:
    """Return a runtime's warning such that it cannot be mistaken for one of the product's own."""
    return f"runtime_warning: {text}" if text.startswith(RESERVED_WARNINGS) else text
