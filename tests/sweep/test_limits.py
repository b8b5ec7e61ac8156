"""What keeps a sweep from starting more, as its jobs meet it."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from wt_git.clock import SystemClock
from wt_git.ladder.money_ceiling import Ceiling
from wt_git.records.ledger.row import ScenarioId
from wt_git.records.sweep_records import CostUsd
from wt_git.sweep.jobs.limits import Limits

ONE, TWO = ScenarioId("pack", "one"), ScenarioId("pack", "two")


class HandClock(SystemClock):
    """A clock whose seconds a test sets."""

    seconds = 0.0

    def monotonic(self):
        return self.seconds


def cost(total):
    return CostUsd(
        uncached_input=total,
        cache_read=None,
        output=0.0,
        time=0.0,
        total=total,
        tokens_known=True,
        cache_split_known=False,
    )


def limits_of(ceiling=None, budget_s=None):
    clock, stop = HandClock(), threading.Event()
    limits = Limits(budget_s, ceiling, clock, stop)
    limits.start()
    return limits, clock, stop


def one_run_of(limits, price):
    """Run once in a job of its own, and say whether that was allowed."""
    job = limits.start_job(ONE)
    if job is None:
        return False
    job.run_began()
    job.run_ended(price)
    job.close()
    return True


def test_without_limits_everything_starts():
    """Neither time nor money is counted."""
    limits, _, stop = limits_of()
    assert all(one_run_of(limits, None) for _ in range(3))
    assert not limits.exhausted
    assert limits.sentence([]) is None
    assert not stop.is_set()


def test_the_run_that_does_not_fit_ends_the_sweep():
    """As a spent budget does: it is exhausted, stopped, and says what did not begin."""
    ceiling = Ceiling(Decimal("0.2"), reserve_per_run=Decimal("0.1"))
    limits, _, stop = limits_of(ceiling)
    assert [one_run_of(limits, cost(0.1)) for _ in range(3)] == [True, True, False]
    assert limits.exhausted
    assert stop.is_set()
    sentence = limits.sentence(["two"])
    assert sentence.startswith("ceiling of $0.2 reached: $0.2 spent, ")
    assert "not started: two" in sentence


def test_a_scenario_that_got_fewer_runs_than_asked_is_named():
    """Two runs of five that pass read like a whole result otherwise."""
    limits, clock, _ = limits_of(budget_s=5)
    job = limits.start_job(ONE)
    job.run_began()
    job.run_ended(None)
    clock.seconds = 6
    assert not job.may_run()
    job.close()
    assert limits.start_job(TWO) is None
    sentence = limits.sentence(["two"])
    assert "; not all runs of: one; not started: two; " in sentence
    assert "not all runs" in limits.sentence([])


def test_a_run_that_never_ended_costs_its_reserve():
    """The agent was asked, and got stuck: that was not free."""
    ceiling = Ceiling(Decimal(1), reserve_per_run=Decimal("0.4"))
    limits, _, _ = limits_of(ceiling)
    job = limits.start_job(ONE)
    job.run_began()
    job.close()
    assert ceiling.spending.spent == Decimal("0.4")
    assert ceiling.spending.in_flight == ()


def test_a_run_that_never_began_costs_nothing():
    """A world that was not as required, or an agent that did not come up."""
    ceiling = Ceiling(Decimal(1), reserve_per_run=Decimal("0.4"))
    limits, _, _ = limits_of(ceiling)
    limits.start_job(ONE).close()
    assert ceiling.spending.spent == 0
    assert ceiling.spending.in_flight == ()


@pytest.mark.parametrize("how", ["budget", "interruption"])
def test_who_waits_for_money_notices_that_the_sweep_is_over(how):
    """The seconds run on meanwhile; nothing starts after the last of them, or after Ctrl-C."""
    ceiling = Ceiling(Decimal(1), reserve_per_run=Decimal("0.6"))
    limits, clock, stop = limits_of(ceiling, budget_s=60)
    flying = limits.start_job(ONE)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(limits.start_job(TWO)), daemon=True)
    waiting.start()
    if how == "budget":
        clock.seconds = 61.0
    else:
        stop.set()
    waiting.join(60)
    assert answers == [None]
    assert limits.exhausted == (how == "budget")
    assert not ceiling.is_exhausted
    flying.close()
