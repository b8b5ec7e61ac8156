"""Which scenarios a sweep runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.errors import UsageError
from wt_git.sweep.selection import Selectors, find_unmatched, select
from wt_git.text import near_matches


def scenario(name: str, *tags: str) -> Scenario:
    return Scenario(name=name, prompt="?", target_facts=[["x"]], tags=list(tags))


PACKS = [
    ScenarioPack("billing", [scenario("refund_full", "fast"), scenario("refund_half")], owner="a"),
    ScenarioPack("orders", [scenario("lookup", "fast", "daily"), scenario("refund_full")]),
    ScenarioPack("empty"),
]


def names(**selectors: tuple[str, ...]) -> list[str]:
    chosen = select(PACKS, Selectors(**selectors))
    return [f"{item.pack.name}/{item.scenario.name}" for item in chosen]


def test_nothing_asked_is_everything_in_pack_order() -> None:
    """Two packs may own scenarios of one name; both run."""
    assert names() == [
        "billing/refund_full",
        "billing/refund_half",
        "orders/lookup",
        "orders/refund_full",
    ]


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ({"scenarios": ("refund_*",)}, ["refund_full", "refund_half", "refund_full"]),
        ({"scenarios": ("refund_*", "*full")}, ["refund_full", "refund_half", "refund_full"]),
        ({"scenarios": ("lookup",), "tags": ("fast",)}, ["lookup"]),
        ({"tags": ("fast", "daily")}, ["refund_full", "lookup"]),
        ({"packs": ("orders",), "scenarios": ("refund_full",)}, ["refund_full"]),
        ({"owners": ("a",)}, ["refund_full", "refund_half"]),
        ({"scenarios": ("[lr]*p",)}, ["lookup"]),
    ],
)
def test_values_of_one_option_add_and_options_restrict(
    selectors: dict[str, tuple[str, ...]], expected: list[str]
) -> None:
    """OR within an option, AND across options, each scenario once."""
    assert [name.split("/")[1] for name in names(**selectors)] == expected


def test_matching_is_case_sensitive_on_every_platform() -> None:
    """A name is an identity."""
    with pytest.raises(UsageError, match=r"unknown scenario\(s\): LOOKUP\n.*lookup"):
        names(scenarios=("LOOKUP",))


def test_one_wrong_value_among_right_ones_refuses_the_whole() -> None:
    """Otherwise a regression of two would silently become a focused sweep of one."""
    with pytest.raises(UsageError, match=r"unknown scenario\(s\): lokup"):
        names(scenarios=("refund_full", "lokup"))


def test_a_name_that_another_option_filters_out_is_not_unknown() -> None:
    """The message then says that the options contradict each other."""
    with pytest.raises(UsageError, match="no scenario matches all of them") as refused:
        names(scenarios=("lookup",), packs=("billing",))
    assert "unknown" not in refused.value.message


def test_a_pack_without_owner_matches_no_owner() -> None:
    """Not even an empty one."""
    assert find_unmatched(PACKS, Selectors(owners=("",)))


labels = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@given(st.lists(labels, unique=True, min_size=1), labels)
def test_a_selection_is_a_subsequence_and_an_unmatched_value_refuses(
    pool: list[str], wanted: str
) -> None:
    """For any names: either the value matches something and only that runs, or it is refused."""
    packs = [ScenarioPack("p", [scenario(f"n{name}") for name in pool])]
    selectors = Selectors(scenarios=(f"n{wanted}",))
    if find_unmatched(packs, selectors):
        with pytest.raises(UsageError):
            select(packs, selectors)
    else:
        chosen = [item.scenario for item in select(packs, selectors)]
        rest = iter(packs[0].scenarios)
        assert chosen
        assert all(any(item is other for other in rest) for item in chosen)


def test_whoever_is_near_no_name_is_shown_those_that_there_are() -> None:
    """Once for each option, and not all of a long list; a near name is enough by itself."""
    packs = [ScenarioPack("p", [scenario(f"lookup_{n:02}") for n in range(22)], owner="me")]

    def said(**asked: tuple[str, ...]) -> list[str]:
        with pytest.raises(UsageError) as refused:
            select(packs, Selectors(**asked))
        return [line.strip() for line in str(refused.value).splitlines()]

    first = ", ".join(f"lookup_{n:02}" for n in range(20))
    assert said(scenarios=("qq", "zz"))[:2] == [
        "unknown scenario(s): qq, zz",
        f"there is: {first} and 2 more",
    ]
    assert said(owners=("zz",))[1] == "there is: me"
    assert said(scenarios=("lookup_99",))[1].startswith("did you mean ")
    assert not [line for line in said(tags=("zz",)) if line.startswith("there is")]


@given(labels, st.lists(labels))
def test_near_matches_are_always_known_names(value: str, known: list[str]) -> None:
    """A suggestion that does not exist helps nobody."""
    near = near_matches(value, known)
    assert set(near) <= set(known)
    assert len(near) <= 3
