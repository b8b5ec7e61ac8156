"""What a sweep says about its cost when it ends."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.cli.run.sweep_text import cost_block
from wt_git.config import CacheCheck, Pricing, Rates
from wt_git.ladder.cache_check import check_cache, combine_checks
from wt_git.ladder.pricing import Tokens, price
from wt_git.records.sweep_records import CacheCheckRecord, Cost

PRICING = Pricing(
    time_per_hour=Decimal(60),
    models={
        "default": Rates(
            input_per_m=Decimal(1), cache_read_per_m=Decimal("0.1"), output_per_m=Decimal(4)
        )
    },
)


def cost(used, wall_s=4.2):
    return Cost(
        wall_s=wall_s,
        input_tokens=used.input,
        cached_tokens=used.cached,
        output_tokens=used.output,
    )


def calls(*pairs):
    return [
        {"conversation": "c", "prompt_tokens": p, "cached_tokens": c, "completion_tokens": 40}
        for p, c in pairs
    ]


def test_the_example_block():
    """Question, tokens, time, money and cache, at the example rates."""
    used = Tokens(3700, 1400, 120)
    checked = check_cache([calls((1000, 0), (1200, 100), (1500, 1300))], CacheCheck())
    question = "does the multi-turn prompt still hit the cache?"
    assert cost_block(question, cost(used), price(used, 4.2, None, PRICING), checked) == [
        "cost — 'does the multi-turn prompt still hit the cache?'",
        "  tokens: 3700 in (1400 cached) / 120 out",
        "  wall: 4.2s",
        "  $ uncached 0.0023 + cache read 0.0001 + output 0.0005 + time 0.0700 = total 0.0729",
        "  cache check: fail — prompt cache miss at call 2: cached 100 of 1200 prompt tokens",
        "  call 2: cached 100/1200",
        "  call 3: cached 1300/1500",
    ]


def test_nothing_configured_and_nothing_asked():
    """Neither money nor cache is mentioned where nothing configures it."""
    assert cost_block(None, cost(Tokens(5, 0, 7), 0.04), None, None) == [
        "cost",
        "  tokens: 5 in (0 cached) / 7 out",
        "  wall: 0.0s",
    ]


def test_an_unknown_split_is_said():
    """In the tokens and in the money."""
    used = Tokens(2_000_000, None, 0)
    assert cost_block(None, cost(used, 60), price(used, 60, None, PRICING), None)[1:] == [
        "  tokens: 2000000 in (cache split unknown) / 0 out",
        "  wall: 60.0s",
        "  $ uncached 2.0000 (cache split unknown) + output 0.0000 + time 1.0000 = total 3.0000",
    ]


@pytest.mark.parametrize("used", [Tokens(None, None, None), Tokens(5, 1, None), Tokens(None, 1, 5)])
def test_unknown_tokens_are_said(used):
    """A part of the count is not shown as if it were the whole."""
    assert cost_block(None, cost(used, 6), price(used, 6, None, PRICING), None)[1:] == [
        "  tokens: unknown",
        "  wall: 6.0s",
        "  $ tokens unknown — time cost only: total 0.1000",
    ]


def test_known_tokens_without_a_price():
    """A model without rates: the tokens are shown, the money is that of the time."""
    used = Tokens(5, 1, 5)
    block = cost_block(None, cost(used, 6), price(used, 6, "x", Pricing()), None)
    assert block[1] == "  tokens: 5 in (1 cached) / 5 out"
    assert block[3] == "  $ tokens unknown — time cost only: total 0.0000"


def test_an_unknown_cache_check_is_said():
    """With the call whose split is missing."""
    checked = check_cache([calls((1000, 0), (1200, None))], CacheCheck())
    assert cost_block(None, cost(Tokens(0, 0, 0)), None, checked)[3:] == [
        "  cache check: unknown — cache split not reported for one or more calls",
        "  call 2: cache split unknown",
    ]


def test_a_passing_cache_check_has_no_reason():
    """Only its calls."""
    checked = check_cache([calls((1000, 0), (1200, 600))], CacheCheck())
    assert cost_block(None, cost(Tokens(0, 0, 0)), None, checked)[3:] == [
        "  cache check: pass",
        "  call 2: cached 600/1200",
    ]


def test_tokens_that_have_no_price_are_told_from_unknown_ones():
    """Which entry is missing is named, since nothing is wrong with what the runtime reports."""
    used = Tokens(5, 1, 5)
    unpriced = price(used, 6, "x", Pricing())
    table = "[tool.windtunnel.ladder.pricing.models]"
    assert cost_block(None, cost(used), unpriced, None, model="x")[4:] == [
        f"  these tokens have no price: {table} has neither 'x' nor 'default'"
    ]
    assert cost_block(None, cost(used), unpriced, None)[4:] == [
        f"  these tokens have no price: {table} has no 'default', and the runtime reports no model"
    ]
    unknown = Tokens(None, None, None)
    assert not cost_block(None, cost(unknown), unpriced, None, model="x")[4:]


def test_calls_of_several_scenarios_stand_below_their_names():
    """Numbers begin anew in each conversation, so nobody could tell them apart otherwise."""
    hit, miss = (check_cache([calls((1000, 0), (1200, n))], CacheCheck()) for n in (700, 1))
    silent = check_cache([None], CacheCheck())
    alone = check_cache([calls((1000, 0))], CacheCheck())
    checks = [("a/one", hit), ("a/two", miss), ("a/three", silent), ("a/four", alone)]
    block = cost_block(
        None,
        cost(Tokens(0, 0, 0)),
        None,
        combine_checks(record for _, record in checks),
        by_scenario=checks,
    )
    assert block[3:] == [
        "  cache check: fail — prompt cache miss at call 2: cached 1 of 1200 prompt tokens",
        "  a/one: pass",
        "  call 2: cached 700/1200",
        "  a/two: fail",
        "  call 2: cached 1/1200",
        "  a/three: unknown",
    ]


@given(st.text())
def test_no_question_makes_a_line_of_its_own(question):
    """Not even one with line breaks or what moves a cursor."""
    first, *rest = cost_block(question, cost(Tokens(1, 1, 1)), None, None)
    assert first.startswith("cost — '")
    assert first.isprintable() or not set(first) & set("\n\r\x1b\x85\u2028\u2029")
    assert len(first.splitlines()) == 1
    assert len(rest) == 2


@given(st.text(min_size=1))
def test_no_recorded_reason_makes_a_line_of_its_own(text):
    """A record that was read back may hold anything."""
    record = CacheCheckRecord(result="fail", reason=text, calls=[text])
    block = cost_block(None, cost(Tokens(1, 1, 1)), None, record)
    assert len(block) == len("\n".join(block).splitlines()) == 5
