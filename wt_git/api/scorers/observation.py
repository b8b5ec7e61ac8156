"""Grading the external state after a run. docs/writing-a-scenario.md, "Observation paths".

A path such as `prs[0].base` leads to a value: dots join keys, `[0]` is an index, and so is a key of
digits only (`prs.0.base`). Text may follow a bracket without a dot.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wt_git.api.score import LayerResult, error_message
from wt_git.api.scorers.combine import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scorers.combine import Scorer
    from wt_git.api.trace import Trace

_STEP = re.compile(r"\[(?P<index>[0-9]+)\]|(?P<key>[^.\[\]]+)")
_DIGITS = re.compile(r"[0-9]+")
_INDEX_DIGITS = 18  # longer than any list; Python refuses to read thousands of digits


class PathError(Exception):
    """A path is malformed, or there is no value at it."""


def parse_path(path: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of `path`; the empty path has none."""
    if not isinstance(path, str):
        raise PathError(f"a path is a string, got {type(path).__name__}")
    if not path:
        return ()
    return tuple(step for segment in path.split(".") for step in _segment(segment))


def _segment(segment: str) -> list[str | int]:
    if not segment:
        raise PathError("an empty segment")
    steps: list[str | int] = []
    at = 0
    while at < len(segment):
        step = _STEP.match(segment, at)
        if step is None:
            raise PathError(f"a stray bracket or a bad index at {segment[at:]!r}")
        digits = step["index"] or step["key"]
        steps.append(_index(digits) if _DIGITS.fullmatch(digits) else digits)
        at = step.end()
    return steps


def _index(digits: str) -> int:
    if len(digits) > _INDEX_DIGITS:
        raise PathError("an index beyond every list")
    return int(digits)


def walk(value: object, steps: tuple[str | int, ...]) -> object:
    """Return the value at `steps` inside `value`. Raises `PathError` naming the step that fails."""
    for step in steps:
        if isinstance(step, int) and isinstance(value, list | tuple):
            if step >= len(value):
                raise PathError(f"index {step} is beyond a list of {len(value)}")
            value = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            if step not in value:
                raise PathError(f"no key {step!r}")
            value = value[step]
        else:
            wanted = "a list" if isinstance(step, int) else "an object"
            raise PathError(f"{step!r} needs {wanted}, found {type(value).__name__}")
    return value


def observation(source: str, path: str, predicate: Callable[[Any], object], label: str) -> Scorer:
    """Return a scorer that calls `predicate` with one value of the observations.

    `source` is a key of `trace.observations`, `path` leads to the value inside it. A missing source
    or path, a malformed path and an exception of the predicate are failures. Every detail begins
    with `label`.
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
            return _failed(label, f"predicate error: {error_message(error)}")
        if not held:
            return _failed(label, f"predicate failed for {excerpt(value)}")
        return LayerResult(passed=True, detail=f"{label}: observed")

    return observation_scorer


def _failed(label: str, problem: str) -> LayerResult:
    return LayerResult(passed=False, detail=f"{label}: {problem}")
