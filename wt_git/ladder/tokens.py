"""Sums of tokens: a sum with an unknown part is unknown (docs/architecture.md, "Tokens").

Otherwise a run would look cheaper than it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Tokens(NamedTuple):
    """Token counts, None if unknown. `input` is the whole prompt, including cache hits."""

    input: int | None
    cached: int | None
    output: int | None


UNKNOWN = Tokens(None, None, None)
NOTHING = Tokens(0, 0, 0)


def run_tokens(
    usage: Mapping[str, Any] | None, model_calls: Sequence[Mapping[str, Any]] | None
) -> Tokens:
    """Return the tokens of one run from its trace's `usage` and `model_calls`.

    A call without a prompt or completion count makes all three sums unknown, a call without a
    cached count only the cached sum. A send that reported nothing is such a call.
    """
    if model_calls:
        summed = Tokens(
            _sum(count(call.get("prompt_tokens")) for call in model_calls),
            _sum(count(call.get("cached_tokens")) for call in model_calls),
            _sum(count(call.get("completion_tokens")) for call in model_calls),
        )
        return UNKNOWN if summed.input is None or summed.output is None else summed
    if usage:
        return Tokens(count(usage.get("input_tokens")), None, count(usage.get("output_tokens")))
    return UNKNOWN


def total_tokens(parts: Iterable[Tokens]) -> Tokens:
    """Return the sum of each field, None if any part is unknown."""
    listed = list(parts)
    return Tokens(
        _sum(part.input for part in listed),
        _sum(part.cached for part in listed),
        _sum(part.output for part in listed),
    )


def count(value: object) -> int | None:
    """Return `value` if it is an integer of at least 0 and no boolean, else None."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def _sum(counts: Iterable[int | None]) -> int | None:
    result = 0
    for one in counts:
        if one is None:
            return None
        result += one
    return result
