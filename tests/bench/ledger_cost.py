"""Measure what questions to a ledger cost; prints figures as JSON.

`python tests/bench/ledger_cost.py make FOLDER ROWS` writes a ledger; `ask FOLDER` asks it as a
sweep does, `append FOLDER` appends rows, `read FOLDER` parses every line. Times are milliseconds of
processor time, so that a busy machine changes them little; memory is in megabytes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records.ledger.index import append_row
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.ledger.row import ScenarioId

if TYPE_CHECKING:
    from collections.abc import Callable

SCENARIOS = 35
TARGET = "agent.plugin:Plugin|http://127.0.0.1:8647"
MODEL = "target-model"
QUESTION = "does returning the schema error to the model stop the fabricated table, in every case?"
APPENDED = 200


def row(number: int) -> dict[str, Any]:
    """A row of about 1.5 KB: regressions and focused sweeps in turn, each on a tree of its own."""
    sweep, scenario = divmod(number, SCENARIOS)
    parts = {
        "git_tree": f"{sweep:040x}",
        "runtime": "agent.plugin:PLUGIN",
        "target": TARGET,
        "model": MODEL,
        "soul": None,
        "agents": None,
        "plugin": None,
        "wt_version": "0.1.0",
    }
    experiment = {
        "tier": "regression" if sweep % 2 else "focused",
        "counts_as_failure": number % 11 == 0,
        "interrupted": False,
        "question": QUESTION,
        "expect": "pass",
        "if_pass": None,
        "if_fail": None,
        "cost": {
            "wall_s": 41.2,
            "input_tokens": 18230,
            "cached_tokens": 15000,
            "output_tokens": 1504,
        },
        "cost_usd": {
            "uncached_input": 0.0032,
            "cache_read": 0.0015,
            "output": 0.006,
            "time": 0.6867,
            "total": (number * 7919 % 10007) / 10000,
            "tokens_known": True,
            "cache_split_known": True,
        },
        "budget_s": 900.0,
        "budget_exhausted": False,
        "fingerprint": f"sha256:{sweep:064x}",
        "fingerprint_parts": parts,
        "baseline": False,
        "tree_under_test": f"{sweep:040x}",
        "evidence_for": [],
        "earned_by": None,
        "excluded_failing": [],
        "excluded_failing_ids": [],
    }
    return {
        "windtunnel_ledger": 1,
        "ts": "2026-01-02T03:04:05Z",
        "scenario_id": f"scenario_{scenario}",
        "pack": "orders",
        "owner": "front-desk",
        "label": f"round-{sweep // 100}",
        "model": MODEL,
        "quant": None,
        "verdict": "FAIL" if number % 11 == 0 else "PASS",
        "gate_layers": ["outcome", "trajectory"],
        "runs": 3,
        "passed": 3,
        "pass_rate": 1.0,
        "stddev": 0.0,
        "failure_risk": 0.0,
        "run_ids": [f"3f2a9c1b-7e4d-4c7b-8a0e-{number:010d}{run:02d}" for run in range(3)],
        "git_sha": "0123abc",
        "wt_version": "0.1.0",
        "sweep_id": f"{sweep:012x}",
        "experiment": experiment,
    }


def make(folder: Path, rows: int) -> dict[str, Any]:
    with (folder / "ledger.ndjsonl").open("w", encoding="utf-8") as stream:
        for number in range(rows):
            stream.write(files.json_line(row(number)) + "\n")
    return {"bytes": (folder / "ledger.ndjsonl").stat().st_size}


def ask(folder: Path) -> dict[str, Any]:
    """Ask what a regression with a ceiling asks, and say what it took."""
    before = peak_mb()
    began = time.process_time()
    ledger = Ledger(folder)
    assert ledger.has_rows()
    first = milliseconds(began)
    scenario = ScenarioId("orders", "scenario_3")
    questions: dict[str, Callable[[], object]] = {
        "gate_rows": lambda: ledger.gate_rows(TARGET, "sha256:" + "0" * 64),
        "has_target": lambda: ledger.has_target(TARGET),
        "has no target": lambda: ledger.has_target("another"),
        "spent": lambda: ledger.spent(scenario, TARGET, MODEL),
        "highest_cost_per_run": lambda: ledger.highest_cost_per_run(scenario, MODEL),
        "results": lambda: ledger.results({"round-0"}).rows,
        "trees_of_sweep": lambda: ledger.trees_of_sweep("0" * 12) == (),
    }
    took = {"opening": first}
    for name, question in questions.items():
        began = time.process_time()
        assert question() or name == "has no target"
        took[name] = milliseconds(began)
    return {**took, "all": sum(took.values()), "imports MB": before, "peak MB": peak_mb()}


def read(folder: Path) -> dict[str, Any]:
    """What reading the ledger takes at the least."""
    began = time.process_time()
    assert sum(1 for _ in files.read_lines(folder / "ledger.ndjsonl"))
    return {"all": milliseconds(began), "peak MB": peak_mb()}


def append(folder: Path) -> dict[str, Any]:
    """Append rows with the index being brought forward, and without one."""
    index = folder / ".ledger-index"
    lines = [files.json_line(row(number)) for number in range(APPENDED)]

    def median(write: Callable[[str], None]) -> float:
        taken = []
        for line in lines:
            began = time.process_time()
            write(line)
            taken.append(milliseconds(began))
        return sorted(taken)[len(taken) // 2]

    Ledger(folder, small=0).has_rows()
    before = index.stat()
    indexed = median(lambda line: append_row(folder, line))
    assert index.stat().st_mtime_ns != before.st_mtime_ns
    assert index.stat().st_mtime_ns == (folder / "ledger.ndjsonl").stat().st_mtime_ns
    alone = median(lambda line: files.append_line(folder / "plain", line, durable=True))
    os.unlink(folder / "plain")  # noqa: PTH108
    return {"with index": indexed, "line alone": alone}


def milliseconds(began: float) -> float:
    return (time.process_time() - began) * 1000


def peak_mb() -> float:
    """The most memory so far; what `getrusage` says would count that of the parent too."""
    for line in Path("/proc/self/status").read_text("ascii").split("\n"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no peak in /proc/self/status")


if __name__ == "__main__":
    what, where, *more = sys.argv[1:]
    task = {"make": make, "ask": ask, "append": append, "read": read}[what]
    print(json.dumps(task(Path(where), *map(int, more))))
