"""The run lock between processes: one at a time, in a fair order, whatever dies."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.lock_process import LockProcess, holder

from wt_git.errors import BusyError, UsageError, WaitStopped
from wt_git.sweep.run_lock import runtime_lock
from wt_git.sweep.run_lock.runtime_lock import live_tickets

KEY = "bench"


@pytest.fixture
def locks(tmp_path):
    """The lock folder of a test; it does not exist yet."""
    return tmp_path / "locks"


@pytest.fixture
def start(locks):
    """Start lock processes that are killed when the test ends."""
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(LockProcess(locks, KEY, **options))


def tickets(locks):
    return live_tickets(_queue(locks))


def names_in(folder):
    return [entry.name for entry in folder.iterdir()]


def _queue(locks):
    path = runtime_lock.lock_path(locks, KEY)
    return path.with_name(path.name + ".queue")


def test_the_lock_file_carries_the_holder_while_it_is_held(locks):
    """Whoever is kept waiting can read who holds the runtime; afterwards the file is empty."""
    path = runtime_lock.lock_path(locks, KEY)
    os.umask(umask := os.umask(0))
    with runtime_lock.hold(KEY, holder(7), folder=locks):
        record = json.loads(path.read_text())
        assert path.stat().st_mode & 0o777 == 0o644 & ~umask
    assert record == {
        "pid": 7,
        "host": "bench-1",
        "since": "2026-01-02T03:04:05Z",
        "command": "wt run --label x",
        "label": "x",
        "sweep_id": "sweep-7",
        "runs_dir": "runs",
    }
    assert path.read_bytes() == b""


def test_an_uncontended_lock_says_nothing(locks):
    """Nobody is told of a wait that did not happen, and no queue is left behind."""
    told = []
    with runtime_lock.hold(
        KEY, holder(1), folder=locks, on_waiting=told.append, on_acquired=told.append
    ):
        assert names_in(locks) == [runtime_lock.lock_path(locks, KEY).name]
    assert told == []


def test_runtimes_do_not_wait_for_each_other(locks):
    """Only sweeps of one runtime exclude each other."""
    with (
        runtime_lock.hold("one", holder(1), folder=locks),
        runtime_lock.hold("two", holder(2), folder=locks),
    ):
        assert len(names_in(locks)) == 2


def test_a_waiter_is_told_who_holds_it_and_then_gets_it(start):
    """The line names the process, its host, since when, and what it runs."""
    first = start()
    first.until("held")
    second = start()
    told = second.next()
    assert told["pid"] == first.pid
    for part in (
        "runtime 'bench' is in use",
        f"held by pid {first.pid} on bench-1",
        "since 2026-01-02T03:04:05Z",
        "running `wt run --label x`",
        "waiting for it to finish",
        "--no-wait",
    ):
        assert part in told["line"]
    first.say("release")
    assert second.until("acquired")["waited_s"] > 0
    second.until("held")


def test_no_wait_says_who_holds_it_and_gives_up(locks, start):
    """A caller that declines to wait is told the same facts and leaves nothing behind."""
    first = start()
    first.until("held")
    with (
        pytest.raises(BusyError, match=rf"'bench' is in use.*pid {first.pid}.*not waiting") as busy,
        runtime_lock.hold(KEY, holder(1), folder=locks, wait=False),
    ):
        pytest.fail("the lock is taken")
    assert "--no-wait" in busy.value.message
    assert busy.value.facts == {
        "runtime": KEY,
        "holder": holder(first.pid)._asdict(),
        "queue": [],
    }
    assert busy.value.retryable
    assert tickets(locks) == []


def test_no_wait_says_who_waits_already(locks, start):
    """How long the queue is decides whether it is worth coming back."""
    first = start()
    first.until("held")
    waiting = [start(priority=2), start(priority=1)]
    for waiter in waiting:
        waiter.next()
    with (
        pytest.raises(BusyError, match=rf"; 2 in the queue, first pid {waiting[1].pid} \(") as busy,
        runtime_lock.hold(KEY, holder(1), folder=locks, wait=False),
    ):
        pytest.fail("the lock is taken")
    assert busy.value.facts["queue"] == tickets(locks)


def test_whoever_waited_holds_it_since_the_wait_was_over(locks, start):
    """Those behind would else be told a time that includes the queue."""
    first = start()
    first.until("held")
    second = start()
    second.next()
    asked_for = json.loads(runtime_lock.lock_path(locks, KEY).read_text())["since"]
    first.say("release")
    second.until("held")
    since = json.loads(runtime_lock.lock_path(locks, KEY).read_text())["since"]
    assert asked_for == "2026-01-02T03:04:05Z"  # long ago, as every lock process says
    assert datetime.now(UTC) - datetime.fromisoformat(since) < timedelta(hours=1)


def test_a_killed_holder_lets_go(start):
    """Nothing goes stale: the kernel frees the lock of a process that died."""
    first, second = start(), None
    first.until("held")
    second = start()
    second.next()
    first.kill()
    second.until("held")


def test_a_record_of_a_killed_holder_is_not_believed(locks, start):
    """After a holder died, the next one neither waits for it nor shows it."""
    first = start()
    first.until("held")
    first.kill()
    assert runtime_lock.lock_path(locks, KEY).read_bytes() != b""
    told = []
    with runtime_lock.hold(KEY, holder(2), folder=locks, on_waiting=told.append):
        assert json.loads(runtime_lock.lock_path(locks, KEY).read_text())["pid"] == 2
    assert told == []


def test_a_child_forked_by_the_holder_does_not_keep_the_lock(start):
    """A fixture that a plugin forks outlives a killed sweep without blocking the runtime."""
    first = start(fork=True)
    reports = [first.next(), first.next()]
    child = next(report["pid"] for report in reports if report["event"] == "child")
    try:
        first.kill()
        start().until("held")
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_killed_waiter_loses_its_place(locks, start):
    """The ticket of a dead process is deleted by whoever meets it, and the next one goes."""
    first = start()
    first.until("held")
    doomed, patient = start(priority=0), start(priority=2)
    doomed.next()
    patient.next()
    assert len(tickets(locks)) == 2
    doomed.kill()
    first.say("release")
    patient.until("held")
    assert names_in(_queue(locks)) == []


def test_a_leftover_ticket_is_deleted(locks):
    """A ticket that nobody locks holds up nobody."""
    _queue(locks).mkdir(parents=True)
    leftover = _queue(locks) / f"0-{1:020d}-1.ticket"
    leftover.touch()
    with runtime_lock.hold(KEY, holder(1), folder=locks, wait=False):
        assert not leftover.exists()


def test_other_files_in_the_queue_are_left_alone(locks):
    """Only tickets count as tickets."""
    _queue(locks).mkdir(parents=True)
    for name in ("README", "x-1-2.ticket", "0-1-2.ticket", f"0-{1:020d}-.ticket"):
        (_queue(locks) / name).touch()
    with runtime_lock.hold(KEY, holder(1), folder=locks, wait=False):
        assert len(names_in(_queue(locks))) == 4


def test_order_is_priority_then_arrival(locks, start):
    """The smaller experiment goes first; among equals, whoever came first."""
    holding = start()
    holding.until("held")
    waiters = {}
    for name, priority in [("r1", 2), ("f1", 1), ("r2", 2), ("p", 0), ("f2", 1)]:
        waiters[name] = start(priority=priority)
        waiters[name].next()
    assert [int(name.split("-")[2].split(".")[0]) for name in tickets(locks)] == [
        waiters[name].pid for name in ("p", "f1", "f2", "r1", "r2")
    ]
    for name in ("p", "f1", "f2", "r1", "r2"):
        holding.say("release")
        waiters[name].until("held")  # would hang if another one got it
        holding = waiters[name]


def test_a_ticket_is_named_for_its_rank(locks, start):
    """Priority digit, arrival in nanoseconds as twenty digits, process id; empty."""
    start().until("held")
    waiter = start(priority=2)
    before = time.time_ns()
    waiter.next()
    (name,) = tickets(locks)
    assert name.startswith("2-")
    assert name.endswith(f"-{waiter.pid}.ticket")
    assert len(name.split("-")[1]) == 20
    assert abs(int(name.split("-")[1]) - before) < 3600 * 10**9
    assert (_queue(locks) / name).read_bytes() == b""


def test_nobody_jumps_ahead_of_a_stopped_waiter(locks, start):
    """A free lock stays free until the first live ticket takes it, and the rest are told which."""
    first = start()
    first.until("held")
    head = start(priority=0)
    head.next()
    behind = start()
    assert behind.next()["first"].endswith(f"-{head.pid}.ticket")
    head.send_signal(signal.SIGSTOP)
    first.kill()
    told = behind.next()
    assert told["event"] == "waiting"
    assert told["pid"] is None
    assert told["ahead"] == 1
    assert f"place 2 in the queue: pid {head.pid} (0-" in told["line"]
    assert "perhaps it is stopped" in told["line"]
    assert "held by another process" in told["line"]
    with (
        pytest.raises(BusyError, match="held by another process"),  # not by the dead one
        runtime_lock.hold(KEY, holder(1), folder=locks, wait=False),
    ):
        pytest.fail("somebody is ahead")
    head.send_signal(signal.SIGCONT)
    head.until("held")
    head.say("release")
    behind.until("held")


def test_a_smaller_experiment_overtakes_one_that_already_sleeps_on_the_lock(locks, start):
    """Order is decided when the lock is handed over, not when the wait began."""
    first = start()
    first.until("held")
    large = start(priority=2)
    large.next()
    _wait_for(lambda: _sleeps_on_the_lock(large.pid))
    small = start(priority=0)
    small.next()
    first.say("release")
    small.until("held")
    small.say("release")
    large.until("held")


def test_the_next_in_line_sleeps_in_the_kernel(start):
    """A hand-over waits for no poll: the head of the queue is blocked on the lock itself."""
    start().until("held")
    waiter = start()
    waiter.next()
    _wait_for(lambda: _sleeps_on_the_lock(waiter.pid))


def test_a_change_of_the_holder_is_told(start):
    """Whoever waits for long is told each time somebody else has got the runtime."""
    first = start()
    first.until("held")
    second = start(priority=0)
    second.next()
    third = start(priority=1)
    assert third.next()["pid"] == first.pid
    first.say("release")
    second.until("held")
    assert third.next()["pid"] == second.pid


def test_a_ticket_that_was_deleted_comes_back_under_its_name(locks, start):
    """Somebody who tidies the folder does not cost a waiter its place."""
    start().until("held")
    start(priority=1).next()
    (name,) = tickets(locks)
    (_queue(locks) / name).unlink()
    _wait_for(lambda: tickets(locks) == [name])


def test_a_deleted_queue_comes_back(locks, start):
    """Neither does deleting the whole queue."""
    first = start()
    first.until("held")
    waiter = start()
    waiter.next()
    (name,) = tickets(locks)
    (_queue(locks) / name).unlink()
    with contextlib.suppress(OSError):  # it may be back already
        _queue(locks).rmdir()
    _wait_for(lambda: tickets(locks) == [name])
    first.say("release")
    waiter.until("held")


def test_a_wait_can_be_stopped(locks, start):
    """The stop event ends the wait; the place is given up and no lock is kept."""
    first = start()
    first.until("held")
    second, third = start(priority=0), start(priority=1)
    second.next()
    third.next()
    second.say("stop")
    second.until("stopped")
    assert len(tickets(locks)) == 1
    first.say("release")
    third.until("held")


def test_a_stop_that_came_before_is_seen(locks, start):
    """A sweep that was interrupted before it queued does not begin to wait for long."""
    start().until("held")
    stop = threading.Event()
    stop.set()
    with (
        pytest.raises(WaitStopped),
        runtime_lock.hold(KEY, holder(1), folder=locks, stop=stop),
    ):
        pytest.fail("the lock is taken")
    assert tickets(locks) == []


def test_two_sweeps_of_one_process_exclude_each_other(locks):
    """The lock is between holders, not between processes."""
    with (
        runtime_lock.hold(KEY, holder(1), folder=locks),
        pytest.raises(BusyError),
        runtime_lock.hold(KEY, holder(2), folder=locks, wait=False),
    ):
        pytest.fail("the lock is taken")


def test_an_error_of_the_block_is_the_blocks_own(locks):
    """What fails while the runtime is held is not taken for a fault of the lock folder."""
    with pytest.raises(OSError, match="disk full"), runtime_lock.hold(KEY, holder(1), folder=locks):
        raise OSError("disk full")
    with runtime_lock.hold(KEY, holder(1), folder=locks, wait=False):
        assert tickets(locks) == []


def test_a_callback_that_fails_gives_the_lock_back(locks, start):
    """Telling about the wait may fail; neither lock nor place is kept then."""
    first = start()
    first.until("held")

    def complain(_waiting):
        raise RuntimeError("no terminal")

    with (
        pytest.raises(RuntimeError),
        runtime_lock.hold(KEY, holder(1), folder=locks, on_waiting=complain),
    ):
        pytest.fail("the lock is taken")
    assert tickets(locks) == []


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/nowhere"])
def test_an_unusable_folder_is_named(tmp_path, place):
    """The message says which folder it is and which variable moves it."""
    (tmp_path / "file").touch()
    folder = tmp_path / place
    with (
        pytest.raises(UsageError, match="WT_LOCK_DIR") as unusable,
        runtime_lock.hold(KEY, holder(1), folder=folder),
    ):
        pytest.fail("there is no such folder")
    assert str(folder) in unusable.value.message


def test_a_link_is_not_followed(locks, tmp_path):
    """A lock file that somebody planted as a link does not empty the file it points to."""
    precious = tmp_path / "precious"
    precious.write_text("data")
    locks.mkdir()
    runtime_lock.lock_path(locks, KEY).symlink_to(precious)
    with pytest.raises(UsageError), runtime_lock.hold(KEY, holder(1), folder=locks):
        pytest.fail("the link was followed")
    assert precious.read_text() == "data"


def test_an_unreadable_record_hides_nothing_but_the_name(locks, start):
    """A holder that could not write its record is still waited for."""
    start().until("held")
    runtime_lock.lock_path(locks, KEY).write_text('{"pid": true}')
    told = start().next()
    assert "held by another process" in told["line"]


_VISITS = """
import os, random, sys, time
from pathlib import Path
from kit.lock_process import holder
from wt_git.sweep.run_lock.runtime_lock import hold

