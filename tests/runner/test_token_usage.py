"""Token counts: every spelling is understood, no gap is filled in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.reply_usage import usage_of
from wt_git.runner.token_usage import UsageMeter


def metered(*usages):
    """Totals, per-call counts and warnings of a run with these sends."""
    meter = UsageMeter("session")
    warnings = [warning for usage in usages for warning in meter.add(usage)]
    calls = meter.model_calls()
    counts = calls and [
        (call["prompt_tokens"], call["cached_tokens"], call["completion_tokens"]) for call in calls
    ]
    return meter.totals(), counts, warnings


def total(sent_in, sent_out):
    return {"input_tokens": sent_in, "output_tokens": sent_out}


@pytest.mark.parametrize(
    ("usage", "totals", "call"),
    [
        ({"input_tokens": 9, "output_tokens": 2}, (9, 2), (9, None, 2)),
        ({"prompt_tokens": 9, "completion_tokens": 2}, (9, 2), (9, None, 2)),
        ({"input": 9, "output": 2}, (9, 2), (9, None, 2)),
        ({"input": 9, "cacheRead": 30, "output": 2}, (39, 2), (39, 30, 2)),
        ({"input": 9, "cacheRead": None, "output": 2}, None, (None, None, 2)),
        ({"prompt_tokens": 9, "cached_tokens": 4, "output": 2}, (9, 2), (9, 4, 2)),
        (
            {"input_tokens": 9, "cache_read_input_tokens": 0, "output_tokens": 2},
            (9, 2),
            (9, 0, 2),
        ),
        (
            {"input_tokens": 9, "cache_read_input_tokens": 90, "output_tokens": 2},
            (99, 2),
            (99, 90, 2),
        ),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 3}, "output": 2},
            (9, 2),
            (9, 3, 2),
        ),
        ({"prompt_tokens": 9, "prompt_tokens_details": [3], "output": 2}, (9, 2), (9, None, 2)),
        # the first usable spelling wins, so a null beside a good count hides nothing
        ({"input_tokens": None, "prompt_tokens": 9, "output_tokens": 2}, (9, 2), (9, None, 2)),
        (
            {"input_tokens": 8, "prompt_tokens": 9, "output_tokens": 2, "completion_tokens": 3},
            (8, 2),
            (9, None, 3),
        ),
        ({"input_tokens": 9}, None, (9, None, None)),
        ({"output_tokens": 2}, None, (None, None, 2)),
        ({}, None, (None, None, None)),
        ({"input_tokens": True, "output_tokens": 2.0}, None, (None, None, 2)),
        ({"input_tokens": 9.0, "output_tokens": "2"}, (9, 2), (9, None, 2)),
        ({"input_tokens": 9.5, "output_tokens": "2.5"}, None, (None, None, None)),
        ({"input_tokens": -1, "output_tokens": "-2"}, None, (None, None, None)),
        ({"input_tokens": 0, "output_tokens": 0}, (0, 0), (0, None, 0)),
    ],
)
def test_the_spellings_of_one_send(usage, totals, call):
    """A count that is absent or unusable is unknown, never nought and never guessed."""
    assert metered(usage)[:2] == (totals and total(*totals), [call])


@pytest.mark.parametrize(
    ("usage", "call", "named"),
    [
        ({"input_tokens": 9}, (9, None, None), "no usable count of completion tokens"),
        ({"input": 9, "cacheRead": None, "output": 2}, (None, None, 2), "input=9"),
        ({"output_tokens": 2}, (None, None, 2), "no usable count of prompt tokens"),
        ({"input_tokens": True, "output_tokens": 2}, (None, None, 2), "input_tokens=True"),
        ({"input_tokens": -1, "output_tokens": 2}, (None, None, 2), "input_tokens=-1"),
        ({"input_tokens": 9.5, "output_tokens": 2}, (None, None, 2), "input_tokens=9.5"),
        ({"input_tokens": "9k", "output_tokens": 2}, (None, None, 2), "input_tokens='9k'"),
        ({"input_tokens": "1,000", "output_tokens": 2}, (None, None, 2), "input_tokens='1,000'"),
        ({"input_tokens": "٣", "output_tokens": 2}, (None, None, 2), "input_tokens='٣'"),
        ({"input_tokens": 2.0**60, "output_tokens": 2}, (None, None, 2), "prompt"),
        ({"input_tokens": float("nan"), "output_tokens": 2}, (None, None, 2), "nan"),
        (
            {"input_tokens": 9, "cache_read_input_tokens": "many", "output_tokens": 2},
            (None, None, 2),
            "cache_read_input_tokens='many'",
        ),
        ({"tokens_in": 9, "tokens_out": 2}, (None, None, None), "tokens_in=9, tokens_out=2"),
        (
            {"input_tokens": 9, "output_tokens": 2, "memory_tokens": 900},
            (None, None, None),
            "not known is memory_tokens",
        ),
    ],
)
def test_what_is_not_understood_is_unknown_and_named_once(usage, call, named):
    """However many sends report it."""
    totals, calls, warnings = metered(usage, usage)
    assert (totals, calls) == (None, [call, call])
    (warning,) = warnings
    assert warning.startswith("usage_unknown: ")
    assert named in warning


def test_a_count_that_the_total_proves_to_be_a_part_adds_nothing():
    """It is not known, but the total leaves no room for it."""
    usage = {"input_tokens": 9, "output_tokens": 2, "memory_tokens": 5, "total_tokens": 11}
    assert metered(usage) == (total(9, 2), [(9, None, 2)], [])


def test_a_run_without_any_report_has_no_usage():
    """Nothing was said, so nothing is recorded; nor for a run that never sent."""
    assert metered(None, None) == (None, None, [])
    assert metered() == (None, None, [])
    totals, calls, warnings = metered(["no object"], 3)
    assert (totals, calls) == (None, None)
    assert warnings == ["usage_unknown: usage is list, no object"]


def test_sends_are_added_up():
    """Each send counts once."""
    usage = {"input_tokens": 9, "output_tokens": 2}
    assert metered(usage, usage)[:2] == (total(18, 4), [(9, None, 2)] * 2)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_one_send_without_a_report_makes_the_total_unknown(position):
    """A sum of what was reported would look cheaper than it was; the gap has an entry."""
    usages = [{"input_tokens": 9, "output_tokens": 2}] * 2
    usages.insert(position, None)
    totals, calls, _ = metered(*usages)
    assert totals is None
    assert calls[position] == (None, None, None)
    assert len(calls) == 3


def test_nested_calls_take_the_place_of_the_sends_own_entry():
    """One entry per model call, each in its own conversation where it names one."""
    meter = UsageMeter("session")
    meter.add(
        {
            "input_tokens": 30,
            "output_tokens": 3,
            "calls": [
                {"input_tokens": 10, "output_tokens": 1},
                {"input_tokens": 20, "output_tokens": 2, "conversation": "judge"},
                {"input_tokens": 1, "output_tokens": 1, "conversation": ""},
            ],
        }
    )
    assert meter.totals() == total(30, 3)
    assert [call["conversation"] for call in meter.model_calls()] == ["session", "judge", "session"]


def test_the_sends_own_conversation_is_not_believed():
    """Only a nested call may be a conversation beside the session."""
    meter = UsageMeter("session")
    meter.add({"input_tokens": 1, "output_tokens": 1, "conversation": "other"})
    assert meter.model_calls()[0]["conversation"] == "session"


def test_calls_alone_fill_the_total():
    """Where the aggregate is missing, the calls are the aggregate."""
    calls = [
        {"prompt_tokens": 10, "completion_tokens": 1},
        {"input": 5, "cacheRead": 5, "output": 2},
    ]
    assert metered({"calls": calls})[0] == total(20, 3)


def test_calls_with_a_gap_fill_nothing():
    """A missing count of one call leaves the total of that side, and so the pair, unknown."""
    calls = [{"prompt_tokens": 10, "completion_tokens": 1}, {"completion_tokens": 2}]
    assert metered({"calls": calls})[0] is None
    assert metered({"calls": calls, "input_tokens": 12})[0] == total(12, 3)


def test_a_malformed_nested_call_is_a_call_of_unknown_cost():
    """It is not skipped: it happened."""
    totals, calls, _ = metered(
        {"calls": [{"input_tokens": 1, "output_tokens": 1}, "garbage", None]}
    )
    assert totals is None
    assert calls == [(1, None, 1), (None, None, None), (None, None, None)]


@pytest.mark.parametrize("calls", [[], None, {}, "calls"])
def test_no_nested_calls_mean_the_send_itself(calls):
    """An empty or ill-typed list is none."""
    usage = {"input_tokens": 9, "output_tokens": 2, "calls": calls}
    assert metered(usage)[:2] == (total(9, 2), [(9, None, 2)])


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (
            {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 90}, "output": 2},
            "prompt_tokens_details.cached_tokens=90 exceeds prompt_tokens=10",
        ),
        (
            {"prompt_tokens": 10, "cache_creation_input_tokens": 11, "output": 2},
            "cache_creation_input_tokens=11 exceeds prompt_tokens=10",
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 2,
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            "completion_tokens_details.reasoning_tokens=3 exceeds completion_tokens=2",
        ),
    ],
)
def test_a_part_larger_than_its_whole_makes_the_block_unknown(usage, said):
    """The warning names both spellings; no count of such a block can be believed."""
    assert metered(usage) == (None, [(None, None, None)], [f"usage_inconsistent: {said}"])


def test_however_often_it_varies_what_is_not_understood_is_named_once():
    """An empty object has nothing to name."""
    _, _, (warning,) = metered({"tokens": 3, "units": 4}, {"tokens": 3}, {})
    assert warning.startswith("usage_unknown: ")
    assert warning.endswith("in tokens=3, units=4")


PROVIDERS = {
    "openai": (
        {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
         "prompt_tokens_details": {"cached_tokens": 60, "audio_tokens": 0},
         "completion_tokens_details": {"reasoning_tokens": 20, "audio_tokens": 0}},
        (100, 60, 30, None),
    ),
    "openai responses": (
        {"input_tokens": 100, "output_tokens": 30, "total_tokens": 130,
         "input_tokens_details": {"cached_tokens": 60},
         "output_tokens_details": {"reasoning_tokens": 20}},
        (100, 60, 30, None),
    ),
    "anthropic": (
        {"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30,
         "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 0},
         "output_tokens": 30, "server_tool_use": None, "service_tier": "standard"},
        (100, 60, 30, 30),
    ),
    "anthropic without a cache": (
        {"input_tokens": 100, "cache_read_input_tokens": None, "cache_creation_input_tokens": None,
         "output_tokens": 30},
        (100, None, 30, None),
    ),
    "litellm": (
        {"prompt_tokens": 100, "completion_tokens": 30, "cache_read_input_tokens": 60,
         "cache_creation_input_tokens": 30},
        (100, 60, 30, 30),
    ),
    "gemini": (
        {"promptTokenCount": 90, "toolUsePromptTokenCount": 10, "cachedContentTokenCount": 60,
         "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 130},
        (100, 60, 30, None),
    ),
    "google-genai": (
        {"prompt_token_count": 100, "cached_content_token_count": 60, "candidates_token_count": 10,
         "thoughts_token_count": 20, "tool_use_prompt_token_count": None},
        (100, 60, 30, None),
    ),
    "bedrock": (
        {"inputTokens": 10, "outputTokens": 30, "totalTokens": 130, "cacheReadInputTokens": 60,
         "cacheWriteInputTokens": 30},
        (100, 60, 30, 30),
    ),
    "cohere": (
        {"billed_units": {"input_tokens": 90, "output_tokens": 30},
         "tokens": {"input_tokens": 100, "output_tokens": 30}, "cached_tokens": 60},
        (100, 60, 30, None),
    ),
    "deepseek": (
        {"prompt_tokens": 100, "completion_tokens": 30, "prompt_cache_hit_tokens": 60,
         "prompt_cache_miss_tokens": 40},
        (100, 60, 30, None),
    ),
    "langchain": (
        {"input_tokens": 100, "output_tokens": 30, "total_tokens": 130,
         "input_token_details": {"cache_read": 60, "cache_creation": 30},
         "output_token_details": {"reasoning": 20}},
        (100, 60, 30, 30),
    ),
    "pydantic-ai": (
        {"input_tokens": 100, "cache_write_tokens": 30, "cache_read_tokens": 60,
         "output_tokens": 30, "details": {}},
        (100, 60, 30, 30),
    ),
    "vercel": (
        {"inputTokens": 100, "outputTokens": 30, "cachedInputTokens": 60, "reasoningTokens": 20},
        (100, 60, 30, None),
    ),
    "ollama": ({"prompt_eval_count": 100, "eval_count": 30}, (100, None, 30, None)),
}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_usage_of_each_provider_is_read(provider):
    usage, (prompt, cached, completion, written) = PROVIDERS[provider]
    meter = UsageMeter("s")
    assert meter.add(usage) == []
    (call,) = meter.model_calls()
    found = (call["prompt_tokens"], call["cached_tokens"], call["completion_tokens"])
    assert (*found, call.get("cache_write_tokens")) == (prompt, cached, completion, written)
    assert meter.totals() == total(prompt, completion)


def test_the_usage_in_a_reply_is_found_under_the_key_of_its_provider():
    counts = {"promptTokenCount": 1}
    assert usage_of({"candidates": [], "usageMetadata": counts}) == counts
    assert usage_of({"type": "ai", "data": {"content": "", "usage_metadata": counts}}) == counts
    assert usage_of({"text": "x", "meta": {"tokens": counts}}) == {"tokens": counts}
    ollama = {"message": {"content": "x"}, "prompt_eval_count": 3, "eval_count": 4}
    assert usage_of(ollama) == {"prompt_eval_count": 3, "eval_count": 4}
    assert usage_of({"content": "x"}) is None


counts = st.none() | st.integers(-3, 50) | st.booleans() | st.floats() | st.text(max_size=2)
reports = st.none() | st.dictionaries(
    st.sampled_from(
        [
            "input_tokens",
            "prompt_tokens",
            "input",
            "cacheRead",
            "cached_tokens",
            "cache_read_input_tokens",
            "prompt_tokens_details",
            "output_tokens",
            "completion_tokens",
            "output",
        ]
    ),
    counts,
)


@given(
    st.lists(
        reports | st.lists(reports, min_size=1).map(lambda calls: {"calls": calls}), max_size=4
    )
)
def test_no_report_is_misread(usages):
    """Counts are non-negative ints or None, the cache fits the prompt, one gap voids the total."""
    meter = UsageMeter("s")
    for usage in usages:
        meter.add(usage)
    calls = meter.model_calls() or []
    for call in calls:
        for value in (call["prompt_tokens"], call["cached_tokens"], call["completion_tokens"]):
            assert value is None or (type(value) is int and value >= 0)
        if call["prompt_tokens"] is not None and call["cached_tokens"] is not None:
            assert call["cached_tokens"] <= call["prompt_tokens"]
    if any(usage is None for usage in usages) or not usages:
        assert meter.totals() is None
