"""Whether the prompts of a conversation came from the model's prompt cache.

Rules: docs/ladder.md, "Cache check". Numbers that a runtime did not report are unknown, and unknown
is never a pass.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wt_git.ladder.pricing import EXACT, count
from wt_git.records.sweep_records import CacheCheckRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wt_git.config import CacheCheck

_UNKNOWN = "cache split not reported for one or more calls"


class _CheckedCall(NamedTuple):
    """A call after the first of its conversation. `miss` says why it missed the cache."""

    known: bool
    line: str
    miss: str | None = None


def check_cache(
    runs: Sequence[Sequence[Mapping[str, Any]] | None], config: CacheCheck
) -> CacheCheckRecord:
    """Return the result for one scenario from the `model_calls` of its runs, in run order.

    Calls are numbered from 1 within their conversation. A conversation is part of one run.
    """
    checked = [
        _check_call(number, call, config.min_cached_ratio)
        for calls in runs
        for number, call in _after_the_first(calls or ())
    ]
    misses = [one.miss for one in checked if one.miss is not None]
    is_known = bool(runs) and all(runs) and all(one.known for one in checked)
    lines = [one.line for one in checked]
    if misses:
        return CacheCheckRecord(result="fail", reason="; ".join(misses), calls=lines)
    if not is_known:
        return CacheCheckRecord(result="unknown", reason=_UNKNOWN, calls=lines)
    return CacheCheckRecord(result="pass", reason=None, calls=lines)


def combine_checks(rows: Iterable[CacheCheckRecord]) -> CacheCheckRecord:
    """Return a sweep's result from those of its rows, in selection order. No rows are a pass."""
    listed = list(rows)
    lines = [line for row in listed for line in row.calls]
    result: Literal["fail", "unknown"]
    for result in ("fail", "unknown"):
        reasons = [row.reason for row in listed if row.result == result and row.reason]
        if any(row.result == result for row in listed):
            reason = "; ".join(reasons) if result == "fail" else next(iter(reasons), None)
            return CacheCheckRecord(result=result, reason=reason, calls=lines)
    return CacheCheckRecord(result="pass", reason=None, calls=lines)


def _after_the_first(
    calls: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the calls after the first of each conversation, with their numbers."""
    conversations: dict[str | None, list[Mapping[str, Any]]] = {}
    for call in calls:
        conversations.setdefault(call.get("conversation"), []).append(call)
    for conversation in conversations.values():
        yield from list(enumerate(conversation, start=1))[1:]


def _check_call(number: int, call: Mapping[str, Any], ratio: Decimal) -> _CheckedCall:
    prompt, cached = count(call.get("prompt_tokens")), count(call.get("cached_tokens"))
    if prompt is None or cached is None or cached > prompt:
        return _CheckedCall(known=False, line=f"call {number}: cache split unknown")
    line = f"call {number}: cached {cached}/{prompt}"
    if Decimal(cached) < EXACT.multiply(ratio, Decimal(prompt)):
        missed = f"cached {cached} of {prompt} prompt tokens"
        return _CheckedCall(True, line, f"prompt cache miss at call {number}: {missed}")
    return _CheckedCall(True, line)
