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
    """A usable count and the spelling it was reported under."""

    value: int
    spelling: str


class Counts(NamedTuple):
    """The counts of one model call, or of one send; None where nothing usable was said."""

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
        self._input: int | None = None
        self._output: int | None = None
        self._sends = 0

    def add(self, usage: object) -> list[str]:
        """Account one send and return warnings; anything but an object is no report at all."""
        self._sends += 1
        if not isinstance(usage, Mapping):
            self._total(None, None)
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
        self._total(
            _total_of(usage, ("input_tokens", "prompt_tokens"), whole.prompt, parts, "prompt"),
            _total_of(
                usage, ("output_tokens", "completion_tokens"), whole.completion, parts, "completion"
            ),
        )
        return warnings

    def totals(self) -> dict[str, int] | None:
        """Return `{input_tokens, output_tokens}` over all sends, None if one lacks a pair."""
        if not self._sends or self._input is None or self._output is None:
            return None
        return {"input_tokens": self._input, "output_tokens": self._output}

    def model_calls(self) -> list[dict[str, Any]] | None:
        """Return one entry per model call in order, None if no send reported usage."""
        return self._entries if self._any_reported else None

    def _total(self, sent_in: int | None, sent_out: int | None) -> None:
        if sent_in is None or sent_out is None:
            self._input = self._output = None
        elif self._sends == 1:
            self._input, self._output = sent_in, sent_out
        elif self._input is not None and self._output is not None:
            self._input += sent_in
            self._output += sent_out


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


def _total_of(
    usage: Mapping[str, Any],
    spellings: tuple[str, ...],
    whole: Count | None,
    parts: list[Counts],
    field: str,
) -> int | None:
    """Return a send's total: as reported, else of its normalised counts, else of its calls."""
    reported = _first(usage, spellings) or whole
    if reported is not None:
        return reported.value
    counts: list[Count | None] = [getattr(part, field) for part in parts]
    known = [count.value for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _prompt_beside_cache(usage: Mapping[str, Any]) -> Count | None:
    """Return the prompt of providers whose `input` leaves out what `cacheRead` counts."""
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
