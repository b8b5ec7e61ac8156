"""The score that stands beside a trace, as whoever scores that trace again finds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.api.score import (
    GATE_LAYER_ORDER,
    SCORE_FORMAT_VERSION,
    Score,
    ScoreFormatError,
    score_from_dict,
)
from wt_git.records import layout
from wt_git.records.lenient import within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.score import GateLayer


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScore:
    """A score, the layers that decided its verdict, and who made it, if it was not `wt run`."""

    score: Score
    gate_layers: tuple[GateLayer, ...]
    origin: Mapping[str, Any]


class UnreadableScoreError(ValueError):
    """What stands beside a trace is no score that this version reads.

    `is_newer`: a later version of this program wrote it.
    """

    def __init__(self, message: str, *, is_newer: bool = False) -> None:
        super().__init__(message)
        self.is_newer = is_newer


def read_score(trace_path: str) -> SavedScore | None:
    """Return the score beside the trace at `trace_path`; None when there is none.

    Raises `UnreadableScoreError`.
    """
    try:
        found = json.loads(files.read_regular(layout.sidecar_name(trace_path)).decode("utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableScoreError(error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableScoreError("it is not JSON") from error
    if not isinstance(found, dict):
        raise UnreadableScoreError("it is not an object")
    try:
        score = score_from_dict(found)
    except ScoreFormatError as error:
        raise UnreadableScoreError(str(error), is_newer=_is_newer(found)) from error
    return SavedScore(score=score, gate_layers=_gates(found), origin=within(found.get("origin")))


def _is_newer(document: Mapping[str, Any]) -> bool:
    said = document.get("windtunnel_score", within(document.get("score")).get("windtunnel_score"))
    return type(said) is int and said > SCORE_FORMAT_VERSION


def _gates(document: Mapping[str, Any]) -> tuple[GateLayer, ...]:
    """Return the layers that decide; all of them where the file does not say it in a known way."""
    for said in (document.get("gate_layers"), within(document.get("scenario")).get("gate_layers")):
        if isinstance(said, list) and all(name in GATE_LAYER_ORDER for name in said):
            return tuple(layer for layer in GATE_LAYER_ORDER if layer in said)
    return GATE_LAYER_ORDER
