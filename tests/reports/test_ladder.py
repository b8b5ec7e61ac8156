"""The totals of the ladder: every sweep once, sums of what is known, and never a zero for unknown."""

from __future__ import annotations

import functools
import operator
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from kit.experiment_lines import cost, finished, read, reviewed, usd

from wt_git.reports.ladder import ladder_lines, ladder_results

counts = st.none() | st.integers(0, 10**6)
dollars = st.none() | st.integers(0, 10**8).map(lambda millionths: millionths / 10**6)
tiers = st.sampled_from(["probe", "focused", "regression", "airship"])


@st.composite
def sweeps(draw: Any) -> dict[str, Any]:
    record = finished(
        draw(st.integers(1, 6)),
        tier=draw(tiers),
        prediction_held=draw(st.none() | st.booleans()),
        cost=cost(draw(st.integers(0, 10**6)) / 1000, *(draw(counts) for _ in range(3))),
    )
    if draw(st.booleans()):
        parts = [draw(dollars) for _ in range(4)]
        total = draw(dollars.filter(lambda value: value is not None))
        record["cost_usd"] = usd(*parts, total, tokens_known=draw(st.booleans()))
    if draw(st.booleans()):
        record["cache_check"] = {"result": draw(st.sampled_from(["pass", "fail", "unknown"]))}
    return record


reviews = st.builds(
    lambda number, changed: reviewed(number, changed=changed), st.integers(1, 7), st.booleans()
)
files = st.lists(sweeps() | reviews, max_size=12)


