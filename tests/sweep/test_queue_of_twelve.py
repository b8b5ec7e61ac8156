"""Twelve processes queue for one runtime while some are killed and some stand still."""

from __future__ import annotations

import contextlib
import random
import signal

import pytest
from kit.lock_process import LockProcess, holder

from wt_git.errors import BusyError
from wt_git.sweep.run_lock import runtime_lock
from wt_git.sweep.run_lock.runtime_lock import live_tickets

KEY = "bench"
TIERS = {"probe": 0, "focused": 1, "regression": 2}
KILLED = 3
STOPPED = 3


class Crowd:
    """Twelve processes in the queue behind one that holds the runtime, ordered by arrival.

    `killed_inside` are killed while they hold it instead of giving it back.
    """

    def __init__(self, start, locks) -> None:
        self._locks = locks
        self.first = start(1)
        self.first.until("held")
        tiers = [tier for tier in TIERS for _ in range(4)]
        random.shuffle(tiers)
        self.ranks: list[tuple[int, int]] = []
        self.members: list[LockProcess] = []
        for arrival, tier in enumerate(tiers):
            rank = (TIERS[tier], arrival)
            member = start(rank[0])
            told = member.next()  # it has its ticket now, so the next one comes after it
            in_front = [other for other in self.ranks if other < rank]
            assert told["ahead"] == len(in_front)
            if in_front:
                foremost = self.members[min(in_front)[1]]
                assert (
                    f"place {len(in_front) + 1} in the queue, first pid {foremost.pid}"
                    in (told["line"])
                )
            else:
                assert "next in the queue" in told["line"]
            assert f"held by pid {self.first.pid}" in told["line"]
            self.ranks.append(rank)
            self.members.append(member)
        fates = random.sample(range(12), KILLED + STOPPED + 1)
        self.killed = set(fates[:KILLED])
        self.stopped = set(fates[KILLED:-1])
        self.killed_inside = fates[-1]

    def alive(self) -> list[int]:
        """Return who has not been killed, in the order in which they must get the runtime."""
        order = [arrival for _, arrival in sorted(self.ranks)]
        return [arrival for arrival in order if arrival not in self.killed]

    def queue(self) -> list[int]:
        """Return the process ids of the live tickets, in order."""
        path = runtime_lock.lock_path(self._locks, KEY)
        names = live_tickets(path.with_name(f"{path.name}.queue"))
        return [int(name.removesuffix(".ticket").split("-")[2]) for name in names]


@pytest.fixture
def crowd(tmp_path):
    """A crowd that is gone when the test ends."""
    with contextlib.ExitStack() as stack:

        def start(priority: int) -> LockProcess:
            inside = str(tmp_path / "inside")
            process = LockProcess(tmp_path / "locks", KEY, priority=priority, inside=inside)
            return stack.enter_context(process)

        yield Crowd(start, tmp_path / "locks")


@pytest.mark.parametrize(
    "round_", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(1, 10))]
)
def test_twelve_take_turns_by_tier_and_arrival_whatever_happens_to_some(crowd, tmp_path, round_):
    """The living get the runtime one by one in order; nobody waits for the dead.

    Three are killed in the queue, one while it holds the runtime. Three stand still: as long as
    they are not first they cost nothing; the one that is first is waited for, and all others are
    told which process it is.
    """
    for arrival in crowd.killed:
        crowd.members[arrival].kill()
    for arrival in crowd.stopped:
        crowd.members[arrival].send_signal(signal.SIGSTOP)
    expected = crowd.alive()
    assert crowd.queue() == [crowd.members[arrival].pid for arrival in expected]
    crowd.first.say("release")
    for place, arrival in enumerate(expected):
        member, behind = crowd.members[arrival], expected[place + 1 :]
        if arrival in crowd.stopped:
            watching = [other for other in behind if other not in crowd.stopped]
            for other in watching:
                _until_told_of(crowd.members[other], member.pid)
            assert crowd.queue()[0] == member.pid
            _refuses_to_jump(tmp_path / "locks", member.pid)
            member.send_signal(signal.SIGCONT)
        assert member.until("held")["alone"], f"round {round_}: two at once"
        assert crowd.queue() == [crowd.members[other].pid for other in behind]
        if arrival == crowd.killed_inside:
            member.kill()
        else:
            member.say("release")
            assert member.next()["event"] == "released"
    with runtime_lock.hold(KEY, holder(1), folder=tmp_path / "locks", wait=False):
        assert crowd.queue() == []


def _until_told_of(waiter: LockProcess, pid: int) -> None:
    """Read what `waiter` says until it complains of `pid`, which is first and does not move."""
    while (report := waiter.next())["event"] == "waiting":
        if f": pid {pid} (" in report["line"] and "perhaps it is stopped" in report["line"]:
            return
    pytest.fail(f"got past one that is ahead: {report}")


def _refuses_to_jump(locks, pid: int) -> None:
    """A newcomer that will not wait goes away although nobody holds the runtime."""
    with (
        pytest.raises(BusyError, match=rf"in the queue, first pid {pid} \("),
        runtime_lock.hold(KEY, holder(1), folder=locks, wait=False, priority=0),
    ):
        pytest.fail("it jumped ahead")
