"""Which groups share a row of a report, and what the row is called."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wt_git.records.ledger.row import Row
from wt_git.records.runs.saved_runs import SavedRun
from wt_git.reports.report.rows import row_groups, variants
from wt_git.reports.run_groups.groups import RunGroup


def group(scenario: str, label: str, pack: str | None = None, *, row: bool = True) -> RunGroup:
    """A group of one run."""
    run: dict[str, Any] = {
        "path": "x.json",
        "run_id": "1",
        "started_at": "",
        "verdict": "PASS",
        "metrics": {},
        "failed_layers": (),
        "diagnostic_failures": (),
        "risk_weight": 1.0,
        "is_probe": False,
        "origin": None,
    }
    about = Row(scenario_id=scenario, label=label, pack=pack)
    return RunGroup((SavedRun(scenario=scenario, label=label, **run),), about if row else None)


def names(*groups: RunGroup) -> list[tuple[str, str | None, list[str]]]:
    return [(row.name, row.pack, list(row.by_label)) for row in row_groups(groups)]


def test_a_scenario_has_one_row_with_its_labels_in_order():
    """Whoever ran it when."""
    found = names(group("b", "y", "p"), group("a", "x", "p"), group("b", "x", "p"))
    assert found == [("a", "p", ["x"]), ("b", "p", ["x", "y"])]


def test_runs_whose_pack_nobody_recorded_are_of_the_only_pack_there_is():
    """Copied traces have no ledger."""
    assert names(group("a", "x", "p"), group("a", "y", row=False)) == [("a", "p", ["x", "y"])]
    assert names(group("a", "x", row=False)) == [("a", None, ["x"])]


def test_scenarios_of_one_name_in_two_packs_have_rows_of_their_own():
    """They only share a name. Nobody knows which of them the runs without a pack are of."""
    found = names(
        group("a", "x", "q"), group("a", "x", "p"), group("a", "y", "p"), group("a", "z", row=False)
    )
    assert found == [("a", None, ["z"]), ("p/a", "p", ["x", "y"]), ("q/a", "q", ["x"])]


def test_a_scenario_may_be_called_like_a_pack_and_a_scenario():
    """Then a number tells them apart: programs look rows up by name."""
    found = names(group("a", "x", "p"), group("a", "x", "q"), group("p/a", "x", "r"))
    assert [name for name, _, _ in found] == ["p/a", "q/a", "p/a (2)"]


def test_labels_stand_in_the_order_in_which_rows_name_them():
    """Not in that of the alphabet."""
    rows = row_groups([group("a", "y"), group("b", "x"), group("b", "y"), group("a", "z")])
    assert variants(rows) == ["y", "z", "x"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "p/a"]),
            st.sampled_from(["x", "y"]),
            st.sampled_from([None, "p", "q"]),
        ),
        unique=True,
    )
)
def test_every_group_is_in_one_row_and_names_are_unique(pairs):
    """Whatever was recorded. (Of a label, there is one group without a pack, or one for each.)"""
    alone = [one for one in pairs if one[2] is None]
    groups = [group(*one) for one in pairs if one[2] is None or (one[0], one[1], None) not in alone]
    rows = row_groups(groups)
    assert sorted(id(of) for row in rows for of in row.by_label.values()) == sorted(map(id, groups))
    assert len({row.name for row in rows}) == len(rows)
    assert set(variants(rows)) == {of.runs[0].label for of in groups}
