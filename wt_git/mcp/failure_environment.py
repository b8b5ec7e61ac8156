"""Armed failures as environment variables, the way in which a tool server's process is told of them.

MOCK_MCP_FAILURE_MODE         the mode; empty or absent: none
MOCK_MCP_FAILURE_TOOL         the tool it is for, by its bare name; empty or absent: every tool
MOCK_MCP_FAILURE_PROBABILITY  of each call to fail, 1 when absent
MOCK_MCP_TIMEOUT_SECONDS      how long a timeout holds a call back, 10 when absent
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from wt_git.api.evaluators.matching import tool_name_matches
from wt_git.mcp.failures import ArmedFailure, known_mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wt_git.mcp.failures import FailurePlan

MODE: Final = "MOCK_MCP_FAILURE_MODE"
TOOL: Final = "MOCK_MCP_FAILURE_TOOL"
PROBABILITY: Final = "MOCK_MCP_FAILURE_PROBABILITY"
TIMEOUT_SECONDS: Final = "MOCK_MCP_TIMEOUT_SECONDS"


def arm_from(environment: Mapping[str, str], plan: FailurePlan, served: Iterable[str]) -> None:
    """Arm what an environment asks for, for the served tools that it means.

    Raises `ValueError` naming a variable that says nothing usable.
    """
    failure = failure_from(environment)
    if failure is None:
        return
    if failure.tool is None:
        plan.arm(failure)
        return
    for tool in served:
        if tool_name_matches(failure.tool, tool):
            plan.arm(replace(failure, tool=tool))


def environment_of(failure: ArmedFailure) -> dict[str, str]:
    """Return the variables that ask for `failure`."""
    return {
        MODE: failure.mode,
        TOOL: failure.tool or "",
        PROBABILITY: str(failure.probability),
        TIMEOUT_SECONDS: str(failure.delay_s),
    }


def failure_from(environment: Mapping[str, str]) -> ArmedFailure | None:
    """Return the failure that an environment asks for; raises `ValueError` naming a bad variable."""
    mode = environment.get(MODE, "").strip()
    if not mode:
        return None
    return ArmedFailure(
        tool=environment.get(TOOL, "").strip() or None,
        mode=known_mode(mode),
        probability=_number(environment, PROBABILITY, 1.0),
        delay_s=_number(environment, TIMEOUT_SECONDS, 10.0),
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
