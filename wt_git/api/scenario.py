"""Scenarios: the user turns that an agent gets, and the checks on its run.

A scenario never names a runtime. docs/writing-a-scenario.md explains every field.
"""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from wt_git.api.score import FailureCost, GateLayer, check_gate_layers, in_canonical_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from wt_git.api.score import LayerResult
    from wt_git.api.trace import Trace
    from wt_git.spi.agent_runtime import AgentConfig
    from wt_git.spi.reference import (
        ReferenceCase,
        ReferenceDecision,
        ReferenceKind,
        ReferenceToolCall,
    )
    from wt_git.spi.state_probe import StateProbe

    CheckAnswer: TypeAlias = tuple[bool, str] | LayerResult
    MustCall: TypeAlias = "str | Call | Sequence[str | Call]"

__all__ = [
    "Call",
    "NumberFact",
    "Perturbation",
    "Policy",
    "PreSendPerturbation",
    "Precondition",
    "PreconditionContext",
    "ReferenceCase",
    "ReferenceDecision",
    "ReferenceKind",
    "ReferenceToolCall",
    "Scenario",
    "ToolFailure",
    "TrajectoryCheck",
    "WorldMismatchError",
    "declared_failures",
    "is_vacuous",
]
_REFERENCE_TYPES = ("ReferenceCase", "ReferenceDecision", "ReferenceKind", "ReferenceToolCall")

_LISTS_OF_TEXT = (
    "target_facts",
    "forbidden_facts",
    "must_call",
    "forbidden_calls",
    "user_turns",
    "requires_tools",
    "requires_files",
    "tags",
)


