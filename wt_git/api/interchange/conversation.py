"""Recorded conversations: their parts, their document for exporters, its reading and its checks.

docs/importing.md, "The envelope" and "Checking". Unknown members are ignored; each known one must
have its type.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git.api.document_reader import DocumentReader, load_document, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

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


def load_interchange(path: Path | str) -> InterchangeTrace:
    """Return the conversation in the file at `path`.

    Raises `InterchangeFormatError`, which names the file and the place in it, for other content, and
    `OSError` when it cannot be read.
    """
    return load_document(path, parse_interchange, InterchangeFormatError)


def parse_interchange(raw: object) -> InterchangeTrace:
    """Return the conversation in a parsed document, sharing nothing with it.

    Raises `InterchangeFormatError`, which names the first wrong place, for example
    `messages[1].parts[0].id`.
    """
    envelope = DocumentReader(raw, "", InterchangeFormatError)
    version = envelope.version("windtunnel_interchange", INTERCHANGE_VERSION)
    tools = envelope.optional("tool_definitions", envelope.children)
    calls = envelope.optional("witnessed_calls", envelope.children)
    return InterchangeTrace(
        windtunnel_interchange=version,
        otel_genai_mapping=envelope.optional("otel_genai_mapping", envelope.text) or "",
        session=_session(envelope),
        messages=tuple(_message(one) for one in envelope.children("messages")),
        source=envelope.optional("source", envelope.json_object),
        tool_definitions=None if tools is None else tuple(_tool(one) for one in tools),
        witnessed_calls=None if calls is None else tuple(_witnessed(one) for one in calls),
    )


def _session(envelope: DocumentReader) -> dict[str, Any]:
    envelope.child("session").filled_text("model")
    return envelope.json_object("session")


def _message(message: DocumentReader) -> InterchangeMessage:
    role = message.filled_text("role")
    return InterchangeMessage(role, tuple(_part(one) for one in message.children("parts")))


def _part(part: DocumentReader) -> InterchangePart:
    match kind := part.anything("type") if "type" in part else None:
        case "text":
            return TextPart(part.text("content"))
        case "tool_call":
            call_id, name = part.filled_text("id"), part.filled_text("name")
            if isinstance(part.anything("arguments"), str):
                raise InterchangeFormatError(
                    f"{part.path('arguments')} must be an object, got a JSON-encoded string: decode it"
                )
            return ToolCallPart(call_id, name, part.json_object("arguments"))
        case "tool_call_response":
            return ToolCallResponsePart(part.filled_text("id"), part.json_value("response"))
        case _:
            known = ["text", "tool_call", "tool_call_response"]
            raise InterchangeFormatError(
                f"{part.path('type')} must be one of {known}, got {shown(kind)}"
            )


def _tool(tool: DocumentReader) -> InterchangeToolDefinition:
    return InterchangeToolDefinition(
        name=tool.filled_text("name"),
        description=tool.optional("description", tool.text) or "",
        input_schema=tool.optional("input_schema", tool.json_object),
        result_schema=tool.optional("result_schema", tool.json_object),
    )


def _witnessed(call: DocumentReader) -> InterchangeWitnessedCall:
    return InterchangeWitnessedCall(
        call.filled_text("tool_name"), call.json_object("args"), call.json_value("result")
    )


_CUT = ("[truncated]", "[redacted]")


def lint_interchange(envelope: object) -> list[str]:
    """Return one warning per finding, messages first, then witnessed calls.

    Findings are truncated or redacted values, which would be replayed unchanged, responses without a
    call, and tools that are defined twice. `envelope` is a parsed document or an `InterchangeTrace`.
    Raises `InterchangeFormatError` as `parse_interchange` does.
    """
    trace = envelope if isinstance(envelope, InterchangeTrace) else parse_interchange(envelope)
    return [*_of_messages(trace), *_of_witnessed_calls(trace), *_of_definitions(trace)]


def _of_messages(trace: InterchangeTrace) -> Iterator[str]:
    parts = [
        (f"messages[{at}].parts[{index}]", part)
        for at, message in enumerate(trace.messages)
        for index, part in enumerate(message.parts)
    ]
    calls = {part.id for _, part in parts if isinstance(part, ToolCallPart)}
    for place, part in parts:
        name, value = _named(part)
        yield from _cut(f"{place} ({name})", value)
        if isinstance(part, ToolCallResponsePart) and part.id not in calls:
            yield f"{place} ({name}) has no matching tool_call in the message stream"


def _named(part: InterchangePart) -> tuple[str, Any]:
    """Return the name of a part in messages, and its value."""
    match part:
        case TextPart():
            return "text", part.content
        case ToolCallPart():
            return f"tool_call {part.id!r}", part.arguments
        case ToolCallResponsePart():
            return f"tool_call_response {part.id!r}", part.response


def _of_witnessed_calls(trace: InterchangeTrace) -> Iterator[str]:
    for index, call in enumerate(trace.witnessed_calls or ()):
        place = f"witnessed_calls[{index}]"
        yield from _cut(f"{place}.args (tool {call.tool_name!r})", call.args)
        yield from _cut(f"{place}.result (tool {call.tool_name!r})", call.result)


def _of_definitions(trace: InterchangeTrace) -> Iterator[str]:
    seen = set()
    for index, tool in enumerate(trace.tool_definitions or ()):
        if tool.name in seen:
            yield f"tool_definitions[{index}] defines {tool.name!r} again; it cannot be imported so"
        seen.add(tool.name)


def _cut(place: str, value: Any) -> Iterator[str]:
    text = json.dumps(value, ensure_ascii=False).lower()
    for marker in _CUT:
        if marker in text:
            yield f"{place} contains '{marker}'"
