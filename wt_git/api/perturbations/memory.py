"""A perturbation of what the agent believes to remember."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.api.perturbations.markers import marked, marker_text
from wt_git.api.scenario import PreSendPerturbation

if TYPE_CHECKING:
    from wt_git.api.perturbations.chat_messages import Message
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace

_HEADER = "Relevant saved memory:"


@dataclass
class InjectStaleMemory(PreSendPerturbation):
    """The system context holds a remembered line `value` that is out of date.

    Several of them share one block of memories. `key` names the memory in the marker only.
    """

    key: str
    value: str

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text("inject_stale_memory", key=self.key)

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:  # noqa: ARG002
        """Return the history with the memory in its first system message, or in a new one."""
        for at, message in enumerate(messages):
            if message.get("role") == "system":
                remembering = {**message, "content": self._added_to(message.get("content") or "")}
                return [*messages[:at], remembering, *messages[at + 1 :]]
        return [{"role": "system", "content": self._added_to("")}, *messages]

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the marker: a trace does not hold the system context."""
        return marked(trace, self.marker)

    def _added_to(self, context: str) -> str:
        if _HEADER in context:
            return f"{context}\n- {self.value}"
        block = f"{_HEADER}\n- {self.value}"
        return f"{context}\n\n{block}" if context else block
