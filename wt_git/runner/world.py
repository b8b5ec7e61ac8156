"""Checking the world before a turn is spent in it; docs/writing-a-scenario.md, "Preconditions"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.preconditions import FileExists, ToolAvailable, WorldMismatchError
from wt_git.runner.foreign_values import safe_repr, safe_text

if TYPE_CHECKING:
    from wt_git.api.preconditions import Precondition, PreconditionContext
    from wt_git.api.scenario import Scenario


def preconditions_of(scenario: Scenario) -> list[Precondition]:
    """Return everything the scenario requires: tools, then files, then its own checks."""
    return [
        *(ToolAvailable(name) for name in scenario.requires_tools),
        *(FileExists(path) for path in scenario.requires_files),
        *scenario.preconditions,
    ]


def check_world(
    scenario_name: str, preconditions: list[Precondition], context: PreconditionContext
) -> None:
    """Evaluate all preconditions; raise one `WorldMismatchError` that lists every failure."""
    failures = [
        f"{safe_repr(precondition)}: {reason}"
        for precondition in preconditions
        if (reason := _failure(precondition, context)) is not None
    ]
    if failures:
        raise WorldMismatchError(scenario_name, failures)


def _failure(precondition: Precondition, context: PreconditionContext) -> str | None:
    try:
        reason = precondition.check(context)
    except Exception as error:  # noqa: BLE001 - a check that breaks has not found its world
        return f"raised {type(error).__name__}: {safe_text(error)}"
    return None if reason is None else str(reason)
