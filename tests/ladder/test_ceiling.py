"""What a sweep may spend: reserved before a run starts, and never exceeded by starting one."""

from __future__ import annotations

import threading
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wt_git.config import Ladder, Pricing
from wt_git.errors import EXIT_USAGE, UsageError
from wt_git.ladder.money_ceiling import Ceiling, Spending, resolve_ceiling
from wt_git.ladder.pricing import plain_decimal
from wt_git.records.ledger.row import ScenarioId
from wt_git.records.sweep_records import CostUsd

ONE, TWO, THREE = (ScenarioId("pack", name) for name in ("one", "two", "three"))
PRICED = Pricing()

amounts = st.decimals(0, 10, places=6)


def D(text):  # noqa: N802 - as short as what it makes
    return Decimal(text)


def cost(total, *, known=True, time="0"):
    """Return the price of a run: `total` is the time alone where the tokens are unknown."""
    part = float(total) if known else None
    return CostUsd(
        uncached_input=part,
        cache_read=None,
        output=0.0 if known else None,
        time=float(time),
        total=float(total) if known else float(time),
        tokens_known=known,
        cache_split_known=False,
    )


def unknown(time="0"):
    return cost("0", known=False, time=time)


def spend(ceiling, scenario, price):
    """Run once and say whether it was allowed."""
    reservation = ceiling.try_start(scenario)
    if reservation is not None:
        reservation.settle(price)
    return reservation is not None


# --- which ceiling -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "configured", "expected"),
    [
        (None, None, None),
        (None, "2", "2"),
        ("1", None, "1"),
        ("1", "2", "1"),
        ("2", "2", "2"),
        ("0", "2", "0"),
        ("2", "2.00", "2"),
    ],
)
def test_the_option_may_lower_the_ceiling(asked, configured, expected):
    """And stands by itself where none is configured."""
    ladder = Ladder(pricing=PRICED, max_cost=configured and D(configured))
    assert resolve_ceiling(asked and D(asked), ladder) == (expected and D(expected))


def test_the_option_may_not_raise_the_ceiling():
    """Both numbers are in the refusal, in the text and as facts."""
    ladder = Ladder(pricing=PRICED, max_cost=D("2.50"))
    with pytest.raises(UsageError) as refused:
        resolve_ceiling(D("2.51"), ladder)
    assert refused.value.exit_code == EXIT_USAGE
    assert refused.value.specific_code == "max-cost-raised"
    assert "--max-cost 2.51 exceeds the max_cost of 2.5 " in refused.value.message
    assert refused.value.facts == {"max_cost": 2.51, "highest_max_cost": 2.5}


def test_a_ceiling_needs_prices():
    """Without them every cost is unknown, and a ceiling would be a promise that nobody keeps."""
    with pytest.raises(UsageError) as refused:
        resolve_ceiling(D("1"), Ladder())
    assert refused.value.exit_code == EXIT_USAGE
    assert refused.value.specific_code == "max-cost-without-prices"
    assert "[tool.windtunnel.ladder.pricing]" in refused.value.message


@pytest.mark.parametrize(
    ("amount", "text"),
    [("2.50", "2.5"), ("100", "100"), ("0.000001", "0.000001"), ("0.0", "0"), ("1E+40", "1E+40")],
)
def test_amounts_are_shown_plainly(amount, text):
    """As a person would write them."""
    assert plain_decimal(D(amount)) == text


# --- one run after the other ---------------------------------------------------------------------


def test_runs_start_while_the_next_one_fits():
    """Three tenths fit into three tenths, exactly; a fourth does not, and is said to be too much."""
    ceiling = Ceiling(D("0.3"), reserve_per_run=D("0.1"))
    assert [spend(ceiling, ONE, cost("0.1")) for _ in range(4)] == [True, True, True, False]
    assert ceiling.spending.spent == D("0.3")
    assert ceiling.sentence == (
        "ceiling of $0.3 reached: $0.3 spent, and a run of one may cost $0.1"
    )


def test_a_ceiling_that_nobody_reached_is_not_exhausted():
    """Not even when the last run cost more than was left: nothing was cut short."""
    ceiling = Ceiling(D("0.3"), reserve_per_run=D("0.1"))
    assert spend(ceiling, ONE, cost("5"))
    assert not ceiling.is_exhausted
    assert ceiling.sentence is None


def test_once_refused_nothing_starts_any_more():
    """Also what would fit: a sweep out of money ends like one out of time."""
    history = {ONE: D("9"), TWO: D("0.01")}
    ceiling = Ceiling(D("1"), history=history.get)
    assert spend(ceiling, TWO, cost("0.01"))
    assert not spend(ceiling, ONE, cost("9"))
    assert ceiling.is_exhausted
    assert not spend(ceiling, TWO, cost("0.01"))


