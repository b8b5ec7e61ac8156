"""Token counts from the spelling that each provider uses; docs/writing-a-runtime.md, "Usage".

A count that is absent or unusable is None: never 0, never guessed. `prompt_tokens` is the whole
prompt, cache reads and writes included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

# The first usable spelling of each count wins. A dot leads into an object, a plus adds what is there.
_PROMPT = (
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount+toolUsePromptTokenCount",
    "prompt_token_count+tool_use_prompt_token_count",
    "inputTokens",
    "promptTokens",
    "prompt_eval_count",
    "tokens.input_tokens",
    "billed_units.input_tokens",
    "input",
)
_CACHED = (
    "cached_tokens",
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "input_token_details.cache_read",
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "cachedInputTokens",
    "prompt_cache_hit_tokens",
    "cache_read_tokens",
    "cacheRead",
)
_WRITTEN = (
    "cache_creation_input_tokens",
    "cache_creation.ephemeral_5m_input_tokens+cache_creation.ephemeral_1h_input_tokens",
    "cacheWriteInputTokens",
    "input_token_details.cache_creation",
    "prompt_tokens_details.cache_write_tokens",
    "cache_write_tokens",
    "cacheWrite",
)
_COMPLETION = (
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount+thoughtsTokenCount",
    "candidates_token_count+thoughts_token_count",
    "outputTokens",
    "completionTokens",
    "eval_count",
    "tokens.output_tokens",
    "billed_units.output_tokens",
    "output",
)
_REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "output_token_details.reasoning",
    "thoughtsTokenCount",
    "thoughts_token_count",
    "reasoning_tokens",
    "reasoningTokens",
)

# Providers whose count of the prompt leaves out what the cache read and wrote: the three counts, added up.
_BESIDE_THE_CACHE = (
    ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
    ("input", "cacheRead", "cacheWrite"),
)
_LARGEST_EXACT = 2**53
_MOST_DIGITS = 20
_MOST_KEYS = 12


class Count(NamedTuple):
    """A usable count and the key that it was reported under."""

    value: int
    spelling: str


class Counts(NamedTuple):
    """The counts of one model call, or of one send; None where there is no usable one.

    `cached` and `written` are parts of the prompt, `reasoning` is a part of the completion.
    """

    prompt: Count | None = None
    cached: Count | None = None
    completion: Count | None = None
    written: Count | None = None
    reasoning: Count | None = None

    def as_entry(self, conversation: str) -> dict[str, Any]:
        """Return the entry of `Trace.model_calls`."""
        entry = {
            "conversation": conversation,
            "prompt_tokens": self.prompt and self.prompt.value,
            "cached_tokens": self.cached and self.cached.value,
            "completion_tokens": self.completion and self.completion.value,
        }
        return (
            entry if self.written is None else {**entry, "cache_write_tokens": self.written.value}
        )


def usage_of(response: Mapping[str, Any]) -> object:
    """Return the usage in a reply of any shape: the object with the counts, else None."""
    inner = next(
        (
            response[key]
            for key in ("data", "kwargs", "message")
            if isinstance(response.get(key), Mapping)
        ),
        response,
    )
    for source in (response, inner):
        for key in ("usage", "usageMetadata", "usage_metadata", "meta", "token_usage"):
            if source.get(key) is not None:
                return source[key]
        if "prompt_eval_count" in source:
            return source
    return None


class UsageMeter:
    """Adds up the usage of one run, send by send."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._entries: list[dict[str, Any]] = []
        self._any_reported = False
        self._is_named = False
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
        parts: list[Counts] = []
        calls = _entries_of(usage, whole)
        for counts, conversation in calls:
            consistent, warning = drop_impossible(counts)
            warnings += [warning] if warning else []
            parts.append(consistent)
            self._entries.append(consistent.as_entry(conversation or self._session_id))
        whole, contradiction = drop_impossible(whole)
        prompt, completion = whole.prompt, whole.completion
        if contradiction is None:
            if prompt is None or "+" not in prompt.spelling:
                prompt = _first(usage, ("input_tokens", "prompt_tokens")) or prompt
            completion = _first(usage, ("output_tokens", "completion_tokens")) or completion
        elif contradiction not in warnings:
            warnings.append(contradiction)
        warnings += self._not_understood(usage, whole, contradiction)
        self._inputs.append(_value(prompt, [counts.prompt for counts in parts]))
        self._outputs.append(_value(completion, [counts.completion for counts in parts]))
        return warnings

    def _not_understood(
        self, usage: Mapping[str, Any], whole: Counts, contradiction: str | None
    ) -> list[str]:
        """Return a warning, once a run, for an object in which neither count could be read."""
        unread = not (whole.prompt or whole.completion or contradiction or usage.get("calls"))
        if not usage or not unread or self._is_named:
            return []
        self._is_named = True
        keys = ", ".join(sorted(map(str, usage))[:_MOST_KEYS])
        return [f"usage_unknown: no count could be read; its keys are: {keys}"]

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
        prompt=_prompt(usage),
        cached=_first(usage, _CACHED),
        completion=_first(usage, _COMPLETION),
        written=_first(usage, _WRITTEN),
        reasoning=_first(usage, _REASONING),
    )


def _prompt(usage: Mapping[str, Any]) -> Count | None:
    for spellings in _BESIDE_THE_CACHE:
        fresh, *cache = spellings
        if "prompt_tokens" in usage or fresh not in usage or not any(key in usage for key in cache):
            continue
        # The fresh input has to be known. A part that is absent, or null where Anthropic has it, is none.
        given = [usage.get(key) for key in spellings]
        values = [_usable(value) for value in given]
        null_is_none = fresh == "input_tokens"
        if values[0] is None or any(
            value is None and (key in usage and not (null_is_none and usage[key] is None))
            for key, value in zip(cache, values[1:], strict=True)
        ):
            return None
        used = [key for key, value in zip(spellings, values, strict=True) if value is not None]
        return Count(sum(value or 0 for value in values), "+".join(used))
    return _first(usage, _PROMPT)


def drop_impossible(counts: Counts) -> tuple[Counts, str | None]:
    """Return counts whose parts fit into their whole, else none at all, and a warning.

    A provider that counts the cache or the reasoning in another way makes every sum meaningless.
    """
    for part, whole in (
        (counts.cached, counts.prompt),
        (counts.written, counts.prompt),
        (counts.reasoning, counts.completion),
    ):
        if part is not None and whole is not None and part.value > whole.value:
            return Counts(), (
                f"usage_inconsistent: {part.spelling}={part.value} exceeds "
                f"{whole.spelling}={whole.value}"
            )
    return counts, None


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


def _first(usage: Mapping[str, Any], spellings: tuple[str, ...]) -> Count | None:
    for spelling in spellings:
        parts = [_look_up(usage, part) for part in spelling.split("+")]
        values = [_usable(part) for part in parts if part is not None]
        known = [value for value in values if value is not None]
        if known and len(known) == len(values) and parts[0] is not None:
            return Count(sum(known), spelling)
    return None


def _look_up(usage: Mapping[str, Any], spelling: str) -> object:
    outer, dot, inner = spelling.partition(".")
    value = usage.get(outer)
    if not dot:
        return value
    return value.get(inner) if isinstance(value, Mapping) else None


def _usable(value: object) -> int | None:
    """Return a count of at least 0: an integer, or a float or text that is exactly one."""
    if isinstance(value, str) and value.strip().isdecimal() and value.isascii():
        return int(value) if len(value) < _MOST_DIGITS else None
    if isinstance(value, float) and value.is_integer() and 0 <= value <= _LARGEST_EXACT:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None
