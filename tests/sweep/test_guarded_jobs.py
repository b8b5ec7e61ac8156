"""The rules of the scheduler contract hold whatever a scheduler does."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from wt_git.errors import StorageError
from wt_git.spi.scheduler import RunJob, Scheduler
from wt_git.sweep.jobs.schedulers import GuardedJobs, SchedulerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Written(Scheduler):
    """A scheduler that does what the test wants."""

    def __init__(self, body: Callable[[Sequence[RunJob], threading.Event], None]) -> None:
        super().__init__(2)
        self._body = body

    def execute(self, jobs: Sequence[RunJob], stop: threading.Event) -> None:
        self._body(jobs, stop)


def _guarded() -> tuple[GuardedJobs, threading.Event, list[str]]:
    said: list[str] = []
    stop = threading.Event()
    return GuardedJobs(2, stop, said.append), stop, said


def _jobs(*bodies: Callable[[], None]) -> list[RunJob]:
    return [RunJob(index, f"job{index}", 1, body) for index, body in enumerate(bodies)]


def test_a_scheduler_that_returns_early_is_waited_for() -> None:
    """The runtime may not be let go while a job still uses it."""
    guarded, _, _ = _guarded()
    begun, go_on, done = threading.Event(), threading.Event(), []

    def job() -> None:
        begun.set()
        go_on.wait()
        done.append("job")

    def leave_it_running(jobs: Sequence[RunJob], _stop: threading.Event) -> None:
        threading.Thread(target=jobs[0]).start()
        begun.wait()
        threading.Thread(target=go_on.set).start()

    guarded.execute(Written(leave_it_running), _jobs(job))
    assert done == ["job"]


def test_a_job_that_is_called_after_the_sweep_does_nothing() -> None:
    """By then the runtime is somebody else's."""
    guarded, _, said = _guarded()
    kept: list[RunJob] = []
    ran: list[str] = []

    with pytest.raises(SchedulerError, match="never started 1 of 1 job"):
        guarded.execute(
            Written(lambda jobs, _stop: kept.extend(jobs)), _jobs(lambda: ran.append("late"))
        )
    kept[0]()
    assert ran == []
    assert said == []


def test_what_a_job_raised_comes_out_though_the_scheduler_swallows_it() -> None:
    """A full disk is the end of the sweep; nothing new starts and the failure is not lost."""
    guarded, _, _ = _guarded()
    ran: list[str] = []

    def full() -> None:
        raise StorageError("no space left")

    def swallow(jobs: Sequence[RunJob], _stop: threading.Event) -> None:
        for job in jobs:
            try:
                job()
            except Exception as error:  # noqa: BLE001 - the misbehaviour under test
                ran.append(type(error).__name__)

    with pytest.raises(StorageError, match="no space left"):
        guarded.execute(Written(swallow), _jobs(full, lambda: ran.append("second")))
    assert ran == ["StorageError"]


def test_the_first_of_several_failures_comes_out() -> None:
    """As the contract says of every scheduler."""
    guarded, _, _ = _guarded()
    together = threading.Barrier(2)
    first_is_out = threading.Event()

    def first() -> None:
        together.wait()
        try:
            raise StorageError("first")
        finally:
            first_is_out.set()

    def second() -> None:
        together.wait()
        first_is_out.wait()
        threads[0].join()
        raise StorageError("second")

    threads: list[threading.Thread] = []

    def quietly(job: RunJob) -> None:
        try:
            job()
        except StorageError:
            return

    def both(jobs: Sequence[RunJob], _stop: threading.Event) -> None:
        threads.extend(threading.Thread(target=quietly, args=(job,)) for job in jobs)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with pytest.raises(StorageError, match="first"):
        guarded.execute(Written(both), _jobs(first, second))


@pytest.mark.parametrize(
    ("error", "said"),
    [(ValueError("no plan"), "ValueError: no plan"), (SystemExit(0), r"it called exit\(0\)")],
    ids=["raises", "exits"],
)
def test_a_scheduler_that_fails_by_itself_is_named(error: BaseException, said: str) -> None:
    """It is no defect of ours, and its exit is no success."""
    guarded, _, _ = _guarded()

    def fail(_jobs: Sequence[RunJob], _stop: threading.Event) -> None:
        raise error

    with pytest.raises(SchedulerError, match=f"the custom scheduler failed: {said}"):
        guarded.execute(Written(fail), _jobs(lambda: None))


def test_jobs_that_stop_held_back_are_no_fault_of_the_scheduler() -> None:
    """Stop is how a sweep ends early."""
    guarded, stop, _ = _guarded()
    ran: list[str] = []

    def first() -> None:
        ran.append("first")
        stop.set()

    def all_of_them(jobs: Sequence[RunJob], _stop: threading.Event) -> None:
        for job in jobs:
            job()

    guarded.execute(Written(all_of_them), _jobs(first, lambda: ran.append("second")))
    assert ran == ["first"]
