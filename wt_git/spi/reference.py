"""Scripted model decisions that certify a scenario, and the runtimes that can play them.

docs/writing-a-scenario.md, "Reference cases". Only the model's inference is replaced; the agent's
loop, tools, fixtures, evidence and scoring are the real ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from wt_git.spi.agent_runtime import AgentRuntime, is_named

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentConfig, AgentHandle
    from wt_git.spi.mcp_server import MCPHandle

ReferenceKind: TypeAlias = Literal["golden", "poison"]
"""`golden` must pass the scenario's gate, `poison` must fail it."""


@dataclass(frozen=True)
class ReferenceToolCall:
    """One tool call of the scripted model.

    Raises `ValueError` for a blank name and for arguments that are no JSON object.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_named(self.name):
            raise ValueError("a reference tool call's name must not be empty")
        if not isinstance(self.arguments, dict):
            raise ValueError(
                f"arguments of {self.name!r} must be a JSON-serializable object, "
                f"got {type(self.arguments).__name__}"
            )
        try:
            json.dumps(self.arguments, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"arguments of {self.name!r} must be JSON-serializable: {error}"
            ) from error


@dataclass(frozen=True)
class ReferenceDecision:
    """One answer of the scripted model: text, tool calls, or both.

    `tool_calls` may be any sequence and is kept as a tuple. Raises `ValueError` when there is
    neither, when the content is no string, or when a call is no `ReferenceToolCall`.
    """

    content: str = ""
    tool_calls: tuple[ReferenceToolCall, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        if not isinstance(self.content, str):
            raise ValueError(
                f"a decision's content must be a string, got {type(self.content).__name__}"
            )
        if not self.content and not self.tool_calls:
            raise ValueError("a reference decision requires content or tool calls")
        for call in self.tool_calls:
            if not isinstance(call, ReferenceToolCall):
                raise ValueError(
                    f"tool_calls must hold ReferenceToolCall objects, got {type(call).__name__}"
                )


@dataclass(frozen=True)
class ReferenceCase:
    """A whole scripted agent turn: decisions with calls, then one with the final answer.

    `decisions` may be any sequence and is kept as a tuple. Raises `ValueError` for a blank name, an
    unknown kind, no decisions, an earlier decision without a call, or a last one with a call or
    without an answer.
    """

    name: str
    kind: ReferenceKind
    decisions: tuple[ReferenceDecision, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "decisions", tuple(self.decisions))
        if not is_named(self.name):
            raise ValueError("a reference case's name must not be empty")
        if self.kind not in get_args(ReferenceKind):
            raise ValueError(
                f"unknown reference case kind {self.kind!r} in {self.name!r}; "
                "expected 'golden' or 'poison'"
            )
        self._check_decisions()

    def _check_decisions(self) -> None:
        if not self.decisions:
            raise ValueError(f"reference case {self.name!r} has no decisions")
        for decision in self.decisions:
            if not isinstance(decision, ReferenceDecision):
                raise ValueError(
                    f"decisions must hold ReferenceDecision objects, got {type(decision).__name__}"
                )
        *earlier, final = self.decisions
        for number, decision in enumerate(earlier, 1):
            if not decision.tool_calls:
                raise ValueError(
                    f"decision {number} of reference case {self.name!r} is non-final and must "
                    "call a tool"
                )
        if final.tool_calls or not final.content.strip():
            raise ValueError(
                f"the final reference decision of {self.name!r} must hold an answer and no "
                "tool calls"
            )


@runtime_checkable
class ReferenceCapableAgentRuntime(AgentRuntime, Protocol):
    """A runtime that can replace its model by scripted decisions."""

    def provision_reference(
        self, config: AgentConfig, case: ReferenceCase, mcps: list[MCPHandle] | None = None
    ) -> AgentHandle:
        """Provision one agent with a model that answers with `case.decisions`, one after another.

        Called once per case. `teardown` of the handle removes the substitution before it returns.
        """
        ...
