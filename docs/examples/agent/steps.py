"""The words that the parts of the agent share: a message, a tool, a call, a step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]
"""One message of a conversation, in the shape of the OpenAI chat format."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that some server offers; `parameters` is its JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the agent wants to make."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def call(name: str, **arguments: Any) -> Call:
    """Return a call of tool `name`; reads well in a rule."""
    return Call(name, arguments)


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: make `calls`, or, when there are none, answer with `text`.

    `model` says who decided. `usage` holds the token counts as the model's server reported them,
    None when it reported none. With a `problem` nothing can be done, and it says why.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    model: str | None = None
    usage: dict[str, Any] | None = None
    problem: str | None = None


Decide = Callable[[list[Message], list[Tool]], Awaitable[Step]]
"""Decides the next step from the conversation so far and the tools at hand."""


class AgentError(Exception):
    """The agent could not do its job, and this sentence says why."""
