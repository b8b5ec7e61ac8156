"""The parts of a recorded conversation, and the document that exporters write.

docs/importing.md, "The envelope".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INTERCHANGE_VERSION = 1


class InterchangeFormatError(ValueError):
    """A document is no conversation that this version can read; the message names the place."""


@dataclass(frozen=True)
class TextPart:
    """A text."""

    content: str


@dataclass(frozen=True)
class ToolCallPart:
    """A tool call of the agent. Its response has the same `id`."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class ToolCallResponsePart:
    """The result of the call with this `id`: any JSON value."""

    id: str
    response: Any


InterchangePart: TypeAlias = TextPart | ToolCallPart | ToolCallResponsePart
"""One part of a message."""


@dataclass(frozen=True)
class InterchangeMessage:
    """One message. `role` is `user`, `assistant`, `tool`, `system` or another word of the source."""

    role: str
    parts: tuple[InterchangePart, ...]

    def text_content(self) -> str:
        """Return the text parts, joined by line breaks."""
        return "\n".join(part.content for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True)
class InterchangeToolDefinition:
    """A tool that the agent was offered, as far as the source recorded it."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] | None = None
    result_schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class InterchangeWitnessedCall:
    """A call that the tool's side recorded, which is better evidence than the conversation."""

    tool_name: str
    args: dict[str, Any]
    result: Any


@dataclass(frozen=True)
class InterchangeTrace:
    """One recorded conversation.

    `otel_genai_mapping` names the exporter's revision of the semantic conventions and is not
    interpreted. `session` has at least the `model`. None in one of the last three fields means that
    the source did not record it; an empty tuple means that there was none.
    """

    windtunnel_interchange: int
    otel_genai_mapping: str
    session: dict[str, Any]
    messages: tuple[InterchangeMessage, ...]
    source: dict[str, Any] | None = None
    tool_definitions: tuple[InterchangeToolDefinition, ...] | None = None
    witnessed_calls: tuple[InterchangeWitnessedCall, ...] | None = None

    @property
    def model(self) -> str:
        """The model of the session."""
        return str(self.session["model"])

    @property
    def source_ref(self) -> str | None:
        """The reference in `source.ref`, None unless it is a non-empty string."""
        ref = (self.source or {}).get("ref")
        return ref if isinstance(ref, str) and ref else None


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