def test_an_unknown_cost_counts_as_the_reserve():
    """Never as nothing, whether or not its time has a price."""
    ceiling = Ceiling(D("0.3"), reserve_per_run=D("0.1"))
    costs = [None, unknown(), unknown("0.05")]
    assert [spend(ceiling, ONE, price) for price in costs] == [True, True, True]
    assert ceiling.spending.spent == D("0.3")
    assert not spend(ceiling, ONE, None)


def test_time_that_cost_more_than_the_reserve_counts_as_what_it_cost():
    """That much is known."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.1"))
    assert spend(ceiling, ONE, unknown("0.95"))
    assert not spend(ceiling, ONE, cost("0"))


def test_the_history_gives_the_reserve():
    """Of the scenario that asks; it is asked once for each."""
    asked = []

    def history(scenario):
        asked.append(scenario)
        return D("0.4")

    ceiling = Ceiling(D("1"), history=history)
    assert [spend(ceiling, ONE, cost("0.3")) for _ in range(3)] == [True, True, True]
    assert not spend(ceiling, TWO, cost("0.3"))
    assert asked == [ONE, TWO]


def test_reserve_per_run_goes_before_the_history():
    """Whoever sets it knows something that the ledger does not."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.1"), history=lambda _: D("100"))
    assert spend(ceiling, ONE, cost("0.1"))


def test_the_first_run_of_an_unknown_scenario_gives_the_reserve():
    """0.4 were spent, 0.8 after the second; a third may cost as much and does not fit."""
    ceiling = Ceiling(D("1"), history=lambda _: None)
    assert [spend(ceiling, ONE, cost("0.4")) for _ in range(3)] == [True, True, False]


def test_a_dearer_run_raises_the_reserve():
    """The largest known cost of one run counts, also when this sweep saw it."""
    ceiling = Ceiling(D("1"), history=lambda _: D("0.1"))
    assert spend(ceiling, ONE, cost("0.6"))
    assert not spend(ceiling, ONE, cost("0.1"))


def test_a_first_run_of_unknown_cost_is_the_last():
    """Nothing bounds what was spent, so nothing more may start; the remedy is named."""
    ceiling = Ceiling(D("1000"))
    assert spend(ceiling, ONE, unknown("0.2"))
    assert not ceiling.is_exhausted
    assert not spend(ceiling, TWO, cost("0"))
    assert ceiling.is_exhausted
    assert "reserve_per_run" in ceiling.sentence
    assert "$0.2 spent at the least" in ceiling.sentence


def test_nothing_may_be_spent():
    """A ceiling of zero lets through what is known to be free, and nothing else."""
    assert not spend(Ceiling(D("0")), ONE, cost("0"))
    assert not spend(Ceiling(D("0"), reserve_per_run=D("0.000001")), ONE, cost("0"))
    free = Ceiling(D("0"), reserve_per_run=D("0"))
    assert [spend(free, ONE, cost("0")) for _ in range(3)] == [True, True, True]


def test_money_of_a_run_that_never_began_comes_back():
    """A world that was not as required contacted no agent."""
    ceiling = Ceiling(D("0.1"), reserve_per_run=D("0.1"))
    ceiling.try_start(ONE).release()
    assert spend(ceiling, ONE, cost("0.1"))


def test_a_first_run_that_never_began_is_still_to_come():
    """Nothing is known about the scenario afterwards either."""
    ceiling = Ceiling(D("1"))
    ceiling.try_start(ONE).release()
    assert ceiling.spending == Spending(limit=D("1"))
    assert spend(ceiling, ONE, cost("0.1"))


def test_a_reservation_ends_once():
    """So a `finally` may release what was settled."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.1"))
    reservation = ceiling.try_start(ONE)
    reservation.settle(cost("0.05"))
    reservation.settle(cost("0.05"))
    reservation.release()
    assert ceiling.spending == Spending(limit=D("1"), spent=D("0.05"))


def test_a_stopped_sweep_starts_nothing_and_is_not_exhausted():
    """An interruption is not a lack of money."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.1"))
    assert ceiling.try_start(ONE, is_stopped=lambda: True) is None
    assert not ceiling.is_exhausted


def test_the_name_of_a_scenario_stays_on_its_line():
    """It is somebody else's text."""
    ceiling = Ceiling(D("0"), reserve_per_run=D("1"))
    ceiling.try_start(ScenarioId(None, "evil\n\x1b[2Jname"))
    assert "evil\\n\\x1b[2Jname" in ceiling.sentence


# --- several at once -----------------------------------------------------------------------------


