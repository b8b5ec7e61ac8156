"""`concurrent` is only faster: it leaves what `sequential` leaves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from kit.commands import events, ledger, traces, write_pack, write_plugin, wt

SCENARIOS = [
    (f"s{number:02}", "ok" if number % 3 else "never said", ["third"] if number % 3 == 0 else [])
    for number in range(50)
]


def _sweep(runs_dir: str, *more: str) -> list[dict[str, Any]]:
    ran = wt(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN", "--runs", "20"),
        *("--runs-dir", runs_dir, "--format", "json", "--out", f"{runs_dir}.json", *more),
    )
    assert ran.code == 1
    document: list[dict[str, Any]] = json.loads(Path(f"{runs_dir}.json").read_text())
    return document


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    row = {key: row[key] for key in row if key not in {"ts", "sweep_id", "run_ids"}}
    row["experiment"] = {**row["experiment"], "cost": None}
    return row


def test_fifty_scenarios_of_twenty_runs_leave_the_same_files_either_way() -> None:
    """Same rows in selection order, same folders, same number of traces, runs in order per job."""
    write_pack(scenarios=SCENARIOS)
    write_plugin(send="time.sleep(0.0003)")
    one = _sweep("one")
    many = _sweep("many", "--scheduler", "concurrent", "--max-concurrency", "8")
    assert [_timeless(row) for row in many] == [_timeless(row) for row in one]
    assert [row["scenario_id"] for row in many] == [name for name, _, _ in SCENARIOS]
    assert _folders("many") == _folders("one")
    assert sum(_folders("one").values()) == 1000
    assert Counter(row["scenario_id"] for row in ledger("many")) == Counter(
        row["scenario_id"] for row in ledger("one")
    )
    for runs_dir in ("one", "many"):
        _check_events(runs_dir)
        _check_run_ids(runs_dir)


def _folders(runs_dir: str) -> Counter[str]:
    return Counter(str(path.parent.relative_to(runs_dir)) for path in traces(runs_dir))


def _check_events(runs_dir: str) -> None:
    """Per scenario: started and finished alternate, in run order, and the scenario ends last."""
    by_scenario: dict[str, list[tuple[str, int]]] = {}
    for event in events(runs_dir):
        if "scenario_id" in event:
            entry = (event["event"], event.get("run", 0))
            by_scenario.setdefault(event["scenario_id"], []).append(entry)
    expected = [(kind, run) for run in range(1, 21) for kind in ("run_started", "run_finished")] + [
        ("scenario_finished", 0)
    ]
    assert set(map(tuple, by_scenario.values())) == {tuple(expected)}
    assert len(by_scenario) == 50


def _check_run_ids(runs_dir: str) -> None:
    """A row names its runs in the order in which they were flown."""
    started = {
        document["run_id"]: document["started_at"]
        for document in (json.loads(path.read_text()) for path in traces(runs_dir))
    }
    for row in ledger(runs_dir):
        times = [started[run_id] for run_id in row["run_ids"]]
        assert times == sorted(times)


def test_a_request_above_the_runtimes_limit_is_clamped_and_said() -> None:
    """The limit is about what is safe, so it wins over what was asked."""
    source = write_pack(scenarios=SCENARIOS[:8])
    runtime = write_plugin(
        send="open('overlap', 'a').write('('); time.sleep(0.05); open('overlap', 'a').write(')')",
        max_concurrency="2",
    )
    ran = wt(
        *("run", "--pack-source", source, "--runtime", runtime, "--tag", "third"),
        *("--scheduler", "concurrent", "--max-concurrency", "6"),
    )
    assert "tolerates at most 2 concurrent job(s); running 2 at a time (requested 6)" in ran.err
    depth = most = 0
    for character in Path("overlap").read_text():
        depth += 1 if character == "(" else -1
        most = max(most, depth)
    assert most == 2


SCHEDULERS = """
from windtunnel.spi import Scheduler

class Reverse(Scheduler):
    name = "reverse"
    def execute(self, jobs, stop):
        for job in reversed(jobs):
            job()

class Twice(Scheduler):
    def execute(self, jobs, stop):
        for job in [*jobs, *jobs]:
            job()

class Lazy(Scheduler):
    name = "lazy"
    def execute(self, jobs, stop):
        jobs[0]()

class Eager(Scheduler):
    def execute(self, jobs, stop):
        import threading
        threads = [threading.Thread(target=job) for job in jobs]
        [t.start() for t in threads]
        [t.join() for t in threads]

instance = Reverse()
"""


def _with_scheduler(name: str, *more: str) -> Any:
    Path("mine.py").write_text(SCHEDULERS)
    source = write_pack(scenarios=[(f"s{n}", "ok", []) for n in range(4)])
    return wt(
        *("run", "--pack-source", source, "--scheduler", f"mine.py:{name}"),
        *("--runs-dir", f"runs-{name}", *more),
    )


def test_a_scheduler_of_ones_own_decides_the_order() -> None:
    """As a class or as an instance, loaded from a file."""
    for name in ("Reverse", "instance"):
        ran = _with_scheduler(name)
        assert ran.code == 0
        assert [line.split()[1] for line in ran.out.splitlines()] == ["s3", "s2", "s1", "s0"]


def test_a_scheduler_that_starts_a_job_twice_writes_one_row() -> None:
    """Two rows for one job would be evidence that nobody earned."""
    ran = _with_scheduler("Twice")
    assert ran.code == 0
    assert len(ledger("runs-Twice")) == 4
    assert "started 's0' twice" in ran.err


def test_a_scheduler_that_drops_jobs_fails_the_sweep_by_name() -> None:
    """A sweep that did not run what was asked may not end well."""
    ran = _with_scheduler("Lazy")
    assert ran.code == 1
    assert "never started 3 of 4 job(s): s1, s2, s3" in ran.err
    assert len(ledger("runs-Lazy")) == 1


def test_a_scheduler_that_ignores_the_limit_is_held_to_it() -> None:
    """The bench holds a slot around every job, whoever starts it."""
    runtime = write_plugin(
        send="open('overlap', 'a').write('('); time.sleep(0.03); open('overlap', 'a').write(')')"
    )
    ran = _with_scheduler("Eager", "--runtime", runtime, "--max-concurrency", "1")
    assert ran.code == 0
    assert Path("overlap").read_text() == "()()()()"
