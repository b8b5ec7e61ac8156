"""Messages of an OpenAI-shaped history, and where invented ones go in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git.api.evaluators.matching import alternatives

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario

Message: TypeAlias = dict[str, Any]

_NEUTRAL_TOOL = "example_tool"
_NEUTRAL_ENTITY = "the customer in question"


def tool_call(call_id: str, name: str, arguments: str) -> Message:
    """Return one call as models write it; `arguments` is JSON text, or meant to be."""
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
    """Return `messages` with `invented` ones before the final user message, or else at the end."""
    at = len(messages)
    if messages and messages[-1].get("role") == "user":
        at -= 1
    return [*messages[:at], *invented, *messages[at:]]


def first_required_tool(scenario: Scenario) -> str | None:
    """Return the first tool that `scenario` requires, of alternatives the first, None without any."""
    for entry in scenario.must_call:
        for name in alternatives(entry):
            return name
    return None


def plausible_tool(tool_name: str | None, scenario: Scenario) -> str:
    """Return `tool_name`, or else a tool that the agent would plausibly have called."""
    return tool_name or first_required_tool(scenario) or _NEUTRAL_TOOL


def plausible_query(scenario: Scenario) -> str:
    """Return what the agent would plausibly have looked up: a fact that reads like a name."""
    facts = [fact for group in scenario.target_facts for fact in group]
    with_space = (fact for fact in facts if " " in fact)
    return next(with_space, facts[0] if facts else _NEUTRAL_ENTITY)


def json_text(value: object) -> str:
    """Return `value` as the JSON text of a message; what JSON lacks is written as its repr."""
    return json.dumps(value, ensure_ascii=False, default=repr)
