"""Token counts from the spelling that each provider uses; docs/writing-a-runtime.md, "Usage".

A count that is absent or unusable is None: never 0, never guessed. `prompt_tokens` is the whole
prompt, cache hits included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_CACHED = ("cached_tokens", "prompt_tokens_details.cached_tokens", "cache_read_input_tokens")
_CACHED_BESIDE_INPUT = "cacheRead"


class Count(NamedTuple):
    """A usable count and the key that it was reported under."""

    value: int
    spelling: str


class Counts(NamedTuple):
    """The counts of one model call, or of one send; None where there is no usable one."""

    prompt: Count | None = None
    cached: Count | None = None
    completion: Count | None = None

    def as_entry(self, conversation: str) -> dict[str, Any]:
        """Return the entry of `Trace.model_calls`."""
        return {
            "conversation": conversation,
            "prompt_tokens": self.prompt and self.prompt.value,
            "cached_tokens": self.cached and self.cached.value,
            "completion_tokens": self.completion and self.completion.value,
        }


class UsageMeter:
    """Adds up the usage of one run, send by send."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._entries: list[dict[str, Any]] = []
        self._any_reported = False
        self._inputs: list[int | None] = []  # tokens of each send
        self._outputs: list[int | None] = []

    def add(self, usage: object) -> list[str]:
        """Account one send and return warnings; a value that is no object counts as no report."""
        if not isinstance(usage, Mapping):
            self._inputs.append(None)
            self._outputs.append(None)
            self._entries.append(Counts().as_entry(self._session_id))
            return []
        self._any_reported = True
        whole = read_counts(usage)
        warnings: list[str] = []
        calls = _entries_of(usage, whole)
        for counts, conversation in calls:
            consistent, warning = drop_impossible_cache(counts)
            warnings += [warning] if warning else []
            self._entries.append(consistent.as_entry(conversation or self._session_id))
        parts = [counts for counts, _ in calls]
        prompt = _first(usage, ("input_tokens", "prompt_tokens")) or whole.prompt
        completion = _first(usage, ("output_tokens", "completion_tokens")) or whole.completion
        self._inputs.append(_value(prompt, [counts.prompt for counts in parts]))
        self._outputs.append(_value(completion, [counts.completion for counts in parts]))
        return warnings

    def totals(self) -> dict[str, int] | None:
        """Return `{input_tokens, output_tokens}` over all sends, None if one lacks a pair."""
        sent_in, sent_out = _sum(self._inputs), _sum(self._outputs)
        if not self._inputs or sent_in is None or sent_out is None:
            return None
        return {"input_tokens": sent_in, "output_tokens": sent_out}

    def model_calls(self) -> list[dict[str, Any]] | None:
        """Return one entry per model call in order, None if no send reported usage."""
        return self._entries if self._any_reported else None


def read_counts(usage: Mapping[str, Any]) -> Counts:
    """Return the counts of one usage object, the first usable spelling of each."""
    return Counts(
        prompt=_first(usage, ("prompt_tokens", "input_tokens")) or _prompt_beside_cache(usage),
        cached=_first(usage, (*_CACHED, _CACHED_BESIDE_INPUT)),
        completion=_first(usage, ("completion_tokens", "output_tokens", "output")),
    )


def drop_impossible_cache(counts: Counts) -> tuple[Counts, str | None]:
    """Return counts whose cached part fits into the prompt, and a warning if it did not.

    A provider that counts the cache beside the prompt makes the split meaningless; then the cached
    count is dropped and everything else stands as reported.
    """
    prompt, cached = counts.prompt, counts.cached
    if prompt is None or cached is None or cached.value <= prompt.value:
        return counts, None
    return counts._replace(cached=None), (
        f"usage_inconsistent: {cached.spelling}={cached.value} exceeds "
        f"{prompt.spelling}={prompt.value}"
    )


def _entries_of(usage: Mapping[str, Any], whole: Counts) -> list[tuple[Counts, str]]:
    """Return counts and own conversation of each model call; of the send where none are listed."""
    calls = usage.get("calls")
    if not isinstance(calls, (list, tuple)) or not calls:
        return [(whole, "")]
    return [
        (read_counts(call), _conversation(call)) if isinstance(call, Mapping) else (Counts(), "")
        for call in calls
    ]


def _conversation(call: Mapping[str, Any]) -> str:
    name = call.get("conversation")
    return name if isinstance(name, str) else ""


def _value(reported: Count | None, parts: list[Count | None]) -> int | None:
    """Return the tokens of a send: as reported, else the sum over its model calls."""
    return reported.value if reported else _sum([count and count.value for count in parts])


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _prompt_beside_cache(usage: Mapping[str, Any]) -> Count | None:
    """Return the prompt of providers whose `input` leaves out the tokens of `cacheRead`."""
    fresh = _usable(usage.get("input"))
    if fresh is None or _CACHED_BESIDE_INPUT not in usage:
        return None if fresh is None else Count(fresh, "input")
    cached = _usable(usage.get(_CACHED_BESIDE_INPUT))
    return None if cached is None else Count(fresh + cached, f"input+{_CACHED_BESIDE_INPUT}")


def _first(usage: Mapping[str, Any], spellings: tuple[str, ...]) -> Count | None:
    for spelling in spellings:
        value = _usable(_look_up(usage, spelling))
        if value is not None:
            return Count(value, spelling)
    return None


def _look_up(usage: Mapping[str, Any], spelling: str) -> object:
    outer, dot, inner = spelling.partition(".")
    value = usage.get(outer)
    if not dot:
        return value
    return value.get(inner) if isinstance(value, Mapping) else None


def _usable(value: object) -> int | None:
    """Return a true non-negative integer; anything else is no count."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None