def totals(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What the product makes of a file that holds `records` in this order."""
    known = [found for record in reversed(records) if (found := read(record))]
    found = ladder_results(known, "runs")
    return None if found is None else found.as_document()


def added(values: list[Any]) -> float | None:
    known = [Decimal(repr(value)) for value in values if value is not None]
    return float(sum(known)) if known else None


def naive(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The totals once more, from the last record of each sweep and the last review of each."""
    last = {record["sweep_id"]: record for record in records if record["kind"] == "sweep"}
    said = {record["sweep_id"]: record for record in records if record["kind"] == "review"}
    found: dict[str, dict[str, Any]] = {}
    for tier in {record["tier"] for record in last.values()}:
        of = [record for record in last.values() if record["tier"] == tier]
        costs = [record["cost"] for record in of]
        both = [c for c in costs if None not in (c["input_tokens"], c["output_tokens"])]
        cached = [c["cached_tokens"] for c in costs if c["cached_tokens"] is not None]
        usds = [record["cost_usd"] for record in of if "cost_usd" in record]
        results = [record.get("cache_check", {}).get("result") for record in of]
        told = [said[record["sweep_id"]] for record in of if record["sweep_id"] in said]
        held = [r["prediction_held"] for r in of if r["prediction_held"] is not None]
        found[tier] = {
            "sweeps": len(of),
            "wall_s": added([c["wall_s"] for c in costs]),
            "input_tokens": sum(c["input_tokens"] for c in both) if both else None,
            "output_tokens": sum(c["output_tokens"] for c in both) if both else None,
            "tokens_reported": len(both),
            "cached_tokens": sum(cached) if cached else None,
            "cached_reported": len(cached),
            "predictions": len(held),
            "predictions_held": sum(held),
            "reviewed": len(told),
            "changed_decision": sum(one["changed"] for one in told),
            "cost_usd": added([u["total"] for u in usds]),
            "priced_sweeps": len(usds),
            "tokens_unknown_sweeps": sum(not u["tokens_known"] for u in usds),
            "uncached_input_usd": added([u["uncached_input"] for u in usds]),
            "cache_read_usd": added([u["cache_read"] for u in usds]),
            "output_usd": added([u["output"] for u in usds]),
            "time_usd": added([u["time"] for u in usds]),
            "cache_fail_sweeps": results.count("fail"),
            "cache_unknown_sweeps": results.count("unknown"),
        }
    return found


@given(files)
def test_the_totals_are_those_of_a_naive_reading(records):
    """Each sweep once, by its last record; each review once, by the last of its sweep."""
    expected = naive(records)
    found = totals(records)
    if not expected:
        assert found is None
        return
    assert found is not None
    assert found["tiers"] == expected
    assert found["cumulative_cost_usd"] == added([one["cost_usd"] for one in expected.values()])


@given(files, st.integers(0, 12))
def test_a_record_that_stands_there_twice_counts_once(records, place):
    """Directories are copied together, and a line may have been appended again."""
    twice = [*records[:place], *records[:place], *records[place:]]
    assert totals(twice) == totals(records)


@given(
    st.lists(sweeps(), unique_by=lambda record: record["sweep_id"]).flatmap(
        lambda records: st.tuples(st.just(records), st.permutations(records))
    )
)
def test_the_order_of_different_sweeps_says_nothing(orders):
    """Sweeps end in any order, and clocks differ."""
    one, other = orders
    assert totals(one) == totals(other)


@given(files)
def test_unknown_tokens_are_never_a_zero(records):
    """Neither in the document nor in the text."""
    known = [found for record in reversed(records) if (found := read(record))]
    found = ladder_results(known, "runs")
    if found is None:
        return
    for (tier, of), line in zip(found.tiers.items(), ladder_lines(found)[1:], strict=False):
        assert line.split()[0] == tier
        assert (of.input_tokens is None) == (of.tokens_reported == 0)
        assert ("tokens unknown;" in line) == (of.tokens_reported == 0)
        assert (" cached, " in line) == (of.cached_reported > 0 and of.tokens_reported > 0)
        assert (of.cost_usd is None) == (of.priced_sweeps == 0)


def test_tiers_stand_by_their_size_and_unknown_ones_after_them():
    """A newer writer may know a tier that this reader does not."""
    of = ["regression", "airship", "focused", "probe"]
    found = totals([finished(number, tier=tier) for number, tier in enumerate(of)])
    assert found is not None
    assert list(found["tiers"]) == ["probe", "focused", "regression", "airship"]
    assert list(found) == ["windtunnel_ladder_results", "runs_dir", "tiers", "cumulative_cost_usd"]
    assert found["windtunnel_ladder_results"] == 1


def test_dollars_are_added_as_decimals():
    """Ten times ten cents are a dollar; in binary floats, added one by one, they are not."""
    records = [finished(n, cost_usd=usd(None, None, None, 0.1, 0.1)) for n in range(10)]
    found = totals(records)
    assert found is not None
    assert found["tiers"]["focused"]["cost_usd"] == 1.0
    assert functools.reduce(operator.add, [0.1] * 10) != 1.0


def test_only_a_prediction_counts_as_one():
    """A sweep without `--expect` held nothing and missed nothing."""
    records = [finished(1, prediction_held=None), finished(2, prediction_held=False), finished(3)]
    found = totals(records)
    assert found is not None
    assert found["tiers"]["focused"]["predictions"] == 2
    assert found["tiers"]["focused"]["predictions_held"] == 1


def lines(*records: dict[str, Any]) -> list[str]:
    known = [found for record in reversed(records) if (found := read(record))]
    document = ladder_results(known, "runs")
    assert document is not None
    return ladder_lines(document)


def test_a_tier_is_one_line_with_all_that_it_cost_and_was_worth():
    """Cost, predictions, decisions, dollars by what they went into, and the cache check."""
    assert lines(
        finished(1, cost_usd=usd(), cache_check={"result": "fail"}),
        finished(2, cost=cost(3.1, None, None, None), prediction_held=False),
        reviewed(1),
        finished(
            3,
            tier="regression",
            cost=cost(60, None, None, None),
            prediction_held=None,
            cost_usd=usd(None, None, None, 0.5, 0.5, tokens_known=False),
        ),
    ) == [
        "ladder under runs",
        (
            "  focused     2 sweeps; 14s wall; 100 in (40 cached, 1/2 reported) / 7 out tokens (1/2 "
            "sweeps reported); 1/2 predictions held; 1/1 reviewed changed a decision; $ uncached "
            "0.0090 + cache read 0.0004 + output 0.0400 + time 0.0010 = total 0.0504 (1/2 priced, 0 "
            "tokens unknown); cache check: 1 failed, 0 unknown"
        ),
        (
            "  regression  1 sweep; 60s wall; tokens unknown; no predictions; none reviewed; $ uncached "
            "unknown + cache read unknown + output unknown + time 0.5000 = total 0.5000 (1/1 priced, 1 "
            "tokens unknown)"
        ),
        "cumulative: $0.5504",
    ]


def test_without_a_price_there_is_no_word_of_money():
    """A runs directory from before pricing was configured stays as it was."""
    assert lines(finished(), reviewed(changed=False)) == [
        "ladder under runs",
        (
            "  focused     1 sweep; 10s wall; 100 in (40 cached, 1/1 reported) / 7 out tokens (1/1 "
            "sweeps reported); 1/1 predictions held; 0/1 reviewed changed a decision"
        ),
    ]


def test_a_tier_with_a_hostile_name_moves_no_cursor():
    """The file may come from anywhere."""
    (_, line) = lines(finished(tier="\x1b[2Jprobe\n::error::x"))
    assert "\x1b" not in line
    assert "\n" not in line
