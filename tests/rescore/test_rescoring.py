"""Scoring again, trace by trace: what is read when, and what the parts say in between."""

from __future__ import annotations

from pathlib import Path

from kit.saved_runs import save_run
from kit.traces import assistant, user

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.clock import SystemClock
from wt_git.plugins.packs import Discovered
from wt_git.records.documents.rescore import RescoreSummary
from wt_git.rescore import RescoreRequest, Rescoring
from wt_git.sweep.selection import Definitions, Selectors

RUNS = Path("runs")


def saved(number: int, **more: object) -> Path:
    turns = [user(), assistant("75 orders.")]
    return save_run(RUNS, number, scenario="count", turns=turns, **more)


def rescoring(**asked: object) -> Rescoring:
    scenario = Scenario(name="count", prompt="How many?", target_facts=[["75"]])
    packs = Discovered([ScenarioPack(name="p", scenarios=[scenario])], ())
    request = RescoreRequest(**{"runs_dir": RUNS, **asked})
    return Rescoring(request, Definitions(packs, Selectors()), SystemClock())


def test_a_trace_is_read_when_its_turn_comes_and_not_before():
    """So a directory of any size takes no more memory than one trace, and the first answer is early."""
    first, second = saved(1), saved(2)
    work = rescoring()
    entries = work.entries()
    assert next(entries).trace == str(first)
    assert work.summary == RescoreSummary(traces=1)
    second.write_text("{")
    assert next(entries).as_document()["status"] == "error"
    assert (next(entries, None), work.exit_code) == (None, 2)
    assert work.summary == RescoreSummary(traces=2, errors=1)


def test_a_trace_that_goes_away_meanwhile_is_an_error_of_its_own():
    """Somebody cleans up at the same time."""
    saved(1)
    gone = saved(2)
    work = rescoring()
    entries = work.entries()
    next(entries)
    gone.unlink()
    assert "No such file" in next(entries).error
    assert work.exit_code == 2


def test_the_exit_code_is_that_of_what_was_scored():
    """Nothing, all passed, something failed, something could not be told."""
    saved(1)
    work = rescoring(labels=("other",))
    assert (list(work.entries()), work.exit_code) == ([], 0)
    assert work.remarks == ["nothing was scored: no trace is of what was asked for"]
    work = rescoring()
    assert [one.as_document()["status"] for one in work.entries()] == ["ok"]
    assert (work.exit_code, work.remarks) == (0, [])
    save_run(RUNS, 2, scenario="count")
    work = rescoring()
    list(work.entries())
    assert (work.exit_code, work.summary.new_gate_failures) == (1, 1)
    save_run(RUNS, 3, scenario="other")
    work = rescoring()
    list(work.entries())
    assert (work.exit_code, work.summary.unresolved) == (2, 1)


def test_hidden_folders_are_not_looked_into():
    """They are the records' own, or another tool's."""
    path = saved(1)
    hidden = RUNS / ".backup"
    hidden.mkdir()
    path.rename(hidden / path.name)
    assert list(rescoring().entries()) == []
