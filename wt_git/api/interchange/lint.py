"""What a recorded conversation lacks although it is well-formed. docs/importing.md, "Checking"."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wt_git.api.interchange.conversation import (
    InterchangeTrace,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
)
from wt_git.api.interchange.parsing import parse_interchange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.api.interchange.conversation import InterchangePart

_CUT = ("[truncated]", "[redacted]")


def lint_interchange(envelope: object) -> list[str]:
    """Return one warning per finding, messages first, then witnessed calls.

    Reported are values that were cut or blacked out, which would be replayed as they are, responses
    to calls that nobody made, and tools that are defined twice. `envelope` is a parsed document or an `InterchangeTrace`.
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
    """Return a part as messages name it, and what may have been cut in it."""
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
