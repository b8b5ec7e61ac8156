"""Runs the rules of rules.py: finds the rule for a question and takes it one step further.

Nothing is kept between two steps. The tool results since the question are in the conversation, so
the rule is started anew and given them in order; it stops where it wants to know something new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from steps import AgentError, Call, Decide, Message, Step, Tool

Script = Generator[Call, Any, str]
"""A rule at work: it yields calls, is sent their results, and returns the answer."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the user said: the question, and everything before it, oldest first."""

    question: str
    earlier: tuple[str, ...]

    def find(self, pattern: str) -> str | None:
        """Return the first group of the newest match of `pattern` in what the user said."""
        for text in (self.question, *reversed(self.earlier)):
            if found := re.search(pattern, text, re.IGNORECASE):
                return found.group(1)
        return None


def by_rules(
    rules: Sequence[tuple[str, Callable[[Conversation], Script]]], otherwise: str
) -> Decide:
    """Return a decision by `rules`: pairs of a pattern and a rule, the first match wins."""

    async def decide(messages: list[Message], _tools: list[Tool]) -> Step:
        said, results = _read(messages)
        for pattern, rule in rules:
            if re.search(pattern, said.question, re.IGNORECASE):
                return _advance(rule(said), results)
        return Step(otherwise, model="rules")

    return decide


def _advance(script: Script, results: list[Any]) -> Step:
    try:
        wanted = next(script)
        for result in results:
            wanted = script.send(result)
    except StopIteration as finished:
        return Step(finished.value, model="rules")
    return Step(calls=(wanted,), model="rules")


def _read(messages: list[Message]) -> tuple[Conversation, list[Any]]:
    """Return what the user said, and the results of the calls made since the question."""
    asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
    earlier = tuple(m["content"] for m in messages[:asked] if m["role"] == "user")
    results = [_parse(m["content"]) for m in messages[asked + 1 :] if m["role"] == "tool"]
    return Conversation(messages[asked]["content"], earlier), results


def _parse(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        raise AgentError(f"a tool answered with something else than JSON: {content}") from None
