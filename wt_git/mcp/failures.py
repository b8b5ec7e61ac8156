"""Failures that can be armed in a mock tool, and the calls that show them.

docs/writing-a-scenario.md, "Misbehaving tools", has the modes. A failure is armed for one tool, or
for all of them, with a probability; each call draws once, when it arrives. The process of a tool
server gets its armed failure from the environment:

MOCK_MCP_FAILURE_MODE         the mode; empty or absent: none
MOCK_MCP_FAILURE_TOOL         the tool it is for, by its bare name; empty or absent: every tool
MOCK_MCP_FAILURE_PROBABILITY  of each call to fail, 1 when absent
MOCK_MCP_TIMEOUT_SECONDS      how long a timeout holds a call back, 10 when absent
"""

from __future__ import annotations

import contextlib
import random
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from wt_git.api.tool_calls import tool_name_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TIMEOUT: Final = "timeout"
DEFAULT_TIMEOUT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class ArmedFailure:
    """One way of failing: for the calls of `tool`, or of every tool when it is None.

    A `timeout` holds the call back for `delay_s` before the real tool runs.
    """

    tool: str | None
    mode: str
    probability: float = 1.0
    delay_s: float = DEFAULT_TIMEOUT_S

    @property
    def wait_s(self) -> float:
        """Seconds for which the call is held back first."""
        return self.delay_s if self.mode == TIMEOUT else 0.0


@dataclass(frozen=True, slots=True)
class Injected:
    """The answer in place of the tool's: a text, or an object that may be marked as an error."""

    payload: str | dict[str, Any]
    is_error: bool = False


_ANSWERS: Final[Mapping[str, Injected]] = {
    "malformed_json": Injected("INVALID_JSON{{{"),
    "empty_unexpected": Injected(
        {"result": "[]", "structuredContent": {"columns": [], "rows": []}}
    ),
    "auth_scope_denied": Injected(
        {
            "error": "permission denied: the token lacks the scope that this tool requires",
            "code": 403,
        },
        is_error=True,
    ),
    "schema_error": Injected(
        {
            "rejected": True,
            "error": "Schema validation error: an argument is not one of the tool's valid values; "
            "look the valid values up and retry",
        },
        is_error=True,
    ),
}
FAILURE_MODES: Final = (*_ANSWERS, TIMEOUT)


def known_mode(mode: str) -> str:
    """Return `mode`; raises `ValueError` naming the known ones when it is none of them."""
    if mode not in FAILURE_MODES:
        raise ValueError(f"unknown failure mode {mode!r}; known are {', '.join(FAILURE_MODES)}")
    return mode


class FailurePlan:
    """The armed failures. Safe to use from any thread.

    Draws come from a generator with a fixed seed, so a batch that calls the same tools in the same
    order meets the same failures; it runs on through a batch, so its runs still differ.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._for_all: ArmedFailure | None = None
        self._by_tool: dict[str, ArmedFailure] = {}
        self._effects: dict[tuple[str, str], Callable[[Mapping[str, Any]], Injected]] = {}
        self._random = random.Random(0)  # noqa: S311 - repeatable, not secret

    def set_mode(self, mode: str | None) -> None:
        """Replace everything armed by `mode` for all tools, or by nothing; `ValueError` if unknown."""
        armed = None if mode is None else ArmedFailure(None, known_mode(mode))
        with self._lock:
            self._for_all = armed
            self._by_tool = {}

    def mode(self) -> str | None:
        """Return the mode armed for every tool, if there is one."""
        with self._lock:
            return self._for_all.mode if self._for_all else None

    def arm(self, failure: ArmedFailure) -> None:
        """Arm `failure`, and replace an earlier one of the same tool; `ValueError` if unknown."""
        known_mode(failure.mode)
        with self._lock:
            if failure.tool is None:
                self._for_all = failure
            else:
                self._by_tool[failure.tool] = failure

    def shape(self, tool: str, mode: str, effect: Callable[[Mapping[str, Any]], Injected]) -> None:
        """Let `effect` answer for `tool` when it shows `mode`; it gets the arguments of the call."""
        with self._lock:
            self._effects[tool, known_mode(mode)] = effect

    def draw(self, tool: str) -> ArmedFailure | None:
        """Return the failure that this call of `tool` shows, if any."""
        with self._lock:
            armed = self._by_tool.get(tool, self._for_all)
            if armed is None:
                return None
            if armed.probability < 1.0 and self._random.random() >= armed.probability:
                return None
            return armed

    def answer(self, failure: ArmedFailure, tool: str, args: Mapping[str, Any]) -> Injected | None:
        """Return the answer in place of the tool's, or None when the real tool answers."""
        with self._lock:
            effect = self._effects.get((tool, failure.mode))
        if effect is not None:
            # An agent may send arguments that the effect cannot take; they get the plain answer.
            with contextlib.suppress(Exception):
                return effect(args)
        return _ANSWERS.get(failure.mode)

    def armed(self, served: Iterable[str]) -> list[dict[str, Any]]:
        """Return `{tool, mode, probability}` for every served tool that has a failure armed."""
        with self._lock:
            found = [(tool, self._by_tool.get(tool, self._for_all)) for tool in served]
        return [
            {"tool": tool, "mode": failure.mode, "probability": failure.probability}
            for tool, failure in found
            if failure
        ]


MODE_VARIABLE: Final = "MOCK_MCP_FAILURE_MODE"
TOOL_VARIABLE: Final = "MOCK_MCP_FAILURE_TOOL"
PROBABILITY_VARIABLE: Final = "MOCK_MCP_FAILURE_PROBABILITY"
TIMEOUT_VARIABLE: Final = "MOCK_MCP_TIMEOUT_SECONDS"


def arm_from_environment(
    environment: Mapping[str, str], plan: FailurePlan, served: Iterable[str]
) -> None:
    """Arm the failure that an environment asks for, for each served tool of its name.

    Raises `ValueError` naming an invalid variable.
    """
    failure = failure_from_environment(environment)
    if failure is None:
        return
    if failure.tool is None:
        plan.arm(failure)
        return
    for tool in served:
        if tool_name_matches(failure.tool, tool):
            plan.arm(replace(failure, tool=tool))


def environment_for(failure: ArmedFailure) -> dict[str, str]:
    """Return the variables that ask for `failure`."""
    return {
        MODE_VARIABLE: failure.mode,
        TOOL_VARIABLE: failure.tool or "",
        PROBABILITY_VARIABLE: str(failure.probability),
        TIMEOUT_VARIABLE: str(failure.delay_s),
    }


def failure_from_environment(environment: Mapping[str, str]) -> ArmedFailure | None:
    """Return the failure that an environment asks for; raises `ValueError` naming a bad variable."""
    mode = environment.get(MODE_VARIABLE, "").strip()
    if not mode:
        return None
    return ArmedFailure(
        tool=environment.get(TOOL_VARIABLE, "").strip() or None,
        mode=known_mode(mode),
        probability=_number(environment, PROBABILITY_VARIABLE, 1.0),
        delay_s=_number(environment, TIMEOUT_VARIABLE, 10.0),
    )


def _number(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, "").strip()
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(f"{name}={text!r} is not a number of 0 or more")
    return number
