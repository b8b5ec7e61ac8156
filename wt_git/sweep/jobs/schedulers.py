"""Schedulers: which one runs the jobs, how many jobs at once, and a guard that keeps its contract.

Rules: docs/writing-a-runtime.md, "Schedulers".
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError, WindTunnelError
from wt_git.plugins.loading import (
    FOREIGN_FAILURES,
    describe,
    load,
    load_failure,
    parse_source,
)
from wt_git.spi.scheduler import BUILTIN_SCHEDULERS, RunJob, Scheduler, SequentialScheduler
from wt_git.text import did_you_mean, near_matches, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_CONCURRENCY = 4
"""How many jobs run at once when neither the caller nor the runtime sets a limit."""


class JobPlan(NamedTuple):
    """The scheduler to use, how many jobs it may overlap, and notices for the user."""

    scheduler: Scheduler
    name: str
    effective: int
    notices: tuple[str, ...]


def plan_jobs(
    spec: str, requested: int | None, *, limit: int | None, hooks_active: bool
) -> JobPlan:
    """Resolve `spec` and clamp what was `requested` to what the runtime tolerates (`limit`).

    Raises `LoadError` or `UsageError` when `spec` names no scheduler.
    """
    made = _resolve(spec)
    notices: list[str] = []
    if made is SequentialScheduler or isinstance(made, SequentialScheduler):
        if requested is not None and requested > 1:
            notices.append(
                f"--max-concurrency {requested} has no effect with the sequential scheduler"
            )
        effective = 1
    else:
        effective = _clamped(requested, limit, notices)
        if hooks_active and effective > 1:
            notices.append(
                "lifecycle hooks are active and may keep state between runs; running one job at a "
                "time"
            )
            effective = 1
    scheduler = made if isinstance(made, Scheduler) else _construct(made, effective, spec)
    if effective > 1:
        notices.append(f"running up to {effective} scenario jobs at once ({spec} scheduler)")
    return JobPlan(scheduler, spec, effective, tuple(notices))


def _clamped(requested: int | None, limit: int | None, notices: list[str]) -> int:
    if requested is None:
        return limit if limit is not None else DEFAULT_CONCURRENCY
    if limit is not None and requested > limit:
        notices.append(
            f"this runtime tolerates at most {limit} concurrent job(s); running {limit} at a time "
            f"(requested {requested})"
        )
        return limit
    return requested


def _resolve(spec: str) -> type[Scheduler] | Scheduler:
    if spec in BUILTIN_SCHEDULERS:
        return BUILTIN_SCHEDULERS[spec]
    source = parse_source(spec)
    if source is None:
        names = sorted(BUILTIN_SCHEDULERS)
        raise UsageError(
            f"unknown scheduler '{one_line(spec)}'{did_you_mean(spec, names)}"
            f"; built in: {', '.join(names)}; your own: package.module:Class or file.py:Class",
            code="unknown-scheduler",
            facts={"scheduler": spec, "near": list(near_matches(spec, names)), "known": names},
        )
    value = load(source, "scheduler").value
    if isinstance(value, Scheduler) or (isinstance(value, type) and issubclass(value, Scheduler)):
        return value
    problem = f"it is a {type(value).__name__}"
    raise load_failure(
        f"--scheduler '{one_line(spec)}' must name a windtunnel.spi.Scheduler subclass or instance; "
        f"{problem}",
        what="scheduler",
        source=spec,
        problem=problem,
    )


def _construct(made: type[Scheduler], effective: int, spec: str) -> Scheduler:
    try:
        return made(max_concurrency=effective)
    except FOREIGN_FAILURES as error:
        raise load_failure(
            f"could not load scheduler '{one_line(spec)}': {describe(error)}",
            what="scheduler",
            source=spec,
            problem=describe(error),
        ) from error


class GuardedJobs:
    """The rules of the scheduler contract, kept also when a scheduler breaks them.

    Every job runs at most once, none after `stop`, after a job failed or after the sweep, and never
    more than `effective` at a time. `execute` returns only when nothing runs.
    """

    def __init__(self, effective: int, stop: threading.Event, say: Callable[[str], None]) -> None:
        self._slots = threading.Semaphore(effective)
        self._stop = stop
        self._say = say
        self._changed = threading.Condition()
        self._started: set[int] = set()
        self._running = 0
        self._over = False
        self._failure: BaseException | None = None

    def execute(self, scheduler: Scheduler, jobs: Sequence[RunJob]) -> None:
        """Run `jobs` on `scheduler`.

        Raises the exception of the first failing job, and `SchedulerError` for jobs that were dropped
        and for a scheduler that fails by itself.
        """
        broken: BaseException | None = None
        try:
            scheduler.execute([self._guard(job) for job in jobs], self._stop)
        except FOREIGN_FAILURES as error:
            broken = error
        self._end()
        if self._failure is not None:
            raise self._failure
        if broken is not None:
            raise SchedulerError(
                f"the {scheduler.name} scheduler failed: {describe(broken)}",
                code="scheduler-failed",
                facts={"scheduler": str(scheduler.name), "problem": describe(broken)},
            ) from broken
        dropped = [job.name for job in jobs if job.index not in self._started]
        if dropped and not self._stop.is_set():
            raise SchedulerError(
                f"the {scheduler.name} scheduler never started {len(dropped)} of {len(jobs)} "
                f"job(s): {', '.join(map(one_line, dropped))}",
                facts={
                    "scheduler": str(scheduler.name),
                    "jobs": [job.name for job in jobs],
                    "dropped": dropped,
                },
            )

    def _end(self) -> None:
        """Let no further job start, and wait for those that a scheduler left running."""
        with self._changed:
            self._over = True
            self._changed.wait_for(lambda: not self._running)

    def _guard(self, job: RunJob) -> RunJob:
        def run() -> None:
            with self._slots:
                if not self._may_start(job):
                    return
                try:
                    job.fn()
                except BaseException as error:
                    self._failure = self._failure or error
                    raise
                finally:
                    with self._changed:
                        self._running -= 1
                        self._changed.notify_all()

        return RunJob(index=job.index, name=job.name, runs=job.runs, fn=run)

    def _may_start(self, job: RunJob) -> bool:
        with self._changed:
            if job.index in self._started:
                self._say(
                    f"warning: the scheduler started '{one_line(job.name)}' twice; it ran once"
                )
                return False
            if self._over or self._failure is not None or self._stop.is_set():
                return False
            self._started.add(job.index)
            self._running += 1
            return True


class SchedulerError(WindTunnelError):
    """A scheduler broke its contract in a way that leaves the sweep incomplete."""

    code = "scheduler-dropped-jobs"
