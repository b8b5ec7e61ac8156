"""Adding up tokens without ever making a run look cheaper than it was.

A sum is null as soon as one of its parts is unknown (docs/architecture.md, "Tokens").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Tokens(NamedTuple):
    """Token counts, null where unknown; `input` is the whole prompt, cache hits included."""

    input: int | None
    cached: int | None
    output: int | None


UNKNOWN = Tokens(None, None, None)
NOTHING = Tokens(0, 0, 0)


def run_tokens(
    usage: Mapping[str, Any] | None, model_calls: Sequence[Mapping[str, Any]] | None
) -> Tokens:
    """Return the tokens of one run from its trace's `usage` and `model_calls`.

    A call without a prompt or completion count blanks all three sums, one without a cached count
    only the cached sum.
    """
    if model_calls:
        summed = Tokens(
            _sum(call.get("prompt_tokens") for call in model_calls),
            _sum(call.get("cached_tokens") for call in model_calls),
            _sum(call.get("completion_tokens") for call in model_calls),
        )
        return UNKNOWN if summed.input is None or summed.output is None else summed
    if usage:
        return Tokens(usage.get("input_tokens"), None, usage.get("output_tokens"))
    return UNKNOWN


def total(parts: Iterable[Tokens]) -> Tokens:
    """Return the sum per field; a field is null when any part's is."""
    listed = list(parts)
    return Tokens(
        _sum(part.input for part in listed),
        _sum(part.cached for part in listed),
        _sum(part.output for part in listed),
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    result = 0
    for count in counts:
        if count is None:
            return None
        result += count
    return result
