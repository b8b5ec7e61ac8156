"""Editing the turns of a saved trace, on a copy. What lies out of range is left alone."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.markers import marked
from wt_git.api.trace import Trace, Turn

if TYPE_CHECKING:
    from collections.abc import Callable


def with_turn(trace: Trace, index: int, change: Callable[[Turn], Turn], marker: str) -> Trace:
    """Return a marked copy of `trace` with turn `index` changed, if there is such a turn.

    Indexes count from 0; a negative one is out of range.
    """
    edited = marked(trace, marker)
    if 0 <= index < len(edited.turns):
        edited.turns[index] = change(edited.turns[index])
    return edited


def with_inserted(trace: Trace, index: int, turns: list[Turn], marker: str) -> Trace:
    """Return a marked copy of `trace` with `turns` before turn `index`, or at the nearer end."""
    edited = marked(trace, marker)
    at = min(max(index, 0), len(edited.turns))
    edited.turns[at:at] = turns
    return edited


def rewritten(
    turn: Turn, *, content: str | None = None, tool_calls: list[dict[str, Any]] | None = None
) -> Turn:
    """Return a copy of `turn` with another content or other calls, and its stored hash kept."""
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
