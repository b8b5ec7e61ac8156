"""Token counts of a reply, from the spelling that each provider and framework uses.

docs/writing-a-runtime.md, "Usage", lists the spellings. A count that is absent or unusable is None: never 0, never guessed.
The prompt is the whole prompt, with what was read from the cache and what was written to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

# Where a reply holds its usage, the first that is there.
PLACES = (
    "usage",
    "usageMetadata",
    "usage_metadata",
    "token_usage",
    "tokenUsage",
    "x_groq.usage",
    "amazon-bedrock-invocationMetrics",
)
_INNER = ("message", "response_metadata", "data", "kwargs", "metadata")
_BARE = ("prompt_eval_count", "eval_count")
"""Ollama's counts, which stand beside the message."""

PROMPT = (
    "prompt_tokens",
    "input_tokens",
    "promptTokens",
    "inputTokens",
    "inputTokens.total",
    "promptTokenCount",
    "prompt_token_count",
    "request_tokens",
    "inputTokenCount",
    "inputTextTokenCount",
    "input_token_count",
    "prompt_eval_count",
    "tokens.input_tokens",
    "billed_units.input_tokens",
    "input",
)
COMPLETION = (
    "completion_tokens",
    "output_tokens",
    "completionTokens",
    "outputTokens",
    "outputTokens.total",
    "candidatesTokenCount",
    "candidates_token_count",
    "responseTokenCount",
    "response_token_count",
    "response_tokens",
    "outputTokenCount",
    "generation_token_count",
    "generated_token_count",
    "eval_count",
    "tokens.output_tokens",
    "billed_units.output_tokens",
    "output",
)
# Counts that leave something out: what stands under these keys beside them belongs to them too.
BESIDE = {
    "input_tokens": ("cache_read_input_tokens", "cache_creation_input_tokens"),
    "inputTokens": ("cacheReadInputTokens", "cacheWriteInputTokens"),
    "inputTokenCount": ("cacheReadInputTokenCount", "cacheWriteInputTokenCount"),
    "input": ("cacheRead", "cacheWrite"),
    "promptTokenCount": ("toolUsePromptTokenCount",),
    "prompt_token_count": ("tool_use_prompt_token_count",),
    "candidatesTokenCount": ("thoughtsTokenCount",),
    "candidates_token_count": ("thoughts_token_count",),
    "responseTokenCount": ("thoughtsTokenCount",),
    "response_token_count": ("thoughts_token_count",),
}
# Without it, nothing says whether the prompt was cached; in the others' types null means none.
_NULL_IS_UNKNOWN = "cacheRead"

CACHED = (
    "cached_tokens",
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "cacheReadInputTokenCount",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "cache_read_tokens",
    "cachedInputTokens",
    "cached_input_tokens",
    "input_token_details.cache_read",
    "inputTokenDetails.cacheReadTokens",
    "inputTokens.cacheRead",
    "cache_read.input_tokens",
    "prompt_cache_hit_tokens",
    "num_cached_tokens",
    "cacheRead",
)
WRITTEN = (
    "cache_creation_input_tokens",
    "cacheWriteInputTokens",
    "cacheWriteInputTokenCount",
    "prompt_tokens_details.cache_write_tokens",
    "prompt_tokens_details.cache_creation_tokens",
    "input_tokens_details.cache_write_tokens",
    "cache_write_tokens",
    "input_token_details.cache_creation",
    "inputTokenDetails.cacheWriteTokens",
    "inputTokens.cacheWrite",
    "cache_creation.input_tokens",
    "cacheWrite",
)
# The same by lifetime of the cache entry; the sum counts where it is the larger one.
LIFETIMES = (
    ("cache_creation.ephemeral_5m_input_tokens", "cache_creation.ephemeral_1h_input_tokens"),
    (
        "input_token_details.ephemeral_5m_input_tokens",
        "input_token_details.ephemeral_1h_input_tokens",
    ),
)
REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "output_tokens_details.thinking_tokens",
    "output_token_details.reasoning",
    "outputTokenDetails.reasoningTokens",
    "outputTokens.reasoning",
    "output_reasoning_tokens",
    "reasoning.output_tokens",
    "reasoning_tokens",
    "reasoningTokens",
    "thoughtsTokenCount",
    "thoughts_token_count",
)
TOTAL = ("total_tokens", "totalTokens", "totalTokenCount", "total_token_count")
# Parts of the counts above, which add nothing to them.
PARTS = (
    "audio_tokens",
    "text_tokens",
    "image_tokens",
    "prompt_cache_miss_tokens",
    "input_audio_tokens",
    "output_audio_tokens",
    "cache_audio_read_tokens",
    "cache_write_1h_tokens",
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
)
_OTEL = "gen_ai.usage."
_KNOWN = {
    *PROMPT,
    *COMPLETION,
    *CACHED,
    *WRITTEN,
    *REASONING,
    *TOTAL,
    *PARTS,
    *(key for keys in BESIDE.values() for key in keys),
}
_EXACT = re.compile(r"[0-9]{1,18}(?:\.0+)?", re.ASCII)
_INEXACT_FLOATS = 2**53

