"""Schedulers keep the four rules, whatever the jobs do."""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.spi.scheduler import (
    BUILTIN_SCHEDULERS,
    ConcurrentScheduler,
    RunJob,
    Scheduler,
    SequentialScheduler,
)


class Log:
    """What jobs did: how often each ran, how many at once, and in which order they began."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began: list[int] = []
        self.ended: list[int] = []
        self.running = 0
        self.most_running = 0
        self.began_after_failure: list[int] = []
        self.failed = False
        self.stop: threading.Event | None = None
        self.began_after_stop = 0

    def job(self, index, *, work=lambda: None, fails=None):
        def fn():
            with self.lock:
                if self.failed:
                    self.began_after_failure.append(index)
                self.began.append(index)
                self.began_after_stop += self.stop is not None and self.stop.is_set()
                self.running += 1
                self.most_running = max(self.most_running, self.running)
            try:
                work()
                if fails is not None:
                    raise fails
            finally:
                with self.lock:
                    self.running -= 1
                    self.ended.append(index)
                    self.failed = self.failed or fails is not None

        return RunJob(index, f"job {index}", 1, fn)


def test_calling_a_job_executes_it():
    """A job is its own function, with its place in the selection."""
    log = Log()
    log.job(3)()
    assert log.began == [3]


@pytest.mark.parametrize("scheduler", BUILTIN_SCHEDULERS.values())
@pytest.mark.parametrize("limit", [0, -1, True, 1.0, "2", None])
def test_a_limit_that_is_no_positive_int_is_refused(scheduler, limit):
    """The error names the parameter."""
    with pytest.raises(ValueError, match="max_concurrency"):
        scheduler(limit)


def test_the_built_in_schedulers_are_found_by_name():
    """A scheduler of one's own is called custom unless it says otherwise."""
    assert BUILTIN_SCHEDULERS["sequential"] is SequentialScheduler
    assert BUILTIN_SCHEDULERS["concurrent"] is ConcurrentScheduler
    assert [cls.name for cls in BUILTIN_SCHEDULERS.values()] == list(BUILTIN_SCHEDULERS)
    assert Scheduler.name == "custom"


def test_the_sequential_scheduler_never_overlaps():
    """Its limit is one whatever was asked."""
    assert SequentialScheduler(8).max_concurrency == 1


@given(
    count=st.integers(0, 20),
    limit=st.integers(1, 6),
    failing=st.sets(st.integers(0, 19), max_size=4),
    stopping=st.none() | st.integers(0, 19),
    scheduler=st.sampled_from(list(BUILTIN_SCHEDULERS.values())),
)
def test_the_four_rules_hold(count, limit, failing, stopping, scheduler):
    """At most once, within the limit, nothing new after a failure or a stop, nothing left running."""
    log = Log()
    stop = threading.Event()
    errors = {index: RuntimeError(str(index)) for index in failing}
    jobs = [
        log.job(
            index,
            work=stop.set if index == stopping else lambda: time.sleep(0),
            fails=errors.get(index),
        )
        for index in range(count)
    ]
    raised = None
    try:
        scheduler(limit).execute(jobs, stop)
    except RuntimeError as error:
        raised = error
    assert log.running == 0
    assert sorted(log.began) == sorted(log.ended)
    assert all(times == 1 for times in Counter(log.began).values())
    assert log.most_running <= scheduler(limit).max_concurrency
    failed = [index for index in log.ended if index in errors]
    assert raised is (errors[failed[0]] if failed else None)
    if scheduler is SequentialScheduler:
        assert log.began_after_failure == []
    ends = [
        index for index in (*failing, *([] if stopping is None else [stopping])) if index < count
    ]
    if not ends:
        assert sorted(log.began) == list(range(count))
    elif scheduler is SequentialScheduler:
        assert log.began == list(range(min(ends) + 1))


def test_concurrent_jobs_really_overlap_up_to_the_limit():
    """Three jobs that wait for one another can only end together."""
    log = Log()
    together = threading.Barrier(3)
    jobs = [log.job(index, work=lambda: together.wait(60)) for index in range(3)]
    ConcurrentScheduler(3).execute(jobs, threading.Event())
    assert log.most_running == 3


def test_jobs_run_on_named_threads_and_begin_in_order():
    """One worker starts them in the order of the selection, on a thread that says whose it is."""
    names = []
    jobs = [
        RunJob(i, "", 1, lambda i=i: names.append((i, threading.current_thread().name)))
        for i in range(5)
    ]
    ConcurrentScheduler(1).execute(jobs, threading.Event())
    assert [i for i, _ in names] == list(range(5))
    assert all(name.startswith("wt-job") for _, name in names)


def test_stop_holds_back_every_job_that_no_worker_had_taken():
    """A job is handed over no earlier than a worker is free, so a stop while two run holds the rest."""
    log = Log()
    stop = threading.Event()
    both = threading.Barrier(3)
    go_on = threading.Event()

    def wait_for_stop():
        both.wait(60)
        go_on.wait(60)

    jobs = [log.job(index, work=wait_for_stop) for index in range(6)]
    flight = threading.Thread(target=ConcurrentScheduler(2).execute, args=(jobs, stop))
    flight.start()
    both.wait(60)
    stop.set()
    go_on.set()
    flight.join()
    assert sorted(log.began) == sorted(log.ended) == [0, 1]


def test_a_stop_in_the_middle_of_many_jobs_holds_back_all_but_those_being_taken():
    """Eight workers, four hundred jobs: the limit holds, and once the stop is set at most the other
    seven workers, caught between looking at it and starting, begin one job each."""
    log = Log()
    log.stop = threading.Event()

    def work(index):
        if index < 200:
            time.sleep(0.0002)
        elif index > 200:
            log.stop.wait(60)
        else:
            limit = time.monotonic() + 60
            while not set(range(200)) <= set(log.began) and time.monotonic() < limit:
                time.sleep(0.0002)
            log.stop.set()

    jobs = [log.job(index, work=functools.partial(work, index)) for index in range(400)]
    ConcurrentScheduler(8).execute(jobs, log.stop)
    assert log.most_running <= 8
    assert log.began_after_stop <= 7
    assert 201 <= len(log.began) <= 215
    assert sorted(log.began) == sorted(log.ended)
    assert len(set(log.began)) == len(log.began)


def test_a_failure_lets_what_runs_finish_and_is_raised_last():
    """The exception of the first job that failed comes out only when the other has ended.

    The worker that it frees takes no third job.
    """
    log = Log()
    second_runs = threading.Event()
    first_failed = threading.Event()

    def fail_when_both_run():
        second_runs.wait(60)

    def outlast_the_failure():
        second_runs.set()
        first_failed.wait(60)

    class FirstError(RuntimeError):
        pass

    failing = log.job(0, work=fail_when_both_run, fails=FirstError("first"))

    def fail_and_tell():
        try:
            failing()
        finally:
            first_failed.set()

    jobs = [
        RunJob(0, "fails", 1, fail_and_tell),
        log.job(1, work=outlast_the_failure),
        log.job(2),
    ]
    with pytest.raises(FirstError, match="first"):
        ConcurrentScheduler(2).execute(jobs, threading.Event())
    assert log.ended == [0, 1]
    assert log.running == 0


def test_nothing_runs_when_stop_was_set_before(subtests):
    """A sweep that was stopped while it waited for its lock starts no job."""
    for scheduler in BUILTIN_SCHEDULERS.values():
        with subtests.test(scheduler=scheduler):
            log = Log()
            stop = threading.Event()
            stop.set()
            scheduler(2).execute([log.job(0), log.job(1)], stop)
            assert log.began == []
