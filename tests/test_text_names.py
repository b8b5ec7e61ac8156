"""Names in sentences: not too many, and foreign ones inert."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import texts

from wt_git.text import (
    Examples,
    one_line,
    quoted_list,
    scenario_name,
    scenario_namer,
    shortened_list,
    sorted_names,
)


@given(st.lists(texts(), max_size=9), st.integers(1, 9))
def test_names_are_shown_until_there_are_too_many(names: list[str], most: int) -> None:
    """The rest is counted, so that shown and counted are all."""
    for between, last in ((", ", " "), ("; ", "; ")):
        more = f"{last}and {len(names) - most} more" if len(names) > most else ""
        shown = shortened_list(names, most=most, between=between)
        assert shown == between.join(names[:most]) + more


@given(st.lists(texts(), max_size=9))
def test_foreign_names_stay_on_the_line(names: list[str]) -> None:
    """Whatever somebody called a file or a scenario."""
    found = quoted_list(names)
    assert one_line(found) == found
    assert found.count("'") >= 2 * min(len(names), 5)


def test_a_scenario_is_named_by_its_pack_where_that_is_known() -> None:
    """Rows of older writers do not say it."""
    assert scenario_name("orders", "refund") == "orders/refund"
    assert scenario_name(None, "refund") == "refund"


@given(st.sets(texts(), max_size=50))
def test_an_inventory_names_all_there_is_in_order(names: set[str]) -> None:
    """Up to forty, on one line; nothing is said to be there where there is nothing."""
    found = sorted_names(names)
    assert one_line(found) == found
    first = ", ".join(one_line(name) for name in sorted(names)[:40])
    assert found == (f"{first} and {len(names) - 40} more" if len(names) > 40 else first or "none")


@given(st.lists(texts(), max_size=9))
def test_examples_are_counted_and_the_first_are_named(names: list[str]) -> None:
    """Three names tell what is wrong; however many follow, no more is kept."""
    found = Examples()
    for name in names:
        found.add(name)
    assert found.number == len(names)
    more = [f"and {len(names) - 3} more"] if len(names) > 3 else []
    assert str(found) == ", ".join([*map(one_line, names[:3]), *more])


def test_scenarios_of_one_name_are_told_apart_by_their_packs() -> None:
    """Only where the name alone would leave a doubt."""
    name = scenario_namer(["refund", "lookup", "refund"])
    assert name("refund", "orders") == "orders/refund"
    assert name("refund", None) == "refund"
    assert name("lookup", "orders") == "lookup"