UNKNOWN = "usage_unknown: "
"""The first word of a warning about usage that is not understood."""
_ANTHROPIC_WRITTEN = "cache_creation_input_tokens"
_MOST_KEYS = 20


class Count(NamedTuple):
    """A usable count and the key that it was reported under."""

    value: int
    spelling: str


class Counts(NamedTuple):
    """The counts of one model call, or of one send; None where there is no usable one.

    `problem` says what was not understood, or what contradicts itself: then the block counts for
    nothing.
    """

    prompt: Count | None = None
    cached: Count | None = None
    completion: Count | None = None
    written: Count | None = None
    problem: str | None = None


def usage_of(response: Mapping[str, Any]) -> object:
    """Return the usage that a reply reports, in any of its places; None without one."""
    for place in PLACES:
        found = _at(response, place)
        if found is not None:
            return found
    if any(response.get(key) is not None for key in _BARE):
        return {key: response.get(key) for key in _BARE}
    meta = response.get("meta")
    if isinstance(meta, Mapping) and any(key in meta for key in ("tokens", "billed_units")):
        return meta
    for key in _INNER:
        inner = response.get(key)
        found = usage_of(inner) if isinstance(inner, Mapping) else None
        if found is not None:
            return found
    return None


def read_counts(block: Mapping[str, Any]) -> Counts:
    """Return the counts of one usage block, the first usable spelling of each."""
    usage = {str(key).removeprefix(_OTEL): value for key, value in block.items()}
    reasoning = _first(usage, REASONING)
    found = Counts(
        prompt=_with_what_is_beside(usage, PROMPT),
        cached=_first(usage, CACHED),
        completion=_with_reasoning(
            usage, _with_what_is_beside(usage, COMPLETION) or _rest_of_total(usage), reasoning
        ),
        written=_written(usage),
    )
    found = _with_compaction(usage, found)
    contradiction = _contradiction(found, reasoning) or _unread(usage, found)
    if contradiction is not None:
        return Counts(problem=contradiction)
    return found._replace(problem=_missing(usage, found))


def first_total(block: Mapping[str, Any], counts: Counts) -> tuple[Count | None, Count | None]:
    """Return prompt and completion of a send: where a block has both spellings, the totals' one."""
    if counts.prompt is None and counts.completion is None:
        return None, None
    prompt, completion = counts.prompt, counts.completion
    is_whole = not any(key in block for key in BESIDE["input_tokens"])
    if prompt is not None and prompt.spelling == "prompt_tokens" and is_whole:
        prompt = _first(block, ("input_tokens",)) or prompt
    if completion is not None and completion.spelling == "completion_tokens":
        completion = _first(block, ("output_tokens",)) or completion
    return prompt, completion


def _with_what_is_beside(usage: Mapping[str, Any], spellings: tuple[str, ...]) -> Count | None:
    """Return the first usable count, with the counts that its provider reports beside it.

    One of those that is there and unusable makes the count unknown.
    """
    count = _first(usage, spellings)
    if count is None:
        return None
    value, spelling = count.value, count.spelling
    for key in BESIDE.get(count.spelling, ()):
        more = _first(usage, (key,))
        if more is None and key in usage and (usage[key] is not None or key == _NULL_IS_UNKNOWN):
            return None
        if key == _ANTHROPIC_WRITTEN:
            more = _largest(more, _lifetimes(usage, LIFETIMES[0]))
        if more is not None:
            value, spelling = value + more.value, f"{spelling}+{more.spelling}"
    return Count(value, spelling)


def _written(usage: Mapping[str, Any]) -> Count | None:
    """Return what was written to the cache: as a whole, or the sum over its lifetimes."""
    return _largest(_first(usage, WRITTEN), *(_lifetimes(usage, keys) for keys in LIFETIMES))


def _lifetimes(usage: Mapping[str, Any], keys: tuple[str, ...]) -> Count | None:
    parts = [part for key in keys if (part := _first(usage, (key,))) is not None]
    return Count(sum(part.value for part in parts), parts[0].spelling) if parts else None


def _largest(*counts: Count | None) -> Count | None:
    return max((one for one in counts if one is not None), default=None)


