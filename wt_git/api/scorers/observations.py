"""Grading what the agent left behind. docs/writing-a-scenario.md, "Scorers"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.evaluators.contained import message_of
from wt_git.api.score import LayerResult
from wt_git.api.scorers.observation_path import PathError, parse_path, walk
from wt_git.api.scorers.rendering import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scorers.combine import Scorer
    from wt_git.api.trace import Trace


def observation(source: str, path: str, predicate: Callable[[Any], object], label: str) -> Scorer:
    """Return a scorer that asks `predicate` about one value of the observations.

    `source` is a key of `trace.observations`, `path` leads to the value inside it. A source or path
    that is not there, a malformed path and a raising predicate are failures, never exceptions;
    every detail begins with `label`.
    """

    def observation_scorer(trace: Trace) -> LayerResult:
        observed = trace.observations or {}
        if source not in observed:
            return _failed(label, f"missing observation source {source!r}")
        try:
            value = walk(observed[source], parse_path(path))
        except PathError as problem:
            return _failed(label, f"missing path {path!r} in {source!r}: {problem}")
        try:
            held = bool(predicate(value))
        except Exception as error:  # noqa: BLE001 - authored code may raise anything
            return _failed(label, f"predicate error: {message_of(error)}")
        if not held:
            return _failed(label, f"predicate failed for {excerpt(value)}")
        return LayerResult(passed=True, detail=f"{label}: observed")

    return observation_scorer


def _failed(label: str, problem: str) -> LayerResult:
    return LayerResult(passed=False, detail=f"{label}: {problem}")
