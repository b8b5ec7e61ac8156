"""What tokens and seconds cost, by the rates of a repository."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from wt_git.config import Pricing, Rates, parse
from wt_git.ladder.pricing import NOTHING, UNKNOWN, Tokens, known_total, least_total, price
from wt_git.records.sweep_records import CostUsd

TABLE = """
[tool.windtunnel.ladder.pricing]
time_per_hour = 60.0
[tool.windtunnel.ladder.pricing.models]
"target-model" = { input_per_m = 1.00, cache_read_per_m = 0.10, output_per_m = 4.00, time_per_hour = 12.0 }
default = { input_per_m = 1.00, cache_read_per_m = 0.10, output_per_m = 4.00 }
"""
PRICING = parse(TABLE.encode(), "pyproject.toml").ladder.pricing
MICRO = Fraction(1, 10**6)

COMPONENTS = ("uncached_input", "cache_read", "output", "time")

rates = st.decimals(0, 1000, allow_nan=False, allow_infinity=False, places=4)
maybe_rates = st.none() | rates
counts = st.integers(0, 10**9)
seconds = st.floats(0, 10**6).map(lambda s: round(s, 3))
models = st.builds(
    Rates,
    input_per_m=rates,
    output_per_m=rates,
    cache_read_per_m=maybe_rates,
    time_per_hour=maybe_rates,
    cache_write_per_m=maybe_rates,
).map(
    lambda one: (
        one
        if one.cache_write_per_m is None
        else one._replace(cache_write_per_m=one.cache_write_per_m + one.input_per_m)
    )
)
pricings = st.builds(
    Pricing,
    time_per_hour=rates,
    models=st.dictionaries(st.sampled_from(["a", "b", "default"]), models),
)
labels = st.sampled_from([None, "a", "b", "c", "default"])
tokens = st.builds(Tokens, *[st.none() | counts] * 4)


@st.composite
def split_tokens(draw):
    whole = draw(counts)
    return Tokens(whole, draw(st.integers(0, whole)), draw(counts), draw(counts))


def four(cost):
    """Return the components to four decimals, as the cost block prints them."""
    return {name: f"{getattr(cost, name):.4f}" for name in (*COMPONENTS, "total")}


def exact(amount):
    return Fraction(str(amount))


EXAMPLES = [
    (
        Tokens(13000, 4000, 10000),
        0.06,
        {
            "uncached_input": "0.0090",
            "cache_read": "0.0004",
            "output": "0.0400",
            "time": "0.0010",
            "total": "0.0504",
        },
    ),
    (
        Tokens(18230, 15000, 1504),
        41.2,
        {
            "uncached_input": "0.0032",
            "cache_read": "0.0015",
            "output": "0.0060",
            "time": "0.6867",
            "total": "0.6974",
        },
    ),
    (
        Tokens(3700, 1400, 120),
        4.2,
        {
            "uncached_input": "0.0023",
            "cache_read": "0.0001",
            "output": "0.0005",
            "time": "0.0700",
            "total": "0.0729",
        },
    ),
]


@pytest.mark.parametrize("label", [None, "another-model", "default"])
@pytest.mark.parametrize(("used", "wall_s", "expected"), EXAMPLES)
def test_the_example_rows_at_the_example_rates(used, wall_s, expected, label):
    """To four decimals, for every label that has no rate of its own for time."""
    cost = price(used, wall_s, label, PRICING)
    assert four(cost) == expected
    assert cost.tokens_known
    assert cost.cache_split_known


@pytest.mark.parametrize(
    ("used", "wall_s", "time", "total"),
    [
        (Tokens(13000, 4000, 10000), 0.3, "0.0010", "0.0504"),
        (Tokens(18230, 15000, 1504), 41.2, "0.1373", "0.1481"),
        (Tokens(3700, 1400, 120), 4.2, "0.0140", "0.0169"),
    ],
)
def test_an_hour_costs_what_the_label_says(used, wall_s, time, total):
    """With a rate of the label's own for time, that part follows the label, and no other does."""
    own = price(used, wall_s, "target-model", PRICING)
    general = price(used, wall_s, None, PRICING)
    assert (four(own)["time"], four(own)["total"]) == (time, total)
    for name in ("uncached_input", "cache_read", "output"):
        assert getattr(own, name) == getattr(general, name)


