"""Adding up tokens: what is not known is never left out of a sum."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.ladder.pricing import (
    NOTHING,
    UNKNOWN,
    Tokens,
    count,
    run_tokens,
    total_tokens,
)
from wt_git.runner.token_usage import UsageMeter

numbers = st.none() | st.integers(0, 1000)
entries = st.fixed_dictionaries(
    {"prompt_tokens": numbers, "cached_tokens": numbers, "completion_tokens": numbers}
)
tokens = st.builds(Tokens, numbers, numbers, numbers)


def entry(prompt, cached, completion):
    return {"prompt_tokens": prompt, "cached_tokens": cached, "completion_tokens": completion}


def test_calls_are_summed():
    """They win over the totals of the run."""
    calls = [entry(10, 0, 1), entry(20, 15, 2)]
    assert run_tokens({"input_tokens": 7, "output_tokens": 7}, calls) == Tokens(30, 15, 3)


@pytest.mark.parametrize("calls", [None, []])
def test_without_calls_the_totals_of_the_run_count(calls):
    """They say nothing about the cache."""
    usage = {"input_tokens": 7, "output_tokens": 3}
    assert run_tokens(usage, calls) == Tokens(7, None, 3)


@pytest.mark.parametrize("usage", [None, {}])
def test_without_either_nothing_is_known(usage):
    """Not zero."""
    assert run_tokens(usage, None) == UNKNOWN


@pytest.mark.parametrize("gap", [(None, 5, 5), (5, 5, None), (True, 0, 1), (5, 0, False)])
def test_a_call_without_a_whole_count_blanks_everything(gap):
    """A sum over the other calls would look like the cost of the run. A boolean is no count."""
    assert run_tokens(None, [entry(10, 0, 1), entry(*gap)]) == UNKNOWN


@pytest.mark.parametrize("cached", [None, True, "3", 2.0, -1])
def test_a_call_without_a_split_blanks_only_the_split(cached):
    """The totals still stand."""
    assert run_tokens(None, [entry(10, 5, 1), entry(20, cached, 2)]) == Tokens(30, None, 3)


@pytest.mark.parametrize("value", [True, False, None, "5", 5.0, -1, []])
def test_what_is_no_count(value):
    """Only whole numbers from 0 on count something, also in the totals of a run."""
    assert count(value) is None
    usage = {"input_tokens": value, "output_tokens": 3}
    assert run_tokens(usage, None) == Tokens(None, None, 3)


@given(
    st.lists(
        st.none()
        | st.fixed_dictionaries({}, optional={"input_tokens": numbers, "output_tokens": numbers})
    )
)
def test_a_send_without_usage_makes_the_run_unknown(sends):
    """Whatever the runner records for it, the run has either all its tokens or none."""
    meter = UsageMeter("session")
    for usage in sends:
        meter.add(usage)
    found = run_tokens(meter.totals(), meter.model_calls())
    counted = [
        send
        for send in sends
        if send and None not in (send.get("input_tokens"), send.get("output_tokens"))
    ]
    if sends and len(counted) == len(sends):
        whole = sum(send["input_tokens"] for send in sends)
        assert found == Tokens(whole, None, sum(send["output_tokens"] for send in sends))
    else:
        assert found == UNKNOWN


@given(st.lists(entries, min_size=1))
def test_a_run_is_the_sum_of_its_calls_or_unknown(calls):
    """Field by field, where nothing is missing."""
    found = run_tokens(None, calls)
    fields = list(
        zip(
            *((c["prompt_tokens"], c["cached_tokens"], c["completion_tokens"]) for c in calls),
            strict=True,
        )
    )
    prompts, cached, completions = fields
    if None in prompts or None in completions:
        assert found == UNKNOWN
    else:
        split = None if None in cached else sum(cached)
        assert found == Tokens(sum(prompts), split, sum(completions))


@given(st.lists(tokens))
def test_a_total_is_null_where_a_part_is(parts):
    """Each field by itself."""
    summed = total_tokens(parts)
    for name in Tokens._fields:
        values = [getattr(part, name) for part in parts]
        assert getattr(summed, name) == (None if None in values else sum(values))


def test_a_total_of_nothing_is_zero():
    """A sweep without rows spent nothing."""
    assert total_tokens([]) == NOTHING
