"""Replaying a saved trace: as a whole with another model, or live from one of its user turns on.

The frozen turns come first in the new trace, so that it reads as a conversation, and are never scored:
they belong to another run.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import TypeAlias

from wt_git.api.trace import Trace, Turn
from wt_git.clock import SystemClock

GenerateFn: TypeAlias = Callable[[list[Turn]], list[Turn]]

REPLAY_PREFIX_MARKER = "replay_prefix:"

_TURN_COUNT = re.compile(r" turns=([0-9]{1,9})\Z")


@dataclass(frozen=True)
class HistoryPrefix:
    """The turns of an earlier run before the live messages; `source` is that run's id."""

    turns: tuple[Turn, ...]
    source: str

    @property
    def marker(self) -> str:
        """The warning with the number of turns that were not live."""
        return f"{REPLAY_PREFIX_MARKER} source={self.source} turns={len(self.turns)}"

    def messages(self) -> list[dict[str, str]]:
        """Return the user and assistant turns as messages."""
        return [
            {"role": turn.role, "content": turn.content}
            for turn in self.turns
            if turn.role in {"user", "assistant"}
        ]


def split_at_user_turn(
    trace: Trace, from_turn: int | None = None
) -> tuple[HistoryPrefix, list[str]]:
    """Split `trace` before its `from_turn`-th user turn, counted from 1; None means the last.

    Returns the frozen turns before it, and the texts of that and all later user turns, which are sent
    live. Raises `ValueError` when there is no such turn.
    """
    positions = [index for index, turn in enumerate(trace.turns) if turn.role == "user"]
    if not positions:
        raise ValueError(f"trace {trace.run_id} has no user turn to replay from")
    number = len(positions) if from_turn is None else from_turn
    if not 1 <= number <= len(positions):
        raise ValueError(
            f"trace {trace.run_id} has user turns 1 to {len(positions)}, there is no turn {number}"
        )
    live = [trace.turns[index].content for index in positions[number - 1 :]]
    return HistoryPrefix(tuple(trace.turns[: positions[number - 1]]), trace.run_id), live


def prefix_length(trace: Trace) -> int:
    """Return the number of replayed turns at the beginning, 0 when there are none."""
    marker = next((w for w in trace.worker_warnings if w.startswith(REPLAY_PREFIX_MARKER)), "")
    count = _TURN_COUNT.search(marker)
    return int(count[1]) if count else 0


def scoring_view(trace: Trace) -> Trace:
    """Return `trace` without its replayed turns; the same object when it has none."""
    length = prefix_length(trace)
    return with_changes(trace, turns=trace.turns[length:]) if length else trace


def with_prefix(view: Trace, full: Trace) -> Trace:
    """Return `view` with the replayed turns of `full`, its origin, in front again."""
    length = prefix_length(full)
    return with_changes(view, turns=[*full.turns[:length], *view.turns]) if length else view


def replay(
    original: Trace,
    variant_id: str,
    generate: GenerateFn,
    model: str | None = None,
    quant: str | None = None,
) -> Trace:
    """Return a new trace with the turns that `generate` returns for a copy of the original's.

    `generate` is called once. The fields that identify the test are taken over; warnings, calls,
    observations and usage are not, because they are evidence of the other run.
    """
    clock = SystemClock()
    started_at = clock.now()
    turns = generate(copy.deepcopy(original.turns))
    return Trace(
        scenario_id=original.scenario_id,
        agent_id=original.agent_id,
        variant_id=variant_id,
        model=original.model if model is None else model,
        quant=original.quant if quant is None else quant,
        sampler=copy.deepcopy(original.sampler),
        started_at=started_at,
        finished_at=clock.now(),
        turns=turns,
        tool_schema_hash=original.tool_schema_hash,
    )
