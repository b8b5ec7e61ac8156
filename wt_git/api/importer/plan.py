"""The scenario that an import makes from a conversation, before anything is written.

docs/importing.md, "The fixture", says which tool calls can be replayed.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.interchange.conversation import (
    InterchangeToolDefinition,
    InterchangeWitnessedCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from wt_git.api.universe.document import canonical_json, freeze_universe

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wt_git.api.interchange.conversation import InterchangeTrace
    from wt_git.api.universe.document import Universe

WITNESSED = "witnessed_calls"
RECONSTRUCTED = "reconstructed"


class UnansweredCall(NamedTuple):
    """A call without a response; `number` is its place among all calls, from 1."""

    number: int
    id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The calls of a conversation that have a result, in order, and those that had to be left out.

    `source` is `witnessed_calls` or `reconstructed`. `unclaimed` are the ids of responses to no call,
    one for each such response.
    """

    source: str
    calls: tuple[InterchangeWitnessedCall, ...]
    unanswered: tuple[UnansweredCall, ...] = ()
    unclaimed: tuple[str, ...] = ()

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that were called, in the order of their first call."""
        return tuple(dict.fromkeys(call.tool_name for call in self.calls))

    @property
    def undecided(self) -> tuple[str, ...]:
        """The names of the tools that gave different answers to the same arguments."""
        results: dict[tuple[str, str], str] = {}
        found: dict[str, None] = {}
        for call in self.calls:
            result = canonical_json(call.result)
            question = (call.tool_name, canonical_json(call.args))
            if results.setdefault(question, result) != result:
                found[call.tool_name] = None
        return tuple(found)


def recorded_calls(trace: InterchangeTrace) -> RecordedCalls:
    """Return the calls that the tools' side witnessed, else those that the messages tell of."""
    if trace.witnessed_calls is not None:
        return RecordedCalls(WITNESSED, trace.witnessed_calls)
    parts = [part for message in trace.messages for part in message.parts]
    return _paired(
        [part for part in parts if isinstance(part, ToolCallPart)],
        [part for part in parts if isinstance(part, ToolCallResponsePart)],
    )


def _paired(
    calls: Iterable[ToolCallPart], responses: Iterable[ToolCallResponsePart]
) -> RecordedCalls:
    """Give each call the first response with its id that no earlier call took.

    The place of the response does not matter: exporters order messages by different clocks.
    """
    waiting: defaultdict[str, deque[Any]] = defaultdict(deque)
    for response in responses:
        waiting[response.id].append(response.response)
    made, unanswered = [], []
    for number, call in enumerate(calls, start=1):
        if waiting[call.id]:
            result = waiting[call.id].popleft()
            made.append(InterchangeWitnessedCall(call.name, call.arguments, result))
        else:
            unanswered.append(UnansweredCall(number, call.id, call.name))
    unclaimed = [name for name, left in waiting.items() for _ in left]
    return RecordedCalls(RECONSTRUCTED, tuple(made), tuple(unanswered), tuple(unclaimed))


_MOST = 5
_LONG_LINE = 240
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def last_answer(trace: InterchangeTrace) -> str | None:
    """Return the text of the last assistant message with text."""
    answers = [one.text_content() for one in trace.messages if one.role == "assistant"]
    return next((text for text in reversed(answers) if text.strip()), None)


def suggested_facts(answer: str) -> list[str]:
    """Return the first five lines of `answer`, or the first five sentences of a long single line."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) == 1 and len(lines[0]) > _LONG_LINE:
        lines = _SENTENCE_END.split(lines[0])
    return lines[:_MOST]


STUB_INPUT_SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": True}
"""The input schema of a tool when the source recorded none: anything."""

DEFAULT_NAME = "imported_trace"
MISSING_PROMPT = "TODO_REPLACE_WITH_THE_PROMPT"


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """An imported scenario before it is written.

    `turns` are the user's messages with text, `blank_turns` the number of those without. `stubbed`
    are the tools without a recorded schema. `answer` is the last text of the assistant,
    `suggestions` the facts in it.
    """

    trace: InterchangeTrace
    name: str
    turns: tuple[str, ...]
    blank_turns: int
    recorded: RecordedCalls
    universe: Universe
    stubbed: tuple[str, ...]
    requires_tool_use: bool
    answer: str | None
    suggestions: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The last text of the user."""
        return self.turns[-1] if self.turns else MISSING_PROMPT

    @property
    def origin(self) -> str | None:
        """The tag for the source of the conversation."""
        ref = self.trace.source_ref
        return None if ref is None else f"origin:{ref}"


def plan_import(
    trace: InterchangeTrace, out_dir: Path, *, scenario_name: str | None = None
) -> ImportPlan:
    """Plan an import into the folder `out_dir`; nothing is read or written.

    Raises `UniverseFormatError` for tools that cannot be served together, and `ValueError` for a
    blank `scenario_name`.
    """
    if scenario_name is not None and not scenario_name.strip():
        raise ValueError("scenario_name must not be blank")
    recorded = recorded_calls(trace)
    tools = _tools(trace, recorded)
    texts = [message.text_content() for message in trace.messages if message.role == "user"]
    turns = tuple(text for text in texts if text.strip())
    answer = last_answer(trace)
    return ImportPlan(
        trace=trace,
        name=scenario_name or _name(out_dir, trace.source_ref),
        turns=turns,
        blank_turns=len(texts) - len(turns),
        recorded=recorded,
        universe=freeze_universe(
            [
                {"tool_name": call.tool_name, "args": call.args, "result": call.result}
                for call in recorded.calls
            ],
            map(_definition, tools),
            matching={"on_miss": "fail_call"},
        ),
        stubbed=tuple(tool.name for tool in tools if tool.input_schema is None),
        requires_tool_use=bool(recorded.calls) or _has_call(trace),
        answer=answer,
        suggestions=tuple(suggested_facts(answer or "")),
    )


def _tools(
    trace: InterchangeTrace, recorded: RecordedCalls
) -> tuple[InterchangeToolDefinition, ...]:
    """Return the tools that the source defined, then those that were only called."""
    defined = trace.tool_definitions or ()
    names = {tool.name for tool in defined}
    called = (InterchangeToolDefinition(name) for name in recorded.tools if name not in names)
    return (*defined, *called)


def _definition(tool: InterchangeToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": STUB_INPUT_SCHEMA if tool.input_schema is None else tool.input_schema,
        "result_schema": tool.result_schema,
    }


def _has_call(trace: InterchangeTrace) -> bool:
    return any(isinstance(part, ToolCallPart) for one in trace.messages for part in one.parts)


def _name(out_dir: Path, ref: str | None) -> str:
    # The last part of the path as typed may be `.` or `..`.
    folder = os.path.basename(os.path.abspath(out_dir))  # noqa: PTH100, PTH119 - links stay
    return _slug(folder) or _slug(ref or "") or DEFAULT_NAME


def _slug(text: str) -> str:
    """Return `text` as a name of ASCII letters, digits and underscores; empty if it has none."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "_", text).strip("_").lower()
    return f"imported_{slug}" if slug[:1].isdigit() else slug
