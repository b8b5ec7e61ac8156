"""Names in sentences: not too many, and foreign ones inert."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import texts

from wt_git.naming import listed, named, scenario_name
from wt_git.text import one_line


@given(st.lists(texts(), max_size=9), st.integers(1, 9))
def test_names_are_shown_until_there_are_too_many(names: list[str], most: int) -> None:
    """The rest is counted, so that shown and counted are all."""
    for between, last in ((", ", " "), ("; ", "; ")):
        more = f"{last}and {len(names) - most} more" if len(names) > most else ""
        shown = listed(names, most=most, between=between)
        assert shown == between.join(names[:most]) + more


@given(st.lists(texts(), max_size=9))
def test_foreign_names_stay_on_the_line(names: list[str]) -> None:
    """Whatever somebody called a file or a scenario."""
    found = named(names)
    assert one_line(found) == found
    assert found.count("'") >= 2 * min(len(names), 5)


def test_a_scenario_is_named_by_its_pack_where_that_is_known() -> None:
    """Rows of older writers do not say it."""
    assert scenario_name("orders", "refund") == "orders/refund"
    assert scenario_name(None, "refund") == "refund"
