"""Schedulers: the order and the concurrency of a sweep's jobs.

docs/writing-a-runtime.md, "Schedulers", states the rules; an implementation subclasses `Scheduler`
and is named by `--scheduler`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class RunJob:
    """One scenario of a sweep; calling the job executes it.

    `index` is its position in the selection, `name` the scenario's name, `runs` the number of its
    runs. A job reports its scenario's failures itself: an exception of the job ends the sweep.
    """

    index: int
    name: str
    runs: int
    fn: Callable[[], None]

    def __call__(self) -> None:
        """Execute the job."""
        self.fn()


class Scheduler(ABC):
    """Executes jobs under four rules.

    1. A job runs once or not at all, and none starts once `stop` is set.
    2. At no moment do more than `max_concurrency` jobs run.
    3. After a job raised, no job starts; running jobs finish; then the first such exception is raised
       again.
    4. `execute` returns only when no job runs.
    """

    name: ClassVar[str] = "custom"

    def __init__(self, max_concurrency: int = 1) -> None:
        """Set the limit; raises `ValueError` unless it is an int of at least 1."""
        if not _is_limit(max_concurrency):
            raise ValueError(
                f"max_concurrency must be an integer of at least 1, got {max_concurrency!r}"
            )
        self.max_concurrency = max_concurrency

    @abstractmethod
    def execute(self, jobs: Sequence[RunJob], stop: threading.Event) -> None:
        """Execute `jobs` under the rules of the class; `stop` holds back those not yet started."""


def _is_limit(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


class SequentialScheduler(Scheduler):
    """One job after the other, in order, on the caller's thread; its limit is always 1."""

    name = "sequential"

    def __init__(self, max_concurrency: int = 1) -> None:
        super().__init__(max_concurrency)
        self.max_concurrency = 1

    def execute(self, jobs: Sequence[RunJob], stop: threading.Event) -> None:
        """Execute the jobs in order until one raises or `stop` is set."""
        for job in jobs:
            if stop.is_set():
                return
            job()


class ConcurrentScheduler(Scheduler):
    """Up to `max_concurrency` jobs at once on threads named `wt-job…`, started in order."""

    name = "concurrent"

    def execute(self, jobs: Sequence[RunJob], stop: threading.Event) -> None:
        """Hand each job to the pool no earlier than a worker is free to take it."""
        # Not at module level: it imports logging, which few sweeps need.
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        shared = _SharedState(stop)
        slots = threading.Semaphore(self.max_concurrency)
        with ThreadPoolExecutor(self.max_concurrency, thread_name_prefix="wt-job") as pool:
            for job in jobs:
                slots.acquire()
                if not shared.may_start():
                    break
                pool.submit(shared.run, job, slots)
        if shared.failure is not None:
            raise shared.failure


class _SharedState:
    """The state of one `execute` that its workers share."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self.failure: BaseException | None = None

    def may_start(self) -> bool:
        return self.failure is None and not self._stop.is_set()

    def run(self, job: RunJob, slots: threading.Semaphore) -> None:
        """Run `job` on a worker, unless the sweep has ended meanwhile."""
        try:
            if self.may_start():
                job()
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            with self._lock:
                self.failure = self.failure or error
        finally:
            slots.release()


BUILTIN_SCHEDULERS: dict[str, type[Scheduler]] = {
    SequentialScheduler.name: SequentialScheduler,
    ConcurrentScheduler.name: ConcurrentScheduler,
}
"""The built-in schedulers by name, for `--scheduler`."""