def __getattr__(name: str) -> Any:
    # Loaded on first use, since few scenarios have a reference case.
    if name in _REFERENCE_TYPES:
        return getattr(importlib.import_module("wt_git.spi.reference"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class NumberFact:
    """A whole number that the answer must state; it must not have another unit there.

    Raises `ValueError` for a value that is no whole number.
    """

    value: int
    unit: str | None = None

    def __post_init__(self) -> None:
        value: object = self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(
                f"the value of a NumberFact must be a whole number such as 75, got {self.value!r};"
                " write any other number as a text in target_facts"
            )
        if not isinstance(self.unit, str | None):
            raise ValueError(
                f"the unit of a NumberFact must be a text such as 'orders', got {self.unit!r}"
            )


@dataclass(frozen=True)
class Call:
    """A tool call with arguments, for `must_call`.

    `args` are arguments that the call must have, with these values; with `exact` it must have no
    others. A function gets the arguments and says whether they are right. None: any arguments.
    Raises `ValueError` for a blank name and for `args` of another type.
    """

    name: str
    args: Mapping[str, Any] | Callable[[dict[str, Any]], bool] | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        name: object = self.name
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"the name of a Call must be the name of a tool, got {self.name!r}")
        if not (self.args is None or isinstance(self.args, Mapping) or callable(self.args)):
            raise ValueError(
                "the args of a Call must be a dict of arguments, a function over them, or None, "
                f"got {self.args!r}"
            )

    def takes(self, given: dict[str, Any]) -> bool:
        """Say whether these arguments are right; an exception of the author's function passes through.

        Raises `TypeError` where that function returns no bool.
        """
        if self.args is None:
            return True
        if isinstance(self.args, Mapping):
            wanted = dict(self.args)
            return given == wanted if self.exact else given.items() >= wanted.items()
        answer: object = self.args(given)
        if not isinstance(answer, bool):
            raise TypeError(
                f"the args of Call({self.name!r}) returned {type(answer).__name__}, not a bool"
            )
        return answer

    def __str__(self) -> str:
        if self.args is None:
            return self.name
        if isinstance(self.args, Mapping):
            return f"{self.name}({json.dumps(dict(self.args), ensure_ascii=False, default=repr)})"
        return f"{self.name}({getattr(self.args, '__name__', 'a predicate')})"


@dataclass
class Policy:
    """A named rule over the whole trace; it is kept when the predicate is truthy or passed.

    `effect_class` groups policies in reports (`wt_git.effect_classes` has the words) and is never
    evaluated.
    """

    name: str
    predicate: Callable[[Trace], bool | LayerResult]
    effect_class: str | None = None


@dataclass(frozen=True)
class PreconditionContext:
    """The world of a precondition.

    `mcp_handles` are the running tool servers, `state_probe` the probe of the pack, `agent_config`
    and `runtime_handle` the provisioned agent. The two folders are the runtime's, if it has any.
    """

    mcp_handles: Sequence[Any]
    state_probe: StateProbe | None
    agent_config: AgentConfig
    runtime_handle: Any = None
    workspace_dir: Path | None = None
    workspace_template: Path | None = None


class Precondition(ABC):
    """A condition of the world without which a run has no meaning."""

    @abstractmethod
    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when the condition holds, else the reason."""


class WorldMismatchError(RuntimeError):
    """A world precondition of the scenario failed, so no turn was sent to the agent.

    `failures` has one text for each failed precondition.
    """

    def __init__(self, scenario_name: str, failures: Sequence[str]) -> None:
        self.scenario_name = scenario_name
        self.failures = list(failures)
        lines = [f"world precondition failed for scenario {scenario_name!r}:", *self.failures]
        super().__init__("\n  - ".join(lines))


@dataclass
class Perturbation(ABC):
    """An adverse condition of a run; integrity checks its marker."""

    @abstractmethod
    def apply(self, trace: Trace) -> Trace:
        """Return a new trace that shows the condition and whose last warning is the marker."""

    @property
    @abstractmethod
    def marker(self) -> str:
        """The warning that proves the condition."""


@dataclass
class PreSendPerturbation(Perturbation):
    """A condition in the message history that the agent gets, before the scored turn is sent."""

    pre_send: ClassVar[bool] = True

    @abstractmethod
    def shape_messages(
        self, messages: list[dict[str, Any]], scenario: Scenario
    ) -> list[dict[str, Any]]:
        """Return a new list of OpenAI messages; the given one ends with the scored user turn."""


@dataclass
class ToolFailure(Perturbation):
    """A failure of the tool named `tool_name`, which a mock server shows to the agent.

    `mode` is the mock server's name for the failure.
    """

    tool_name: str

    mode: ClassVar[str]

    @property
    def likelihood(self) -> float:
        """The share of calls that fail."""
        return 1.0

    def declaration(self) -> dict[str, Any]:
        """Return the failure as mock servers take it: `{tool, mode, probability}`."""
        return {"tool": self.tool_name, "mode": self.mode, "probability": self.likelihood}

    @abstractmethod
    def proven_marker(self, armed: Iterable[object], calls: Iterable[object]) -> str | None:
        """Return the marker when the failure was really in force, else None.

        `armed` is the report of the mock servers, one `declaration` each, where a tool of None means
        every tool; `calls` are a trace's server-witnessed calls.
        """


def declared_failures(perturbations: Iterable[Perturbation]) -> list[dict[str, Any]]:
    """Return the declaration of each tool failure."""
    return [one.declaration() for one in perturbations if isinstance(one, ToolFailure)]


class TrajectoryCheck(ABC):
    """A rule about the tool calls that the scenario's fields cannot express."""

    @abstractmethod
    def check(self, calls: list[str]) -> CheckAnswer:
        """Check the observed tool names, oldest first; return passed and detail, or a layer result.

        A platform may decorate the names: compare them with `tool_name_matches`.
        """

    def check_trace(self, trace: Trace, calls: list[str]) -> CheckAnswer:  # noqa: ARG002
        """Check the trace as well; override it where arguments or observations matter."""
        return self.check(calls)


@dataclass
class Scenario:
    """One test of an agent. `name` and either `prompt` or `user_turns` are required.

    The outcome depends on `target_facts` (every group, by any of its members), `target_numbers`,
    `requires_tool_use` and `forbidden_facts`, or on `outcome_fn` in place of facts and numbers. A fact
    or number that the answer only denies passes with a warning, unless `facts_must_be_asserted`; with
    `fact_substring` a target fact also counts inside a word or number. Facts are read in the last
    answer; forbidden ones in every answer with `forbidden_in="any_turn"`. With
    `tool_use_must_succeed`, some call must not be known to have failed.

    The trajectory depends on `must_call` (a list or tuple inside it holds alternatives, a `Call` asks
    for arguments too), `forbidden_calls`, `order_matters` and `trajectory_checks`; constraint on
    `policies`; integrity on `perturbations`. `preconditions`, `requires_tools` and `requires_files`
    are checked before the agent is contacted.

    The layers with a declared check gate, unless `gate_layers` names others. Raises `ValueError` for
    a scenario that could not be run or could never pass.
    """

    name: str
    prompt: str = ""
    target_facts: list[list[str]] = field(default_factory=list)
    target_numbers: list[NumberFact] = field(default_factory=list)
    requires_tool_use: bool = False
    forbidden_facts: list[str] = field(default_factory=list)
    outcome_fn: Callable[[Trace], LayerResult] | None = None
    must_call: list[MustCall] = field(default_factory=list)
    forbidden_calls: list[str] = field(default_factory=list)
    order_matters: bool = False
    trajectory_checks: list[TrajectoryCheck] = field(default_factory=list)
    user_turns: list[str] = field(default_factory=list)
    preconditions: list[Precondition] = field(default_factory=list)
    requires_tools: list[str] = field(default_factory=list)
    requires_files: list[str] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    gate_layers: list[GateLayer] | None = None
    strict_gates: bool = False
    perturbations: list[Perturbation] = field(default_factory=list)
    failure_cost: FailureCost = field(default_factory=FailureCost)
    variance_allowed: bool = False
    tags: list[str] = field(default_factory=list)
    reference_cases: list[ReferenceCase] = field(default_factory=list, kw_only=True)
    facts_must_be_asserted: bool = field(default=False, kw_only=True)
    fact_substring: bool = field(default=False, kw_only=True)
    tool_use_must_succeed: bool = field(default=False, kw_only=True)
    forbidden_in: Literal["last_turn", "any_turn"] = field(default="last_turn", kw_only=True)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a scenario's name must not be empty")
        self._refuse_bare_strings()
        problem = next(_malformed_fields(self), None)
        if problem is not None:
            raise ValueError(f"scenario {self.name!r}: {problem}")
        if not self.prompt.strip() and not self.user_turns:
            raise ValueError(f"scenario {self.name!r} needs a prompt or user_turns")
        if not all(turn.strip() for turn in self.user_turns):
            raise ValueError(f"scenario {self.name!r}: user_turns must not hold empty turns")
        if self.order_matters and not self.must_call:
            raise ValueError(f"scenario {self.name!r}: order_matters needs must_call to order")
        if not all(self.must_call):
            raise ValueError(
                f"scenario {self.name!r}: must_call holds an empty name or an empty group of"
                " alternatives, which no call can satisfy"
            )
        self._chosen_gate_layers()
        case_names = [case.name for case in self.reference_cases]
        if len(set(case_names)) < len(case_names):
            raise ValueError(
                f"scenario {self.name!r}: reference case names must be unique, got {case_names!r}"
            )

    def _refuse_bare_strings(self) -> None:
        """Refuse a string in place of a list: each of its letters would be a fact or a tool."""
        bare = [name for name in _LISTS_OF_TEXT if isinstance(getattr(self, name), str)]
        if any(isinstance(group, str) for group in self.target_facts):
            bare.append("each group of target_facts")
        if bare:
            raise ValueError(f"scenario {self.name!r}: {bare[0]} must be a list, not a string")

    @property
    def scored_prompt(self) -> str:
        """The user turn with the scored answer: the last one."""
        return self.user_turns[-1] if self.user_turns else self.prompt

    def resolved_gate_layers(self) -> tuple[GateLayer, ...]:
        """Return the layers that decide the verdict beside integrity, in canonical order.

        Without `gate_layers` these are outcome and each layer with a declared check. With it, exactly
        the layers it names; with `strict_gates` also the declared ones. Raises `ValueError` when
        `gate_layers` was set to an unknown or repeated layer.
        """
        chosen = self._chosen_gate_layers()
        if chosen is not None and not self.strict_gates:
            return chosen
        declared: set[GateLayer] = {"outcome", *(chosen or ())}
        if self.must_call or self.forbidden_calls or self.trajectory_checks:
            declared.add("trajectory")
        if self.policies:
            declared.add("constraint")
        return in_canonical_order(declared)

    def _chosen_gate_layers(self) -> tuple[GateLayer, ...] | None:
        if self.gate_layers is None:
            return None
        return in_canonical_order(check_gate_layers(self.gate_layers, f"scenario {self.name!r}: "))


def _malformed_fields(scenario: Scenario) -> Iterator[str]:
    """Yield the problem of each field whose value cannot mean anything."""
    groups: list[object] = [*scenario.target_facts]
    for at, group in enumerate(groups):
        if not isinstance(group, list | tuple):
            yield f"target_facts[{at}] must be a list of wordings, got {group!r}"
        else:
            yield from _blank_facts(f"target_facts[{at}]", group)
    yield from _blank_facts("forbidden_facts", scenario.forbidden_facts)
    numbers: list[object] = [*scenario.target_numbers]
    for at, number in enumerate(numbers):
        if not isinstance(number, NumberFact):
            yield f"target_numbers[{at}] must be a NumberFact, got {number!r}"
    tools: list[object] = [*scenario.forbidden_calls]
    for at, tool in enumerate(tools):
        if not isinstance(tool, str) or not tool.strip():
            yield f"forbidden_calls[{at}] must be the name of a tool, got {tool!r}"
    for at, policy in enumerate(scenario.policies):
        predicate: object = getattr(policy, "predicate", None)
        if not callable(predicate):
            yield f"policies[{at}] must be a Policy with a predicate to call, got {policy!r}"
    if scenario.forbidden_in not in {"last_turn", "any_turn"}:
        yield f"forbidden_in must be 'last_turn' or 'any_turn', got {scenario.forbidden_in!r}"


def _blank_facts(name: str, facts: Iterable[object]) -> Iterator[str]:
    for at, fact in enumerate(facts):
        if isinstance(fact, list | tuple):
            yield f"{name}[{at}] must be a text, got a list: {name} holds texts, not groups of them"
        elif not isinstance(fact, str) or not fact.strip():
            yield f"{name}[{at}] must be a text that is not blank, got {fact!r}"


def scenario_warnings(scenario: Scenario) -> Iterator[str]:
    """Yield what in `scenario` probably does not mean what its author thinks."""
    if is_vacuous(scenario):
        yield (
            "checks nothing: it passes with any answer; give it target_facts, must_call, a policy "
            "or an outcome_fn"
        )
    if (
        scenario.user_turns
        and scenario.prompt.strip()
        and scenario.prompt not in scenario.user_turns
    ):
        yield "has a prompt that is never sent: user_turns is sent in its place"


def is_vacuous(scenario: Scenario) -> bool:
    """Say whether `scenario` gates without a check, so that even an empty answer passes.

    Discovery warns of such scenarios, but not of a deliberate diagnostic (`gate_layers=[]`).
    """
    gates = scenario.resolved_gate_layers()
    return bool(gates) and not any(_has_check(scenario, layer) for layer in gates)


def _has_check(scenario: Scenario, layer: GateLayer) -> bool:
    checks: dict[GateLayer, Iterable[object]] = {
        "outcome": (
            scenario.target_facts,
            scenario.target_numbers,
            scenario.requires_tool_use,
            scenario.tool_use_must_succeed,
            scenario.forbidden_facts,
            scenario.outcome_fn,
        ),
        "trajectory": (
            scenario.must_call,
            scenario.forbidden_calls,
            scenario.trajectory_checks,
        ),
        "constraint": (scenario.policies,),
    }
    return any(checks[layer])
