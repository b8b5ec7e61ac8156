"""Perturbations that only mark or edit a finished trace: the live agent never meets them.

They are kept for packs that declare them. The other modules have perturbations with a live effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.api.perturbations.messages import json_text, rewritten, with_turn
from wt_git.api.perturbations.tool_failures import Marked
from wt_git.api.scenario import Perturbation

if TYPE_CHECKING:
    from wt_git.api.trace import Trace, Turn


@dataclass
class CorruptPriorAssistantTurn(Marked, Perturbation):
    """Turn `idx` was blank (mode `empty`), or a tool call leaked into its text (any other mode)."""

    idx: int
    mode: str = "empty"

    marker_template = "corrupt_prior_assistant_turn idx={idx} mode={mode}"

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the turn's content replaced, and the marker."""
        return with_turn(trace, self.idx, self._corrupted, self.marker)

    def _corrupted(self, turn: Turn) -> Turn:
        if self.mode == "empty":
            return rewritten(turn, content="")
        call = json_text({"name": "example_tool", "arguments": {}})
        return rewritten(turn, content=f"<tool_call>{call}</tool_call>")


@dataclass
class ToolTimeout(Marked, Perturbation):
    """A share of tool calls was slow by `delay_ms` milliseconds."""

    probability: float
    delay_ms: int

    marker_template = "tool_timeout probability={probability} delay_ms={delay_ms}"


@dataclass
class ToolReturnsMalformed(Marked, Perturbation):
    """A share of tool calls got a malformed answer."""

    probability: float

    marker_template = "tool_returns_malformed probability={probability}"
