"""Usage blocks of providers and frameworks, as their client libraries declare them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api import reply_usage
from wt_git.api.reply_usage import read_counts, usage_of

# name: the reply, then prompt, cached, completion, written
BLOCKS = {
    "openai chat": (
        {
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 30,
                "total_tokens": 130,
                "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 5},
                "completion_tokens_details": {
                    "reasoning_tokens": 20,
                    "audio_tokens": 1,
                    "accepted_prediction_tokens": 2,
                },
            }
        },
        (100, 64, 30, None),
    ),
    "openai responses": (
        {
            "usage": {
                "input_tokens": 100,
                "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 8},
                "output_tokens": 30,
                "output_tokens_details": {"reasoning_tokens": 20},
                "total_tokens": 130,
            }
        },
        (100, 64, 30, 8),
    ),
    "anthropic: additive": (
        {
            "usage": {
                "input_tokens": 10,
                "cache_read_input_tokens": 1000,
                "cache_creation_input_tokens": 170,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 100,
                    "ephemeral_1h_input_tokens": 70,
                },
                "output_tokens": 5,
                "server_tool_use": {"web_search_requests": 1},
                "service_tier": "standard",
            }
        },
        (1180, 1000, 5, 170),
    ),
    "anthropic: only lifetimes": (
        {
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": None,
                "cache_creation": {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 5,
            }
        },
        (17, None, 5, 7),
    ),
    "anthropic: null is none": (
        {
            "usage": {
                "input_tokens": 10,
                "cache_read_input_tokens": None,
                "cache_creation_input_tokens": None,
                "output_tokens": 5,
            }
        },
        (10, None, 5, None),
    ),
    "anthropic: compaction is not in the totals": (
        {
            "usage": {
                "input_tokens": 10,
                "cache_read_input_tokens": 0,
                "output_tokens": 5,
                "iterations": [
                    {
                        "type": "compaction",
                        "input_tokens": 900,
                        "cache_read_input_tokens": 50,
                        "output_tokens": 40,
                    },
                    {"type": "message", "input_tokens": 10, "output_tokens": 5},
                ],
            }
        },
        (960, 50, 45, None),
    ),
    "litellm: prompt_tokens is whole": (
        {
            "usage": {
                "prompt_tokens": 1180,
                "completion_tokens": 5,
                "total_tokens": 1185,
                "cache_read_input_tokens": 1000,
                "cache_creation_input_tokens": 170,
                "prompt_tokens_details": {"cached_tokens": 1000, "cache_creation_tokens": 170},
            }
        },
        (1180, 1000, 5, 170),
    ),
    "gemini": (
        {
            "usageMetadata": {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 20,
                "thoughtsTokenCount": 300,
                "toolUsePromptTokenCount": 7,
                "totalTokenCount": 427,
                "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 100}],
            }
        },
        (107, 40, 320, None),
    ),
    "gemini, snake case": (
        {
            "usage_metadata": {
                "prompt_token_count": 100,
                "candidates_token_count": 20,
                "thoughts_token_count": 3,
                "total_token_count": 123,
            }
        },
        (100, None, 23, None),
    ),
    "gemini that only thought": (
        {
            "usageMetadata": {
                "promptTokenCount": 100,
                "thoughtsTokenCount": 50,
                "totalTokenCount": 150,
            }
        },
        (100, None, 50, None),
    ),
    "bedrock converse": (
        {
            "usage": {
                "inputTokens": 10,
                "outputTokens": 5,
                "totalTokens": 1185,
                "cacheReadInputTokens": 1000,
                "cacheWriteInputTokens": 170,
            }
        },
        (1180, 1000, 5, 170),
    ),
    "bedrock metrics": (
        {
            "amazon-bedrock-invocationMetrics": {
                "inputTokenCount": 10,
                "outputTokenCount": 5,
                "cacheReadInputTokenCount": 20,
            }
        },
        (30, 20, 5, None),
    ),
    "mistral": (
        {"usage": {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}},
        (8, None, 2, None),
    ),
    "deepseek": (
        {
            "usage": {
                "prompt_tokens": 50,
                "prompt_cache_hit_tokens": 40,
                "prompt_cache_miss_tokens": 10,
                "completion_tokens": 2,
                "total_tokens": 52,
            }
        },
        (50, 40, 2, None),
    ),
    "grok: the total proves that reasoning is beside the completion": (
        {
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 9,
                "total_tokens": 339,
                "completion_tokens_details": {"reasoning_tokens": 320},
            }
        },
        (10, None, 329, None),
    ),
    "cohere v2, in floats": (
        {
            "usage": {
                "billed_units": {"input_tokens": 5.0, "output_tokens": 3.0},
                "tokens": {"input_tokens": 71.0, "output_tokens": 9.0},
                "cached_tokens": 64.0,
            }
        },
        (71, 64, 9, None),
    ),
    "cohere v1": (
        {
            "meta": {
                "api_version": {"version": "1"},
                "billed_units": {"input_tokens": 5.0, "output_tokens": 3.0},
            }
        },
        (5, None, 3, None),
    ),
    "ollama": (
        {"message": {"content": "hi"}, "prompt_eval_count": 26, "eval_count": 9},
        (26, None, 9, None),
    ),
    "langchain: whole": (
        {
            "usage_metadata": {
                "input_tokens": 350,
                "output_tokens": 240,
                "total_tokens": 590,
                "input_token_details": {"audio": 10, "cache_creation": 200, "cache_read": 100},
                "output_token_details": {"audio": 10, "reasoning": 200},
            }
        },
        (350, 100, 240, 200),
    ),
    "langchain, with lifetimes": (
        {
            "type": "ai",
            "data": {
                "usage_metadata": {
                    "input_tokens": 350,
                    "output_tokens": 240,
                    "input_token_details": {
                        "cache_creation": 0,
                        "ephemeral_5m_input_tokens": 150,
                        "ephemeral_1h_input_tokens": 50,
                    },
                }
            },
        },
        (350, None, 240, 200),
    ),
    "langchain, the provider's own": (
        {
            "content": "",
            "response_metadata": {"token_usage": {"prompt_tokens": 4, "completion_tokens": 1}},
        },
        (4, None, 1, None),
    ),
    "pydantic-ai: whole": (
        {
            "usage": {
                "input_tokens": 350,
                "cache_write_tokens": 200,
                "cache_write_1h_tokens": 10,
                "cache_read_tokens": 100,
                "output_tokens": 24,
                "output_reasoning_tokens": 3,
                "input_audio_tokens": 2,
            }
        },
        (350, 100, 24, 200),
    ),
    "pydantic-ai, older": (
        {"usage": {"request_tokens": 3, "response_tokens": 2, "total_tokens": 5}},
        (3, None, 2, None),
    ),
    "vercel 4": ({"usage": {"promptTokens": 3, "completionTokens": 2}}, (3, None, 2, None)),
    "vercel 5": (
        {
            "usage": {
                "inputTokens": 30,
                "outputTokens": 20,
                "totalTokens": 50,
                "reasoningTokens": 12,
                "cachedInputTokens": 8,
            }
        },
        (30, 8, 20, None),
    ),
    "vercel 6": (
        {
            "usage": {
                "inputTokens": {"total": 30, "noCache": 20, "cacheRead": 8, "cacheWrite": 2},
                "outputTokens": {"total": 20, "text": 8, "reasoning": 12},
            }
        },
        (30, 8, 20, 2),
    ),
    "pi": (
        {"usage": {"input": 9, "cacheRead": 30, "cacheWrite": 11, "output": 2, "totalTokens": 52}},
        (50, 30, 2, 11),
    ),
    "opentelemetry: whole": (
        {
            "usage": {
                "gen_ai.usage.input_tokens": 90,
                "gen_ai.usage.output_tokens": 7,
                "gen_ai.usage.cache_read.input_tokens": 60,
                "gen_ai.usage.cache_creation.input_tokens": 20,
                "gen_ai.usage.reasoning.output_tokens": 5,
            }
        },
        (90, 60, 7, 20),
    ),
    "in a message": (
        {"message": {"usage": {"input_tokens": 1, "output_tokens": 2}}},
        (1, None, 2, None),
    ),
    "in strings": (
        {"usage": {"prompt_tokens": "12", "completion_tokens": "3.0"}},
        (12, None, 3, None),
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_block_of(name):
    """Prompt, cached, completion and written, and nothing that is not understood."""
    reply, expected = BLOCKS[name]
    found = read_counts(usage_of(reply))
    seen = (found.prompt, found.cached, found.completion, found.written)
    assert tuple(count and count.value for count in seen) == expected
    assert found.problem is None


def test_a_reply_without_usage():
    """A null is none, and text that speaks of tokens is none."""
    for reply in ({}, {"usage": None}, {"content": "5 tokens"}, {"message": {"content": ""}}):
        assert usage_of(reply) is None


numbers = st.integers(0, 10**6)


@given(fresh=numbers, read=numbers, written=numbers, output=numbers)
def test_both_forms_of_the_cache_say_the_same(fresh, read, written, output):
    """What one provider counts beside its input, and another within it, is one prompt."""
    whole = fresh + read + written
    forms = (
        {
            "input_tokens": fresh,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": output,
        },
        {
            "inputTokens": fresh,
            "cacheReadInputTokens": read,
            "cacheWriteInputTokens": written,
            "outputTokens": output,
        },
        {"input": fresh, "cacheRead": read, "cacheWrite": written, "output": output},
        {
            "prompt_tokens": whole,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "completion_tokens": output,
        },
        {
            "input_tokens": whole,
            "cache_read_tokens": read,
            "cache_write_tokens": written,
            "output_tokens": output,
        },
    )
    for form in forms:
        found = read_counts(form)
        values = [one and one.value for one in found[:4]]
        assert values == [whole, read, output, written], form


def test_the_page_lists_every_spelling():
    """A user finds there whether a count is read."""
    page = (Path(__file__).parents[2] / "docs" / "writing-a-runtime.md").read_text("utf-8")
    read = reply_usage
    tables = (read.PROMPT, read.CACHED, read.WRITTEN, read.COMPLETION, read.REASONING, read.TOTAL)
    keys = [key for table in (*tables, read.PLACES, read.PARTS, *read.LIFETIMES) for key in table]
    keys += [key for beside in read.BESIDE.values() for key in beside]
    assert [key for key in keys if f"`{key}`" not in page] == []
