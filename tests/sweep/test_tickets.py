"""Places in the queue: kept while their owner lives, given up by nobody else's mistake."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from wt_git.sweep.run_lock.file_locks import open_lockable, release, try_lock
from wt_git.sweep.run_lock.runtime_lock import Ticket, live_tickets


@pytest.fixture
def ticket(tmp_path):
    """A ticket that was not taken yet."""
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    ticket = Ticket(tmp_path / "queue", priority=1, arrived=moment, pid=42)
    yield ticket
    ticket.remove()


def test_the_name_is_the_rank(ticket):
    """Priority, arrival in nanoseconds, process."""
    assert ticket.name == "1-01767323045678901000-42.ticket"


def test_a_place_is_taken_kept_and_given_up(ticket):
    """A ticket is live from the first call until it is removed."""
    assert live_tickets(ticket.queue) == []
    assert ticket.keep()
    assert ticket.keep()
    assert live_tickets(ticket.queue) == [ticket.name]
    ticket.remove()
    assert live_tickets(ticket.queue) == []
    assert list(ticket.queue.iterdir()) == []


def test_only_those_before_are_counted(ticket):
    """One's own ticket and those behind it hold one up no more than none."""
    ticket.keep()
    assert live_tickets(ticket.queue, before=ticket.name) == []
    assert live_tickets(ticket.queue, before="2") == [ticket.name]


def test_a_place_that_somebody_keeps_locked_is_not_ours(ticket):
    """A stuck prober costs the place for as long as it is stuck, and no longer."""
    ticket.queue.mkdir()
    stuck = open_lockable(ticket.queue / ticket.name)
    assert try_lock(stuck)
    assert not ticket.keep()
    release(stuck)
    assert ticket.keep()


def test_a_prober_that_deletes_a_late_ticket_costs_nothing(ticket):
    """Between making the file and locking it, a prober may take it for a dead one."""
    ticket.queue.mkdir()
    path = ticket.queue / ticket.name
    prober = open_lockable(path)
    assert try_lock(prober)
    keeping = threading.Thread(target=ticket.keep)
    keeping.start()
    path.unlink()
    release(prober)
    keeping.join()
    assert live_tickets(ticket.queue) == [ticket.name]


def test_a_successor_of_the_same_name_is_not_deleted_with_it(ticket):
    """Removing a ticket that somebody replaced leaves the other one alone."""
    ticket.keep()
    path = ticket.queue / ticket.name
    path.unlink()
    path.touch()
    ticket.remove()
    assert path.exists()
