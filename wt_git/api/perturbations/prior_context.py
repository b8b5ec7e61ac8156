"""Perturbations of the text before the scored turn: stale memory, blank turns, leaked calls.

The last three only mark or edit a finished trace: the live agent never meets them. They are kept for
packs that declare them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.api.perturbations.messages import (
    Marked,
    Message,
    before_last_user,
    first_required_tool,
    json_text,
    plausible_query,
    plausible_tool,
    rewritten,
    round_trip,
    tool_call,
    with_turn,
)
from wt_git.api.scenario import Perturbation, PreSendPerturbation

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace, Turn

_HEADER = "Relevant saved memory:"


@dataclass
class InjectStaleMemory(Marked, PreSendPerturbation):
    """The system context has an outdated memory, the line `value`.

    Several of them share one block of memories. `key` names the memory in the marker only. A trace
    does not hold the system context, so `apply` adds only the marker.
    """

    key: str
    value: str

    marker_template = "inject_stale_memory key={key}"

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:  # noqa: ARG002
        """Return the history with the memory in its first system message, or in a new one."""
        for at, message in enumerate(messages):
            if message.get("role") == "system":
                remembering = {**message, "content": self._added_to(message.get("content") or "")}
                return [*messages[:at], remembering, *messages[at + 1 :]]
        return [{"role": "system", "content": self._added_to("")}, *messages]

    def _added_to(self, context: str) -> str:
        if _HEADER in context:
            return f"{context}\n- {self.value}"
        block = f"{_HEADER}\n- {self.value}"
        return f"{context}\n\n{block}" if context else block


@dataclass
class BlankAssistantContent(Marked, PreSendPerturbation):
    """The assistant made a tool call earlier and then answered with an empty message.

    `turn_idx` is the turn that `apply` blanks in a saved trace; a live history ignores it.
    """

    turn_idx: int

    marker_template = "blank_assistant_content turn_idx={turn_idx}"

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:
        """Return the history with a call, where the scenario requires a tool, and a blank turn."""
        invented: list[Message] = []
        tool = first_required_tool(scenario)
        if tool is not None:
            note = json_text({"note": "The lookup finished."})
            call = tool_call("call_blank_prior", tool, "{}")
            invented = round_trip(call, json_text({"result": note}))
        return before_last_user(messages, [*invented, {"role": "assistant", "content": ""}])

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the turn's content blanked, its calls kept, and the marker."""
        return with_turn(
            trace, self.turn_idx, lambda turn: rewritten(turn, content=""), self.marker
        )


@dataclass
class FallbackRenderLeak(Marked, PreSendPerturbation):
    """The assistant's tool call was rendered as text, as a broken chat template does.

    `turn_idx` is the turn that `apply` changes in a saved trace; a live history ignores it and
    shows a call to `tool_name`, or to the scenario's first required tool.
    """

    turn_idx: int
    tool_name: str | None = None

    marker_template = "fallback_render_leak turn_idx={turn_idx}"

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:
        """Return the history with an assistant message whose text is a call's JSON."""
        function = {
            "name": plausible_tool(self.tool_name, scenario),
            "arguments": {"query": plausible_query(scenario)},
        }
        leaked = json_text({"id": "call_0", "type": "function", "function": function})
        return before_last_user(messages, [{"role": "assistant", "content": f"tool: {leaked}"}])

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the turn as a fallback template would have written it, and the marker."""
        return with_turn(trace, self.turn_idx, _leaked, self.marker)


def _leaked(turn: Turn) -> Turn:
    if not turn.tool_calls:
        return rewritten(turn, content=f"{turn.role}: {turn.content or '(empty)'}")
    calls = turn.tool_calls
    leaked = json_text(calls[0] if len(calls) == 1 else calls)
    return rewritten(turn, content=f"tool: {leaked}", tool_calls=[])


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
