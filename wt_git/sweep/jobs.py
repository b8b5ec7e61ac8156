"""All jobs of a sweep on its scheduler, until they are done or nothing more may start."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wt_git.spi.scheduler import RunJob
from wt_git.sweep.breaker import LIMIT, Breaker
from wt_git.sweep.job import run_job
from wt_git.sweep.results import ScenarioBroke
from wt_git.sweep.schedulers import GuardedJobs

if TYPE_CHECKING:
    import threading

    from wt_git.sweep.limits import Limits
    from wt_git.sweep.session import Session
    from wt_git.sweep.tally import Tally


def run_jobs(
    session: Session, tally: Tally, limits: Limits, stop: threading.Event
) -> BaseException | None:
    """Run a job for each scenario; return the exception that ended the sweep, or None.

    Results go into `tally`. Once `stop` is set no scheduler starts another job.
    """
    prepared = session.prepared
    breaker = Breaker()
    jobs = [
        RunJob(
            index=index,
            name=selected.scenario.name,
            runs=prepared.request.runs,
            fn=partial(
                _run_one, index, session, tally=tally, limits=limits, breaker=breaker, stop=stop
            ),
        )
        for index, selected in enumerate(prepared.selected)
    ]
    guarded = GuardedJobs(prepared.plan.effective, stop, session.progress.say)
    try:
        guarded.execute(prepared.plan.scheduler, jobs)
    except Exception as error:  # noqa: BLE001 - post_run and the last event must still happen
        return error
    return None


def _run_one(
    index: int,
    session: Session,
    *,
    tally: Tally,
    limits: Limits,
    breaker: Breaker,
    stop: threading.Event,
) -> None:
    selected = session.prepared.selected[index]
    own_limits = limits.start_job(selected.identity)
    if own_limits is None:
        return
    result = run_job(session, index, selected, own_limits)
    if result is None:
        return
    tally.add(result)
    if not isinstance(result, ScenarioBroke):
        breaker.ran()
    elif breaker.errored():
        tally.aborted = True
        stop.set()
        session.progress.say(
            f"aborting after {LIMIT} consecutive scenario errors: the bench or its runtime is "
            "broken, and the next scenario would break the same way"
        )
