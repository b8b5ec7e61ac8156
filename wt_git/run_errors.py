"""The error of a run, as its trace records it: what broke, its class, and whether the run is data.

docs/failure-classes.md explains the classes; `wt_git.api.failure_classes` assigns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FailureClass: TypeAlias = Literal[
    "provider", "host", "harness", "operator", "model", "inconclusive"
]
FAILURE_CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)

NO_DATA: frozenset[str] = frozenset({"provider", "host", "operator", "inconclusive"})
"""The classes of trouble that say nothing about the agent: such a run is no data."""

RUNNER_ERROR = "runner_error: "
"""How the first warning of a run begins that could not be executed."""

FAILURE_CLASS = "failure_class: "
"""How the warning begins that has the class of the run's error; without it that is `harness`."""

ERROR_BESIDE_REPLY = "an error came beside the reply: "
"""How the warning begins of an error that came with an answer, which is scored."""

BLOCKED = "blocked: "
"""How the warning begins of a run in which the provider withheld the model's answer."""


def run_class(warnings: Iterable[str]) -> FailureClass | None:
    """Return the class of the error that a run's warnings record; None for a run without one."""
    broke = False
    for warning in warnings:
        broke = broke or warning.startswith(RUNNER_ERROR.rstrip())
        if warning.startswith(FAILURE_CLASS):
            found = warning.removeprefix(FAILURE_CLASS)
            return found if found in FAILURE_CLASSES else "harness"
    return "harness" if broke else None


def is_data(warnings: Iterable[str]) -> bool:
    """Say whether a run with these warnings says anything about the agent."""
    return run_class(warnings) not in NO_DATA


def data_text(runs: int, of: int, by_class: Mapping[str, int]) -> str:
    """Return a clause for people about runs that are no data; empty where every run is data."""
    if runs == of:
        return ""
    missing = (f"{count} {name}" for name, count in by_class.items() if name in NO_DATA)
    return f"{runs} of {of} runs are data: {', '.join(missing)}"