locks, inside, visits = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
for _ in range(visits):
    with hold("bench", holder(os.getpid()), folder=locks, priority=random.randrange(3)):
        if inside.name == "inside":
            found = inside.read_text()
            if found:
                sys.exit(f"{found} was inside")
            inside.write_text(str(os.getpid()))
        time.sleep(random.random() / 200)
        if inside.name == "inside":
            inside.write_text("")
"""


def test_the_lock_excludes_under_load(locks, tmp_path):
    """Five processes take turns while three others die at any moment: never two at once."""
    inside = tmp_path / "inside"
    inside.touch()
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}

    def visit(where, visits):
        command = [sys.executable, "-c", _VISITS, str(locks), where, str(visits)]
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)

    # The doomed ones leave no mark inside: after a kill it would look like somebody's presence.
    doomed = [visit("nowhere", 1_000_000) for _ in range(3)]
    steady = [visit(str(inside), 20) for _ in range(5)]
    for victim in doomed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            victim.wait(random.uniform(0.3, 0.6))
        victim.kill()
    assert [process.communicate()[1] for process in doomed + steady] == [b""] * 8
    assert [process.returncode for process in steady] == [0] * 5
    assert tickets(locks) == []


def _sleeps_on_the_lock(pid):
    """Whether the kernel lists `pid` among those blocked on a file lock."""
    blocked = [line for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
    return any(f" {pid} " in line and "FLOCK" in line for line in blocked)


def _wait_for(condition):
    """Wait until `condition` holds; the suite's timeout ends a wait that is in vain."""
    while not condition():
        time.sleep(0.01)
