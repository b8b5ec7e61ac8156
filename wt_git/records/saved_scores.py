"""The score that stands beside a trace, as whoever scores that trace again finds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.api.score import SCORE_FORMAT_VERSION
from wt_git.records import layout
from wt_git.records.lenient import within
from wt_git.records.saved_runs import UnreadableRunError, gate_layers, load_score
from wt_git.records.sidecars import run_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import GateLayer
    from wt_git.records.quick_runs import ScoreFacts
    from wt_git.records.sidecars import RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScore:
    """A score, the layers that decided its verdict, and who made it, if it was not `wt run`."""

    score: ScoreFacts
    gate_layers: tuple[GateLayer, ...]
    origin: Mapping[str, Any]

    @property
    def verdict(self) -> RunVerdict:
        """What its layers amount to by its own gate."""
        return run_verdict(self.score, self.gate_layers)


class UnreadableScoreError(ValueError):
    """What stands beside a trace is no score that this version reads.

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
