"""The score beside a trace, and the scenario that the run was scored by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from wt_git import files
from wt_git.api.document_reader import DocumentReader
from wt_git.api.scenario import Scenario
from wt_git.api.score import SCORE_FORMAT_VERSION
from wt_git.decoding import within
from wt_git.records import layout
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.sidecars import gate_layers, load_score, run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import GateLayer
    from wt_git.api.trace import Trace
    from wt_git.records.runs.sidecars import RunVerdict, ScoreFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScore:
    """A score, the layers that decided its verdict, and its origin, if that was not `wt run`."""

    score: ScoreFacts
    gate_layers: tuple[GateLayer, ...]
    origin: Mapping[str, Any]

    @property
    def verdict(self) -> RunVerdict:
        """The verdict of its layers by its own gate."""
        return run_verdict(self.score, self.gate_layers)


class UnreadableScoreError(ValueError):
    """The score beside a trace cannot be read by this version.

    `is_newer`: a later version of this program wrote it.
    """

    def __init__(self, message: str, *, is_newer: bool) -> None:
        super().__init__(message)
        self.is_newer = is_newer


def read_score(trace_path: str) -> SavedScore | None:
    """Return the score beside the trace at `trace_path`; None when there is none.

    Raises `UnreadableScoreError`.
    """
    try:
        found = load_score(trace_path)
    except UnreadableRunError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise UnreadableScoreError(str(error), is_newer=_is_newer(trace_path)) from error
    return SavedScore(
        score=found.score, gate_layers=gate_layers(found), origin=within(found.origin)
    )


def _is_newer(trace_path: str) -> bool:
    try:
        found = within(json.loads(files.read_regular(layout.sidecar_name(trace_path))))
    except (OSError, ValueError, RecursionError):
        return False
    said = found.get("windtunnel_score", within(found.get("score")).get("windtunnel_score"))
    return type(said) is int and said > SCORE_FORMAT_VERSION


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
            prompt=document.text("prompt", "") or _asked(trace),
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


def _asked(trace: Trace) -> str:
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