def test_labels_are_compared_exactly():
    """Neither case nor a part of a name finds an entry; what has none is priced by `default`."""
    pricing = Pricing(
        models={
            "Large": Rates(input_per_m=Decimal(2), output_per_m=Decimal(0)),
            "default": Rates(input_per_m=Decimal(7), output_per_m=Decimal(0)),
        }
    )
    million = Tokens(10**6, None, 0)
    prices = {
        label: price(million, 0.0, label, pricing).total
        for label in ("Large", "large", "Large ", "Larg", "", None)
    }
    assert prices == {"Large": 2.0, "large": 7.0, "Large ": 7.0, "Larg": 7.0, "": 7.0, None: 7.0}


def test_without_a_default_an_unlisted_label_costs_its_time_only():
    """A price that nobody gave is not guessed from another model's."""
    pricing = Pricing(
        time_per_hour=Decimal(36),
        models={"a": Rates(input_per_m=Decimal(1), output_per_m=Decimal(1))},
    )
    for label in ("b", None):
        cost = price(Tokens(10, 5, 10), 100.0, label, pricing)
        assert (cost.uncached_input, cost.cache_read, cost.output) == (None, None, None)
        assert (cost.time, cost.total) == (1.0, 1.0)
        assert not cost.tokens_known
        assert not cost.cache_split_known


def test_a_zero_of_the_labels_own_is_a_rate():
    """Free time and free cache reads are not taken for rates that were left out."""
    free = Rates(
        input_per_m=Decimal(5),
        output_per_m=Decimal(0),
        cache_read_per_m=Decimal(0),
        time_per_hour=Decimal(0),
    )
    pricing = Pricing(time_per_hour=Decimal(100), models={"free": free})
    cost = price(Tokens(10**6, 10**6, 9), 3600.0, "free", pricing)
    assert (cost.uncached_input, cost.cache_read, cost.time, cost.total) == (0.0, 0.0, 0.0, 0.0)


def test_cache_reads_without_a_rate_cost_what_input_does():
    """The split is still shown."""
    pricing = Pricing(models={"a": Rates(input_per_m=Decimal(3), output_per_m=Decimal(0))})
    cost = price(Tokens(10**6, 400_000, 0), 0.0, "a", pricing)
    assert (cost.uncached_input, cost.cache_read, cost.total) == (1.8, 1.2, 3.0)
    assert cost.cache_split_known


@pytest.mark.parametrize("cached", [None, 101])
def test_without_a_usable_split_every_input_token_is_uncached(cached):
    """A cached count above the prompt is no split at all."""
    cost = price(Tokens(100, cached, 10), 0.0, None, PRICING)
    assert cost.uncached_input == 0.0001
    assert cost.cache_read is None
    assert cost.tokens_known
    assert not cost.cache_split_known


def test_decimal_amounts_do_not_drift():
    """Three tenths of a unit are three tenths, and half a millionth goes to the even one."""
    pricing = Pricing(models={"a": Rates(input_per_m=Decimal("0.1"), output_per_m=Decimal("0.1"))})
    assert price(Tokens(3_000_000, 0, 0), 0.0, "a", pricing).total == 0.3
    assert price(Tokens(5, 0, 15), 0.0, "a", pricing).uncached_input == 0.0
    assert price(Tokens(5, 0, 15), 0.0, "a", pricing).output == 0.000002


def test_absurd_amounts_stay_numbers():
    """A record never holds infinity, which JSON cannot."""
    most = Decimal("1e308")
    pricing = Pricing(time_per_hour=most, models={"a": Rates(input_per_m=most, output_per_m=most)})
    cost = price(Tokens(10**300, None, 10**300), 1e300, "a", pricing)
    assert json.loads(json.dumps(cost.as_document(), allow_nan=False))["total"] > 1e307


@given(tokens, seconds, labels, pricings)
def test_the_total_is_the_sum_of_the_parts_as_recorded(used, wall_s, label, pricing):
    """To the last of six decimals, so a reader can add up what is shown."""
    cost = price(used, wall_s, label, pricing)
    named = [getattr(cost, name) for name in (*COMPONENTS, "cache_write")]
    parts = [exact(part) for part in named if part not in {None, UNSET}]
    assert exact(cost.total) == sum(parts)
    assert all((part / MICRO).denominator == 1 and part >= 0 for part in parts)


@given(tokens, seconds, labels, pricings)
def test_flags_and_nulls_go_together(used, wall_s, label, pricing):
    """A part is null exactly when its flag says that it is not known."""
    cost = price(used, wall_s, label, pricing)
    has_rates = label in pricing.models or "default" in pricing.models
    assert cost.tokens_known == (has_rates and used.input is not None and used.output is not None)
    assert (cost.uncached_input is not None) == cost.tokens_known
    assert (cost.output is not None) == cost.tokens_known
    assert (cost.cache_read is not None) == cost.cache_split_known
    assert cost.cache_split_known == (
        cost.tokens_known and used.cached is not None and used.cached <= used.input
    )


