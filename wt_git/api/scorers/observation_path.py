"""Paths into frozen observations, such as `prs[0].base`.

Keys are joined by dots, `[0]` is an index, and so is a key of digits only (`prs.0.base`). Text may
follow a bracket without a dot. docs/writing-a-scenario.md, "Observation paths".
"""

from __future__ import annotations

import re

_STEP = re.compile(r"\[(?P<index>[0-9]+)\]|(?P<key>[^.\[\]]+)")
_DIGITS = re.compile(r"[0-9]+")
_INDEX_DIGITS = 18  # no list is longer, and Python refuses to read numbers of thousands of digits


class PathError(Exception):
    """A path is malformed, or leads nowhere in a particular value."""


def parse_path(path: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of `path`; the empty path has none. Raises `PathError`."""
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
    """Return what `steps` lead to inside `value`. Raises `PathError` naming the step that fails."""
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
