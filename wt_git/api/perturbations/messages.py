"""The markers of perturbations, the messages that they invent, and their edits of saved turns.

Messages have the OpenAI shape. Traces are edited on a copy; an index out of range changes nothing.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from wt_git.api.tool_calls import alternatives
from wt_git.api.trace import Trace, Turn, with_warning

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scenario import Scenario


class Marked:
    """The marker of a perturbation, built from its class's template and its own fields."""

    marker_template: ClassVar[str]

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return "perturbation_applied: " + self.marker_template.format_map(vars(self))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the marker and nothing else changed."""
        return with_warning(trace, self.marker)


Message: TypeAlias = dict[str, Any]

_NEUTRAL_TOOL = "example_tool"
_NEUTRAL_ENTITY = "the customer in question"


def tool_call(call_id: str, name: str, arguments: str) -> Message:
    """Return one tool call of a model. `arguments` is JSON text, valid or not."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def round_trip(call: Message, result: str) -> list[Message]:
    """Return the assistant message that makes `call` and the tool message that answers it."""
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": result},
    ]


def before_last_user(messages: list[Message], invented: list[Message]) -> list[Message]:
    """Return `messages` with `invented` before the final user message, or at the end."""
    at = len(messages)
    if messages and messages[-1].get("role") == "user":
        at -= 1
    return [*messages[:at], *invented, *messages[at:]]


def first_required_tool(scenario: Scenario) -> str | None:
    """Return the first tool that `scenario` requires, None when it requires none."""
    for entry in scenario.must_call:
        for name in alternatives(entry):
            return name
    return None


def plausible_tool(tool_name: str | None, scenario: Scenario) -> str:
    """Return `tool_name`, or a tool that the agent would plausibly have called."""
    return tool_name or first_required_tool(scenario) or _NEUTRAL_TOOL


def plausible_query(scenario: Scenario) -> str:
    """Return a plausible search term: the first target fact that reads like a name."""
    facts = [fact for group in scenario.target_facts for fact in group]
    with_space = (fact for fact in facts if " " in fact)
    return next(with_space, facts[0] if facts else _NEUTRAL_ENTITY)


def json_text(value: object) -> str:
    """Return `value` as JSON text; other types are written as their repr."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def with_turn(trace: Trace, index: int, change: Callable[[Turn], Turn], marker: str) -> Trace:
    """Return a marked copy of `trace` with turn `index` changed; a negative one is out of range."""
    edited = with_warning(trace, marker)
    if 0 <= index < len(edited.turns):
        edited.turns[index] = change(edited.turns[index])
    return edited


def with_inserted(trace: Trace, index: int, turns: list[Turn], marker: str) -> Trace:
    """Return a marked copy of `trace` with `turns` before turn `index`, or at the nearer end."""
    edited = with_warning(trace, marker)
    at = min(max(index, 0), len(edited.turns))
    edited.turns[at:at] = turns
    return edited


def rewritten(
    turn: Turn, *, content: str | None = None, tool_calls: list[dict[str, Any]] | None = None
) -> Turn:
    """Return a copy of `turn` with another content or other calls; its stored hash is kept."""
    new = copy.copy(turn)
    if content is not None:
        new.content = content
    if tool_calls is not None:
        new.tool_calls = tool_calls
    return new


def invented_turns(call: dict[str, Any], result: str) -> list[Turn]:
    """Return the assistant turn that makes `call` and the tool turn that answers it."""
    return [
        Turn(role="assistant", content="", tool_calls=[call], tool_results=[], latency_ms=0.0),
        Turn(role="tool", content=result, tool_calls=[], tool_results=[], latency_ms=0.0),
    ]