@given(split_tokens(), seconds, labels, pricings)
def test_each_part_is_the_exact_amount_rounded_once(used, wall_s, label, pricing):
    """Against fractions, which do not round at all."""
    own = pricing.models.get(label) or pricing.models.get("default")
    cost = price(used, wall_s, label, pricing)
    table_hour = pricing.time_per_hour
    hour = table_hour if own is None or own.time_per_hour is None else own.time_per_hour
    assert exact(cost.time) == round(exact(wall_s) * Fraction(hour) / 3600, 6)
    if own is None:
        return
    fresh, stored = Fraction(own.input_per_m), own.cache_read_per_m
    stored = fresh if stored is None else Fraction(stored)
    assert exact(cost.uncached_input) == round((used.input - used.cached) * fresh * MICRO, 6)
    assert exact(cost.cache_read) == round(used.cached * stored * MICRO, 6)
    assert exact(cost.output) == round(used.output * Fraction(own.output_per_m) * MICRO, 6)


@given(split_tokens(), seconds, labels, pricings)
def test_an_unknown_split_never_lowers_a_price(used, wall_s, label, pricing):
    """As long as cache reads cost no more than input; one part rounds where two did."""
    for own in pricing.models.values():
        if own.cache_read_per_m is not None and own.cache_read_per_m > own.input_per_m:
            return
    split = price(used, wall_s, label, pricing)
    whole = price(used._replace(cached=None), wall_s, label, pricing)
    assert exact(whole.total) >= exact(split.total) - MICRO


@given(split_tokens(), seconds, labels, pricings, st.sampled_from(["input", "output"]))
def test_unknown_tokens_are_no_known_price(used, wall_s, label, pricing, field):
    """The total is then the time, and says so: nobody can take it for the whole."""
    cost = price(used._replace(**{field: None}), wall_s, label, pricing)
    assert cost.total == cost.time
    assert known_total(cost) is None
    assert least_total(cost) == Decimal(str(cost.time))


@given(split_tokens(), counts, counts, seconds, seconds, labels, pricings)
def test_more_never_costs_less(used, more_in, more_out, wall_s, more_s, label, pricing):
    """Neither more fresh input, nor more output, nor more time."""
    before = price(used, wall_s, label, pricing)
    more = used._replace(input=used.input + more_in, output=used.output + more_out)
    after = price(more, wall_s + more_s, label, pricing)
    assert after.total >= before.total
    assert after.time >= before.time


def test_the_record_has_the_documented_keys_and_plain_numbers():
    """Whoever reads the ledger finds seven keys, floats and booleans."""
    record = price(Tokens(18230, 15000, 1504), 41.2, None, PRICING).as_document()
    assert record == {
        "uncached_input": 0.00323,
        "cache_read": 0.0015,
        "output": 0.006016,
        "time": 0.686667,
        "total": 0.697413,
        "tokens_known": True,
        "cache_split_known": True,
    }
    assert CostUsd(**record).total == 0.697413


def test_nothing_used_costs_nothing_and_is_known():
    """A sweep whose only scenario met a wrong world never contacted the agent."""
    cost = price(NOTHING, 0.0, None, PRICING)
    assert (cost.total, cost.tokens_known, cost.cache_split_known) == (0.0, True, True)
    assert price(UNKNOWN, 0.0, None, PRICING).tokens_known is False


def test_time_is_priced_as_recorded():
    """To the millisecond that the row shows, so that anyone can check the price from the row."""
    fast = Pricing(time_per_hour=Decimal(3_600_000))
    assert price(UNKNOWN, 0.0014999, None, fast).time == 1.0


def test_writing_to_the_cache_costs_more_than_reading_input():
    """30 of 100 tokens at 1.25 instead of 1 a million: the difference is a part of its own."""
    own = Rates(Decimal(1), Decimal(0), Decimal("0.1"), None, Decimal("1.25"))
    pricing = Pricing(models={"default": own})
    cost = price(Tokens(100_000_000, 60_000_000, 0, 30_000_000), 0.0, None, pricing)
    assert (cost.uncached_input, cost.cache_read, cost.cache_write) == (40.0, 6.0, 7.5)
    assert cost.total == 53.5
    without = Pricing(models={"default": own._replace(cache_write_per_m=None)})
    same = price(Tokens(100_000_000, 60_000_000, 0, 30_000_000), 0.0, None, without)
    assert (same.cache_write, same.total) == (UNSET, 46.0)