def _with_reasoning(
    usage: Mapping[str, Any], completion: Count | None, reasoning: Count | None
) -> Count | None:
    """Add the reasoning to a completion that leaves it out, where the block's total proves that."""
    prompt, total = _with_what_is_beside(usage, PROMPT), _first(usage, TOTAL)
    if completion is None or reasoning is None or prompt is None or total is None:
        return completion
    whole = completion.value + reasoning.value
    if reasoning.spelling in completion.spelling or total.value != prompt.value + whole:
        return completion
    return Count(whole, f"{completion.spelling}+{reasoning.spelling}")


def _rest_of_total(usage: Mapping[str, Any]) -> Count | None:
    """Return the completion of a Gemini answer without candidates, whose count is left out."""
    total, prompt = _first(usage, TOTAL[2:]), _with_what_is_beside(usage, PROMPT)
    if total is None or prompt is None or total.value < prompt.value:
        return None
    return Count(total.value - prompt.value, total.spelling)


def _with_compaction(usage: Mapping[str, Any], counts: Counts) -> Counts:
    """Add the model calls that shortened the context: Anthropic's totals leave them out."""
    rounds = usage.get("iterations")
    for one in rounds if isinstance(rounds, list | tuple) else ():
        if isinstance(one, Mapping) and one.get("type") == "compaction":
            extra = read_counts({key: value for key, value in one.items() if key != "iterations"})
            counts = Counts(
                prompt=_sum(counts.prompt, extra.prompt),
                cached=_sum(counts.cached, extra.cached),
                completion=_sum(counts.completion, extra.completion),
                written=_sum(counts.written, extra.written) or counts.written or extra.written,
            )
    return counts


def _sum(one: Count | None, other: Count | None) -> Count | None:
    return None if one is None or other is None else Count(one.value + other.value, one.spelling)


def _contradiction(counts: Counts, reasoning: Count | None) -> str | None:
    """Say which part exceeds its whole; None where every part fits."""
    prompt, completion = counts.prompt, counts.completion
    from_cache = [one for one in (counts.cached, counts.written) if one is not None]
    if prompt is not None and sum(one.value for one in from_cache) > prompt.value:
        parts = " + ".join(f"{one.spelling}={one.value}" for one in from_cache)
        return f"usage_inconsistent: {parts} exceeds {prompt.spelling}={prompt.value}"
    if completion is not None and reasoning is not None and reasoning.value > completion.value:
        return (
            f"usage_inconsistent: {reasoning.spelling}={reasoning.value} exceeds "
            f"{completion.spelling}={completion.value}"
        )
    return None


def _unread(usage: Mapping[str, Any], counts: Counts) -> str | None:
    """Name counts of tokens that no table knows, unless the total proves that they add nothing."""
    unknown = [
        key
        for key, value in usage.items()
        if "token" in key.lower() and key not in _KNOWN and _usable(value)
    ]
    total = _first(usage, TOTAL)
    if not unknown or counts.prompt is None or counts.completion is None:
        return None
    if total is not None and total.value <= counts.prompt.value + counts.completion.value:
        return None
    return f"{UNKNOWN}not known is {', '.join(sorted(unknown)[:_MOST_KEYS])}"


def _missing(usage: Mapping[str, Any], counts: Counts) -> str | None:
    """Say which count a block that reports something lacks."""
    lacking = [
        name
        for name, count in (("prompt", counts.prompt), ("completion", counts.completion))
        if count is None
    ]
    seen = [f"{key}={value!r:.40}" for key, value in usage.items() if value is not None]
    if not lacking or not seen:
        return None
    return (
        f"{UNKNOWN}no usable count of {' and '.join(lacking)} tokens in "
        f"{', '.join(seen[:_MOST_KEYS])}"
    )


def _first(usage: Mapping[str, Any], spellings: tuple[str, ...]) -> Count | None:
    for spelling in spellings:
        value = _usable(_at(usage, spelling))
        if value is not None:
            return Count(value, spelling)
    return None


def _at(usage: Mapping[str, Any], spelling: str) -> object:
    """Return the value of a key, or of a key in an object: `outer.inner`."""
    outer, dot, inner = spelling.partition(".")
    if not dot or spelling in usage:
        return usage.get(spelling)
    value = usage.get(outer)
    return value.get(inner) if isinstance(value, Mapping) else None


def _usable(value: object) -> int | None:
    """Return a whole number of at least 0; a float or a string only where it is exactly one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value.strip().partition(".")[0]) if _EXACT.fullmatch(value.strip()) else None
    if isinstance(value, float):
        whole = 0 <= value < _INEXACT_FLOATS and value.is_integer()
        return int(value) if whole else None
    return value if isinstance(value, int) and value >= 0 else None
