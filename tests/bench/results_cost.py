"""Measure what tables of saved runs cost; prints figures as JSON.

`python tests/bench/results_cost.py make FOLDER` saves runs, `parse FOLDER` parses every file with
Python's json, `groups FOLDER [LABEL]` reads the runs that count. Times are milliseconds of
processor time, start-up aside; memory is in megabytes.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from wt_git.api.score import FailureCost, LayerResult, Score
from wt_git.api.trace import Trace, Turn
from wt_git.files import append_line, json_line
from wt_git.records.sidecars import sidecar_document
from wt_git.records.store import RunsDir
from wt_git.reports.load_results import load_results

RUNS, LABELS, SCENARIOS = 5_005, 50, 7
TURNS = 6
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
REPLY = "Your order ORD-7 has left the warehouse on Tuesday and should arrive within two days. " * 4


def make(folder: Path) -> dict[str, float]:
    """Save runs of about 8 KB each, and a row for every five runs of a scenario under a label."""
    runs_dir = RunsDir(folder)
    ids: dict[tuple[str, str], list[str]] = {}
    for number in range(RUNS):
        label, scenario = f"label-{number % LABELS:02}", f"scenario_{number // LABELS % SCENARIOS}"
        started = NOON + timedelta(minutes=number)
        run_id = str(UUID(int=number + (number << 96)))
        trace = Trace(
            run_id=run_id,
            scenario_id=scenario,
            agent_id="bench-agent",
            variant_id=label,
            model="target-model",
            quant="",
            sampler={"temperature": 0},
            started_at=started,
            finished_at=started + timedelta(seconds=9),
            turns=[_turn(index, number) for index in range(TURNS)],
            tool_schema_hash="a" * 64,
        )
        score = Score(
            LayerResult(number % 9 != 0, "all facts were found", {"correct": number % 9 != 0}),
            LayerResult(True, "all calls were made", {"steps": number % 7}),
            LayerResult(True, "no policy was broken"),
            LayerResult(True, "one session, no warnings"),
            FailureCost(),
        )
        gates: Any = ("outcome", "trajectory", "constraint")
        runs_dir.write_run(trace, sidecar_document(score, gates, {"name": scenario, "tags": []}))
        ids.setdefault((scenario, label), []).append(run_id)
    for (scenario, label), of in ids.items():
        row = {
            "windtunnel_ledger": 1,
            "scenario_id": scenario,
            "label": label,
            "pack": "bench",
            "verdict": "FAIL",
            "run_ids": of,
            "experiment": {"tier": "regression"},
        }
        append_line(folder / "ledger.ndjsonl", json_line(row), durable=False)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {"files": len(files), "bytes": sum(path.stat().st_size for path in files)}


def _turn(index: int, number: int) -> Turn:
    calls = [
        {
            "id": f"call-{index}",
            "name": "lookup_order",
            "arguments": {"order_id": f"ORD-{number}", "fields": ["status", "carrier", "eta"]},
        }
    ]
    if index % 2 == 0:
        asked = f"Where is my order ORD-{number}? {REPLY[:120]}"
        return Turn("user", asked, [], [], latency_ms=0.0)
    return Turn("assistant", REPLY, calls, [{"rows": [REPLY] * 3}], latency_ms=812.5)


def parse(folder: Path) -> dict[str, float]:
    """Parse every JSON file below `folder`, one after another."""
    paths = [path for path in folder.rglob("*.json") if path.is_file()]
    begun = time.process_time()
    for path in paths:
        json.loads(path.read_bytes())
    return {"ms": (time.process_time() - begun) * 1e3, "files": len(paths)}


def groups(folder: Path, *labels: str) -> dict[str, float]:
    """Read the runs that count."""
    gc.set_threshold(50_000, 20, 20)  # as the command does
    begun = time.process_time()
    document = load_results(folder, labels).document
    took = (time.process_time() - begun) * 1e3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"ms": took, "runs": sum(one.runs for one in document.results), "peak MB": peak}


def main() -> None:
    """Do what the first argument says with the folder that the second one names."""
    action, folder, *rest = sys.argv[1:]
    doing: dict[str, Any] = {"make": make, "parse": parse, "groups": groups}
    print(json.dumps(doing[action](Path(folder), *rest)))


if __name__ == "__main__":
    main()