class Asking:
    """A thread that asks to start a run, and what it was told."""

    def __init__(self, ceiling, scenario):
        self.answer = "none yet"
        self._looked = threading.Event()
        self._stop = threading.Event()
        self._looks = 0
        self._thread = threading.Thread(target=self._ask, args=(ceiling, scenario), daemon=True)
        self._thread.start()

    def _ask(self, ceiling, scenario):
        self.answer = ceiling.try_start(scenario, is_stopped=self._is_stopped)

    def _is_stopped(self):
        self._looks += 1
        if self._looks > 1:  # it judged once, and waits
            self._looked.set()
        return self._stop.is_set()

    def waits(self):
        """Return once the thread is found waiting; fails when it never is."""
        return self._looked.wait(60) and self._thread.is_alive()

    def stop(self):
        self._stop.set()
        return self.told()

    def told(self):
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.answer


def test_a_run_waits_for_those_in_flight_when_they_may_leave_enough():
    """It starts when they cost less than was reserved for them."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.6"))
    first = ceiling.try_start(ONE)
    second = Asking(ceiling, TWO)
    assert second.waits()
    first.settle(cost("0.4"))
    second.told().settle(cost("0.1"))
    assert ceiling.spending.spent == D("0.5")


def test_a_run_that_waited_in_vain_is_refused():
    """They cost all that was reserved."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.6"))
    first = ceiling.try_start(ONE)
    second = Asking(ceiling, TWO)
    assert second.waits()
    first.settle(cost("0.6"))
    assert second.told() is None
    assert ceiling.is_exhausted


def test_a_run_that_can_never_fit_is_refused_at_once():
    """What was spent only grows, so there is nothing to wait for."""
    ceiling = Ceiling(D("1"), reserve_per_run=D("0.6"))
    assert spend(ceiling, ONE, cost("0.6"))
    assert Asking(ceiling, TWO).told() is None


@pytest.mark.parametrize("other", [D("0.1"), None])
def test_a_first_run_of_unknown_cost_goes_alone(other):
    """It waits for what is in flight, and all others wait for it, known or not."""
    ceiling = Ceiling(D("1"), history={ONE: D("0.1"), THREE: other}.get)
    known = ceiling.try_start(ONE)
    first = Asking(ceiling, TWO)
    assert first.waits()
    known.settle(cost("0.1"))
    alone = first.told()
    assert ceiling.spending.in_flight == (None,)
    third = Asking(ceiling, THREE)
    assert third.waits()
    alone.settle(cost("0.1"))
    third.told().settle(cost("0.1"))
    assert ceiling.spending.spent == D("0.3")


def test_first_runs_go_before_others():
    """So that a scenario with many runs does not keep all others waiting to the end."""
    ceiling = Ceiling(D("1"), history={ONE: D("0.1")}.get)
    running = ceiling.try_start(ONE)
    first = Asking(ceiling, TWO)
    assert first.waits()
    again = Asking(ceiling, ONE)
    assert again.waits()
    running.settle(cost("0.1"))
    first.told().settle(cost("0.1"))
    again.told().settle(cost("0.1"))
    assert not ceiling.is_exhausted


def test_an_interruption_ends_the_waiting():
    """And leaves nobody behind who waits for the one that gave up."""
    ceiling = Ceiling(D("1"), history={ONE: D("0.1"), THREE: D("0.1")}.get)
    running = ceiling.try_start(ONE)
    first = Asking(ceiling, TWO)
    assert first.waits()
    third = Asking(ceiling, THREE)
    assert third.waits()
    assert first.stop() is None
    third.told().settle(cost("0.1"))
    running.settle(cost("0.1"))
    assert not ceiling.is_exhausted


def test_a_refusal_ends_all_waiting():
    """Nobody waits for money that is gone."""
    ceiling = Ceiling(D("1"), history={ONE: D("0.6"), TWO: D("0.6"), THREE: D("0.9")}.get)
    running = ceiling.try_start(ONE)
    waiting = [Asking(ceiling, TWO), Asking(ceiling, THREE)]
    assert all(one.waits() for one in waiting)
    running.settle(cost("1"))
    assert [one.told() for one in waiting] == [None, None]


jobs = st.lists(
    st.lists(st.tuples(amounts, st.booleans()), min_size=1, max_size=4), min_size=1, max_size=5
)


