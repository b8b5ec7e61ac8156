"""The scenario that a run was scored by, as its sidecar keeps it (docs/files.md, "Score sidecars").

Callables are not kept: policies, checks and perturbations are missing. Their results are in the score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from wt_git.api.document_reader import DocumentReader
from wt_git.api.scenario import Scenario

if TYPE_CHECKING:
    from wt_git.api.score import GateLayer
    from wt_git.api.trace import Trace


class UnusableScenarioError(ValueError):
    """A sidecar without a usable description of the scenario."""


def scored_scenario(block: object, trace: Trace) -> Scenario:
    """Return the scenario that `block` describes; missing members come from `trace` or defaults.

    Raises `UnusableScenarioError` for a value that is no object, or has a member of another type.
    """
    document = DocumentReader(block, "scenario", UnusableScenarioError)
    try:
        return Scenario(
            name=document.text("name", trace.scenario_id),
            prompt=document.text("prompt", "") or _last_user_text(trace),
            target_facts=[list(group) for group in _lists(document, "target_facts")],
            requires_tool_use=document.flag("requires_tool_use", default=False),
            must_call=[_entry(entry) for entry in document.array("must_call")],
            forbidden_calls=document.texts("forbidden_calls"),
            user_turns=document.texts("user_turns"),
            gate_layers=_gates(document),
            tags=document.texts("tags"),
        )
    except UnusableScenarioError:
        raise
    except ValueError as problem:
        raise UnusableScenarioError(str(problem)) from problem


def _last_user_text(trace: Trace) -> str:
    """Return the last text of the user, for sidecars without the prompt."""
    said = (turn.content for turn in reversed(trace.turns) if turn.role == "user")
    return next((text for text in said if text.strip()), trace.scenario_id)


def _gates(document: DocumentReader) -> list[GateLayer] | None:
    if "gate_layers" not in document:
        return None
    return cast("list[GateLayer]", document.texts("gate_layers"))


def _lists(document: DocumentReader, name: str) -> list[list[str]]:
    return [_texts(item, name) for item in document.array(name)]


def _entry(entry: object) -> str | list[str]:
    return entry if isinstance(entry, str) else _texts(entry, "must_call")


def _texts(value: object, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UnusableScenarioError(f"scenario.{name} must hold lists of strings")
    return value
