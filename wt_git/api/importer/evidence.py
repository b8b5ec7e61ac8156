"""Which tool calls of a conversation can be played back. docs/importing.md, "The fixture"."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.interchange.conversation import (
    InterchangeWitnessedCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from wt_git.api.universe.arguments import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.api.interchange.conversation import InterchangeTrace

WITNESSED = "witnessed_calls"
RECONSTRUCTED = "reconstructed"


class UnansweredCall(NamedTuple):
    """A call without a response; `number` is its place among all calls, from 1."""

    number: int
    id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class Evidence:
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


def evidence_of(trace: InterchangeTrace) -> Evidence:
    """Return what the tools' side witnessed, else what can be put together from the messages."""
    if trace.witnessed_calls is not None:
        return Evidence(WITNESSED, trace.witnessed_calls)
    parts = [part for message in trace.messages for part in message.parts]
    return _paired(
        [part for part in parts if isinstance(part, ToolCallPart)],
        [part for part in parts if isinstance(part, ToolCallResponsePart)],
    )


def _paired(calls: Iterable[ToolCallPart], responses: Iterable[ToolCallResponsePart]) -> Evidence:
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
    return Evidence(RECONSTRUCTED, tuple(made), tuple(unanswered), tuple(unclaimed))