@given(
    st.decimals(0, 50, places=2),
    st.none() | st.just(D("10")),
    st.lists(st.booleans(), min_size=5, max_size=5),
    jobs,
)
def test_threads_never_start_a_run_that_does_not_fit(limit, per_run, has_history, sweep):
    """Whatever the order: reserved and spent stay below, first runs are alone, all threads end."""
    names = [ScenarioId("pack", str(index)) for index in range(len(sweep))]
    history = {name: D("10") for name, known in zip(names, has_history, strict=False) if known}
    ceiling = Ceiling(limit, reserve_per_run=per_run, history=history.get)
    problems = []

    def job(name, runs):
        for price, is_known in runs:
            reservation = ceiling.try_start(name)
            if reservation is None:
                return
            books = ceiling.spending
            if reservation.reserve is None and books.in_flight != (None,):
                problems.append(books)
            # Costs are at most their reserves here, unless the first run set a lower one.
            if per_run is not None or all(has_history):
                committed = sum(map(Fraction, books.in_flight)) + Fraction(books.spent)
                if committed > Fraction(limit):
                    problems.append(books)
            reservation.settle(cost(price) if is_known else unknown())

    threads = [
        threading.Thread(target=job, args=one, daemon=True)
        for one in zip(names, sweep, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert problems == []
    assert ceiling.spending.in_flight == ()


# --- the arithmetic ------------------------------------------------------------------------------

books = st.builds(
    Spending,
    limit=amounts,
    spent=amounts,
    in_flight=st.lists(st.none() | amounts, max_size=4).map(tuple),
    is_bounded=st.booleans(),
)
reserves = st.none() | amounts


@given(books, reserves)
def test_what_starts_fits(before, reserve):
    """The rule itself, in fractions."""
    if before.decide(reserve) != "start":
        return
    assert before.is_bounded
    known = [Fraction(one) for one in before.in_flight if one is not None]
    if reserve is None:
        assert before.in_flight == ()
        assert before.spent < before.limit
    else:
        assert len(known) == len(before.in_flight)
        assert Fraction(before.spent) + sum(known) + Fraction(reserve) <= Fraction(before.limit)


@given(books, reserves)
def test_what_is_refused_never_fits(before, reserve):
    """Not even when everything in flight turns out to be free."""
    if before.decide(reserve) == "refuse":
        idle = Spending(limit=before.limit, spent=before.spent, is_bounded=before.is_bounded)
        assert idle.decide(reserve) == "refuse"


@given(books, reserves)
def test_nothing_waits_for_nothing(before, reserve):
    """With no run in flight the answer is final: nobody could wake who waits."""
    idle = Spending(limit=before.limit, spent=before.spent, is_bounded=before.is_bounded)
    assert idle.decide(reserve) in {"start", "refuse"}
    if before.decide(reserve) == "wait":
        assert before.in_flight


@given(books, reserves, amounts)
def test_an_unknown_cost_is_never_cheaper_than_the_reserve(before, reserve, least):
    """Nor than what is known of it; without a reserve nothing starts any more."""
    after = before.started(reserve).finished(reserve, None, least)
    assert after.spent - before.spent >= max(reserve or 0, least)
    if reserve is None:
        assert after.decide(D("0")) == "refuse"


@given(books, reserves, amounts)
def test_a_known_cost_is_what_was_spent(before, reserve, price):
    """The reserve is given back whole."""
    after = before.started(reserve).finished(reserve, price, price)
    assert Fraction(after.spent) == Fraction(before.spent) + Fraction(price)
    assert sorted(map(str, after.in_flight)) == sorted(map(str, before.in_flight))
    assert after.is_bounded == before.is_bounded


class Sweeping(RuleBasedStateMachine):
    """Runs start and end in any order, by the books and by an account kept beside them."""

    @initialize(limit=amounts)
    def open(self, limit):
        self.limit = Fraction(limit)
        self.spending = Spending(limit=limit)
        self.spent = Fraction(0)
        self.flying = []

    @rule(reserve=reserves)
    def start(self, reserve):
        if self.spending.decide(reserve) == "start":
            assert self.spent + sum(Fraction(r or 0) for r in self.flying) <= self.limit
            assert reserve is None or (
                self.spent + sum(map(Fraction, self.flying)) + Fraction(reserve) <= self.limit
            )
            self.spending = self.spending.started(reserve)
            self.flying.append(reserve)

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), price=st.none() | amounts, least=amounts)
    def finish(self, data, price, least):
        reserve = data.draw(st.sampled_from(self.flying))
        self.flying.remove(reserve)
        self.spending = self.spending.finished(reserve, price, least)
        unknown_cost = max(reserve or D("0"), least)
        self.spent += Fraction(unknown_cost if price is None else price)

    @precondition(lambda self: self.flying)
    @rule(data=st.data())
    def release(self, data):
        reserve = data.draw(st.sampled_from(self.flying))
        self.flying.remove(reserve)
        self.spending = self.spending.released(reserve)

    @invariant()
    def the_books_agree(self):
        if hasattr(self, "books"):
            assert Fraction(self.spending.spent) == self.spent
            assert sorted(map(str, self.spending.in_flight)) == sorted(map(str, self.flying))
            assert self.flying.count(None) <= 1
            assert None not in self.flying or len(self.flying) == 1


TestSweeping = Sweeping.TestCase
