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
    InterchangeWitnessedCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from wt_git.api.universe.definition import canonical_json
from wt_git.api.universe.document import freeze_universe

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wt_git.api.interchange.conversation import InterchangeTrace
    from wt_git.api.universe.definition import Universe

WITNESSED = "witnessed_calls"
RECONSTRUCTED = "reconstructed"


class UnansweredCall(NamedTuple):
    """A call without a response; `number` is its place among all calls, from 1."""

    number: int
    id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """Calls with their results in order, whose account they are, and what had to be left out.

    `unclaimed` are the ids of responses to no call, one for each such response.
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
        """The names of the tools that answered the same arguments in different ways."""
        results: dict[tuple[str, str], str] = {}
        found: dict[str, None] = {}
        for call in self.calls:
            result = canonical_json(call.result)
            asked = (call.tool_name, canonical_json(call.args))
            if results.setdefault(asked, result) != result:
                found[call.tool_name] = None
        return tuple(found)


def recorded_calls(trace: InterchangeTrace) -> RecordedCalls:
    """Return what the tools' side witnessed, else what can be put together from the messages."""
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

    Where the response stands does not matter: exporters order messages by different clocks.
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
    """Return the text of the last message in which the assistant said something."""
    answers = [one.text_content() for one in trace.messages if one.role == "assistant"]
    return next((text for text in reversed(answers) if text.strip()), None)


def suggested_facts(answer: str) -> list[str]:
    """Return at most five pieces: the lines of `answer`, or the sentences of a long single line."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) == 1 and len(lines[0]) > _LONG_LINE:
        lines = _SENTENCE_END.split(lines[0])
    return lines[:_MOST]


STUB_INPUT_SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": True}
"""What a tool takes whose schema the source did not record: anything."""

DEFAULT_NAME = "imported_trace"
MISSING_PROMPT = "TODO_REPLACE_WITH_THE_PROMPT"


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """A scenario in the making.

    `turns` are the user's messages that say something, `blank_turns` how many do not. `stubbed` are
    the tools whose schema nobody recorded. `answer` is the last thing that the assistant said,
    `suggestions` the facts in it.
    """

    trace: InterchangeTrace
    name: str
    turns: tuple[str, ...]
    blank_turns: int
    evidence: RecordedCalls
    universe: Universe
    stubbed: tuple[str, ...]
    requires_tool_use: bool
    answer: str | None
    suggestions: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The last thing that the user said."""
        return self.turns[-1] if self.turns else MISSING_PROMPT

    @property
    def origin(self) -> str | None:
        """The tag that says where the conversation came from."""
        ref = self.trace.source_ref
        return None if ref is None else f"origin:{ref}"


def plan_import(
    trace: InterchangeTrace, out_dir: Path, *, scenario_name: str | None = None
) -> ImportPlan:
    """Return what an import into the folder `out_dir` will write; nothing is read or written.

    Raises `UniverseFormatError` for tools that cannot be served together, and `ValueError` for a
    blank `scenario_name`.
    """
    if scenario_name is not None and not scenario_name.strip():
        raise ValueError("scenario_name must not be blank")
    evidence = recorded_calls(trace)
    tools = _tools(trace, evidence)
    said = [message.text_content() for message in trace.messages if message.role == "user"]
    turns = tuple(text for text in said if text.strip())
    answer = last_answer(trace)
    return ImportPlan(
        trace=trace,
        name=scenario_name or _name(out_dir, trace.source_ref),
        turns=turns,
        blank_turns=len(said) - len(turns),
        evidence=evidence,
        universe=freeze_universe(
            [
                {"tool_name": call.tool_name, "args": call.args, "result": call.result}
                for call in evidence.calls
            ],
            [tool.definition for tool in tools],
            matching={"on_miss": "fail_call"},
        ),
        stubbed=tuple(tool.definition["name"] for tool in tools if tool.is_stubbed),
        requires_tool_use=bool(evidence.calls) or _has_call(trace),
        answer=answer,
        suggestions=tuple(suggested_facts(answer or "")),
    )


class _Tool(NamedTuple):
    definition: dict[str, Any]
    is_stubbed: bool


def _tools(trace: InterchangeTrace, evidence: RecordedCalls) -> list[_Tool]:
    """Return the tools as the source defined them, then those that were merely called."""
    defined = trace.tool_definitions or ()
    names = {tool.name for tool in defined}
    return [
        *(
            _tool(
                tool.name,
                tool.input_schema,
                description=tool.description,
                result_schema=tool.result_schema,
            )
            for tool in defined
        ),
        *(_tool(name, None) for name in evidence.tools if name not in names),
    ]


def _tool(name: str, input_schema: dict[str, Any] | None, **described: Any) -> _Tool:
    schema = STUB_INPUT_SCHEMA if input_schema is None else input_schema
    return _Tool({"name": name, "input_schema": schema, **described}, input_schema is None)


def _has_call(trace: InterchangeTrace) -> bool:
    return any(isinstance(part, ToolCallPart) for one in trace.messages for part in one.parts)


def _name(out_dir: Path, ref: str | None) -> str:
    # Not the path as it was typed, whose last part may be `.` or `..`.
    folder = os.path.basename(os.path.abspath(out_dir))  # noqa: PTH100, PTH119 - links stay
    return _slug(folder) or _slug(ref or "") or DEFAULT_NAME


def _slug(text: str) -> str:
    """Return `text` as a name of ASCII letters, digits and underscores; empty if it has none."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "_", text).strip("_").lower()
    return f"imported_{slug}" if slug[:1].isdigit() else slug
