"""Whether prompts came from the cache, as far as the runtime says."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.config import CacheCheck
from wt_git.ladder.cache_check import check_cache, combine_checks
from wt_git.runner.token_usage import UsageMeter

NOT_REPORTED = "cache split not reported for one or more calls"
HALF = CacheCheck()

numbers = st.none() | st.integers(0, 2000)
entries = st.fixed_dictionaries(
    {
        "conversation": st.sampled_from(["a", "b"]),
        "prompt_tokens": numbers,
        "cached_tokens": numbers,
        "completion_tokens": numbers,
    }
)
many_runs = st.lists(st.none() | st.lists(entries, max_size=5), max_size=4)
ratios = st.decimals(0, 1, places=3).map(lambda ratio: CacheCheck(min_cached_ratio=ratio))
records = st.builds(check_cache, many_runs, ratios)


def call(prompt, cached, conversation="main"):
    return {
        "conversation": conversation,
        "prompt_tokens": prompt,
        "cached_tokens": cached,
        "completion_tokens": 1,
    }


def as_tuple(record):
    return record.result, record.reason, record.calls


def test_a_miss_names_the_call_and_its_counts():
    """The example: the second call hit nothing worth speaking of, the third did."""
    run = [call(1000, 0), call(1200, 100), call(1500, 1300)]
    assert as_tuple(check_cache([run], HALF)) == (
        "fail",
        "prompt cache miss at call 2: cached 100 of 1200 prompt tokens",
        ["call 2: cached 100/1200", "call 3: cached 1300/1500"],
    )


def test_every_miss_is_in_the_reason():
    """In the order of the calls; a miss beats what is unknown."""
    runs = [
        [call(10, 0, "r1"), call(10, 1, "r1"), call(10, None, "r1")],
        [call(10, 0, "r2"), call(10, 10, "r2"), call(10, 0, "r2")],
        None,
    ]
    assert as_tuple(check_cache(runs, HALF)) == (
        "fail",
        (
            "prompt cache miss at call 2: cached 1 of 10 prompt tokens; "
            "prompt cache miss at call 3: cached 0 of 10 prompt tokens"
        ),
        [
            "call 2: cached 1/10",
            "call 3: cache split unknown",
            "call 2: cached 10/10",
            "call 3: cached 0/10",
        ],
    )


def test_the_first_call_is_never_checked():
    """It has nothing to find in the cache, whatever it reports."""
    for cached in (None, 0, 1000):
        assert as_tuple(check_cache([[call(1000, cached)]], HALF)) == ("pass", None, [])


def test_each_conversation_has_its_own_first_call():
    """A side conversation is numbered by itself, and shown after the one it interrupts."""
    run = [
        call(100, 0),
        call(10, 0, "side"),
        call(100, 90),
        call(10, 9, "side"),
        call(100, 95),
    ]
    assert as_tuple(check_cache([run], HALF)) == (
        "pass",
        None,
        ["call 2: cached 90/100", "call 3: cached 95/100", "call 2: cached 9/10"],
    )


def test_a_conversation_never_spans_two_runs():
    """A name that both runs use is a new conversation in the second: it starts with a cold cache."""
    runs = [[call(10, 0, "side"), call(10, 9, "side")], [call(10, 0, "side")]]
    assert as_tuple(check_cache(runs, HALF)) == ("pass", None, ["call 2: cached 9/10"])


@pytest.mark.parametrize(
    "runs",
    [
        [None],
        [[]],
        [],
        [[call(10, 0), call(10, 10)], None],
        [None, [call(10, 0), call(10, 10)]],
        [[call(10, 0), call(10, None)]],
        [[call(10, 0), call(None, 10)]],
        [[call(10, 0), call(10, True)]],
        [[call(10, 0), call(10, 9.0)]],
        [[call(10, 0), call(10, "9")]],
        [[call(10, 0), call(10, -1)]],
        [[call(10, 0), call(10, 11)]],
        [[call(10, 0), {"conversation": "main"}]],
    ],
)
def test_what_was_not_reported_is_unknown(runs):
    """Neither a pass nor a miss: no usage at all, a gap, or what is no count."""
    record = check_cache(runs, HALF)
    assert (record.result, record.reason) == ("unknown", NOT_REPORTED)


def test_a_send_without_usage_is_a_numbered_unknown_call():
    """What the runner records for it keeps the numbers of the calls around it right."""
    meter = UsageMeter("s")
    usage = {"prompt_tokens": 100, "cached_tokens": 90, "completion_tokens": 1}
    for reported in (usage, None, usage):
        meter.add(reported)
    assert as_tuple(check_cache([meter.model_calls()], HALF)) == (
        "unknown",
        NOT_REPORTED,
        ["call 2: cache split unknown", "call 3: cached 90/100"],
    )


def test_a_run_that_reported_nothing_is_unknown():
    """The runner records no calls for it."""
    meter = UsageMeter("s")
    meter.add(None)
    assert check_cache([meter.model_calls()], HALF).result == "unknown"


@pytest.mark.parametrize(
    ("cached", "prompt", "ratio", "result"),
    [
        (1, 2, "0.5", "pass"),
        (499, 1000, "0.5", "fail"),
        (1, 10, "0.1", "pass"),
        (3, 10, "0.3", "pass"),
        (0, 0, "1", "pass"),
        (0, 5, "0", "pass"),
        (5, 5, "1", "pass"),
        (10**18 - 1, 10**18, "1", "fail"),
    ],
)
def test_the_floor_itself_is_enough(cached, prompt, ratio, result):
    """Compared exactly, not as binary fractions."""
    config = CacheCheck(min_cached_ratio=Decimal(ratio))
    assert check_cache([[call(1, 0), call(prompt, cached)]], config).result == result


@given(many_runs, ratios)
def test_a_pass_has_no_gap_and_no_miss(runs, config):
    """Against the rule, said another way."""
    record = check_cache(runs, config)
    later = []
    for run in runs:
        seen = set()
        for entry in run or ():
            if entry["conversation"] in seen:
                later.append((entry["prompt_tokens"], entry["cached_tokens"]))
            seen.add(entry["conversation"])
    known = [(p, c) for p, c in later if p is not None and c is not None and c <= p]
    missed = [(p, c) for p, c in known if p and Fraction(c, p) < Fraction(config.min_cached_ratio)]
    gap = len(known) < len(later) or not runs or any(not run for run in runs)
    assert record.result == ("fail" if missed else "unknown" if gap else "pass")
    assert (record.reason is None) == (record.result == "pass")
    assert len(record.calls) == len(later)


@given(many_runs, ratios, st.data())
def test_forgetting_never_turns_into_a_pass(runs, config, data):
    """A runtime that stops reporting a count cannot pass what it did not pass before."""
    places = [(i, j) for i, run in enumerate(runs) for j in range(len(run or ()))]
    if not places:
        return
    i, j = data.draw(st.sampled_from(places))
    field = data.draw(st.sampled_from(["prompt_tokens", "cached_tokens"]))
    less = [run if run is None else [dict(entry) for entry in run] for run in runs]
    less[i][j][field] = None
    if check_cache(runs, config).result != "pass":
        assert check_cache(less, config).result != "pass"


@given(st.lists(records))
def test_a_sweep_is_as_bad_as_its_worst_row(rows):
    """A miss beats unknown beats pass; all calls are shown, in the order of the rows."""
    record = combine_checks(rows)
    results = {row.result for row in rows}
    worst = next((r for r in ("fail", "unknown") if r in results), "pass")
    assert record.result == worst
    assert record.calls == [line for row in rows for line in row.calls]
    failed = [row.reason for row in rows if row.result == "fail"]
    expected = {"fail": "; ".join(failed), "unknown": NOT_REPORTED, "pass": None}
    assert record.reason == expected[worst]


def test_a_sweep_without_rows_passes():
    """Nothing was asked of the cache."""
    assert as_tuple(combine_checks([])) == ("pass", None, [])
