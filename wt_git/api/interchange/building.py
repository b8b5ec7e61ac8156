"""Writing a recorded conversation, for exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.interchange.conversation import INTERCHANGE_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def build_envelope(
    *,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    provider: str | None = None,
    otel_genai_mapping: str = "",
    source: Mapping[str, Any] | None = None,
    tool_definitions: Sequence[Mapping[str, Any]] | None = None,
    witnessed_calls: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the document of a `*.wtin.json` file, to be written as JSON.

    Nothing is checked: `parse_interchange` does that. Sections that are None are left out.
    """
    session = {"model": model} if provider is None else {"model": model, "provider": provider}
    envelope = {
        "windtunnel_interchange": INTERCHANGE_VERSION,
        "otel_genai_mapping": otel_genai_mapping,
        "session": session,
        "messages": messages,
        "source": source,
        "tool_definitions": tool_definitions,
        "witnessed_calls": witnessed_calls,
    }
    return {name: value for name, value in envelope.items() if value is not None}
