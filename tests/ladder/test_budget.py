"""How long a sweep may take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.config import Ladder
from wt_git.errors import UsageError
from wt_git.ladder.tiers_and_budgets import (
    Budget,
    queue_priority,
    sweep_budget_s,
    tier_cap_s,
    tier_of,
)
from wt_git.text import plain_seconds

TIERS = ("probe", "focused", "regression")
seconds = st.floats(min_value=0.001, max_value=1e6)


@pytest.mark.parametrize(
    ("selected", "is_probe", "tier"),
    [
        (1, False, "focused"),
        (2, False, "regression"),
        (500, False, "regression"),
        (1, True, "probe"),
    ],
)
def test_the_tier_follows_from_what_runs(selected: int, *, is_probe: bool, tier: str) -> None:
    """One scenario, several, or a replay from a recorded point."""
    assert tier_of(selected, is_probe=is_probe) == tier


def test_smaller_experiments_go_first() -> None:
    """Probes, then focused sweeps, then regressions; the number begins the name of a ticket."""
    assert [queue_priority(tier) for tier in TIERS] == [0, 1, 2]


@pytest.mark.parametrize(("tier", "cap"), [("probe", 300), ("focused", 900), ("regression", None)])
def test_probes_and_focused_sweeps_are_capped_and_regressions_are_not(tier, cap) -> None:
    """Without an option the budget is the cap."""
    assert tier_cap_s(tier, Ladder()) == cap
    assert sweep_budget_s(tier, None, Ladder()) == cap


def test_a_repository_sets_its_own_caps() -> None:
    """What counts as short depends on the bench."""
    ladder = Ladder(probe_budget_s=180.0, focused_budget_s=1200.0)
    assert sweep_budget_s("probe", None, ladder) == 180
    assert sweep_budget_s("focused", 1000.0, ladder) == 1000


@given(seconds, seconds)
def test_the_option_lowers_a_budget_and_never_raises_it(asked: float, cap: float) -> None:
    """A budget of exactly the cap is the cap."""
    ladder = Ladder(focused_budget_s=cap)
    if asked > cap:
        with pytest.raises(UsageError, match="exceeds the focused tier cap") as caught:
            sweep_budget_s("focused", asked, ladder)
        assert plain_seconds(cap) in caught.value.message
        assert plain_seconds(asked) in caught.value.message
        assert caught.value.facts == {"tier": "focused", "budget_s": asked, "cap_s": cap}
    else:
        assert sweep_budget_s("focused", asked, ladder) == asked
    assert sweep_budget_s("regression", asked, ladder) == asked


def test_a_budget_of_exactly_the_cap_is_allowed() -> None:
    """The cap itself, and not a second more."""
    assert sweep_budget_s("focused", 900.0, Ladder()) == 900
    assert sweep_budget_s("probe", 300.0, Ladder()) == 300
    with pytest.raises(UsageError, match="exceeds the probe tier cap"):
        sweep_budget_s("probe", 300.001, Ladder())


@pytest.mark.parametrize(("number", "text"), [(900.0, "900"), (0.5, "0.5"), (1e6, "1000000")])
def test_seconds_are_printed_without_zeros_that_say_nothing(number: float, text: str) -> None:
    """As they would be typed."""
    assert plain_seconds(number) == text


def test_nothing_is_refused_before_the_clock_runs() -> None:
    """Time in the queue is not charged."""
    budget = Budget(1.0)
    assert budget.allows(1e9)
    budget.start(1e9)
    assert budget.allows(1e9 + 0.999)
    assert not budget.is_spent


def test_nothing_starts_once_exactly_the_budget_has_passed() -> None:
    """A budget of 900 seconds allows a start before second 900, and none at it."""
    budget = Budget(900.0)
    budget.start(100.0)
    assert budget.allows(999.0)
    assert not budget.allows(1000.0)
    assert budget.spent_after_s == 900


@given(seconds, st.lists(st.floats(0, 2e6), max_size=20))
def test_once_spent_nothing_starts_any_more(limit: float, asked_at: list[float]) -> None:
    """The first refusal latches, and says after how many seconds it was."""
    budget = Budget(limit)
    budget.start(0.0)
    spent_at = None
    for now in asked_at:
        expected = spent_at is None and now < limit
        assert budget.allows(now) is expected
        if not expected and spent_at is None:
            spent_at = now
    assert budget.spent_after_s == spent_at
    assert budget.is_spent is (spent_at is not None)


def test_a_last_run_that_overran_cut_nothing_short() -> None:
    """Nobody asked after it, so the sweep is as big as it was meant to be."""
    budget = Budget(1.0)
    budget.start(0.0)
    assert budget.allows(0.5)
    assert not budget.is_spent  # although the run that began then may have ended at 100
