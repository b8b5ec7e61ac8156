"""Measure what tables of saved runs cost; prints figures as JSON.

`python tests/bench/results_cost.py make FOLDER RUNS LABELS ROWS` saves runs, and a ledger of at least
so many rows; `parse FOLDER` parses every file with Python's json. Times are milliseconds of processor
time.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from wt_git.api.score import FailureCost, LayerResult, Score
from wt_git.api.trace import Trace, Turn
from wt_git.files import json_line
from wt_git.records.runs.sidecars import sidecar_document
from wt_git.records.runs_dir import RunsDir

SCENARIOS = 7
TURNS = 6
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
QUESTION = "does returning the schema error to the model stop the fabricated table, in every case?"
REPLY = "Your order ORD-7 has left the warehouse on Tuesday and should arrive within two days. " * 4


def make(folder: Path, runs: int, labels: int, rows: int = 0) -> dict[str, float]:
    """Save runs of about 8 KB each, and a row for all runs of a scenario under a label.

    Rows of sweeps whose runs are gone come first.
    """
    runs_dir = RunsDir(folder)
    ids: dict[tuple[str, str], list[str]] = {}
    for number in range(runs):
        label, scenario = f"label-{number % labels:02}", f"scenario_{number // labels % SCENARIOS}"
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
    lines = []
    gone = [((f"scenario_{n % 97}", f"old-{n // 97 % 89}"), [f"gone-{n}"]) for n in range(rows)]
    for (scenario, label), of in [*gone, *ids.items()]:
        row = {
            "windtunnel_ledger": 1,
            "scenario_id": scenario,
            "label": label,
            "pack": "bench",
            "verdict": "FAIL",
            "run_ids": of,
            "passed": len(of),
            "failure_risk": 0.0,
            "question": QUESTION,
            "experiment": {"tier": "regression", "cost": {"wall_s": 41.2}, "fingerprint": "a" * 64},
        }
        lines.append(json_line(row))
    (folder / "ledger.ndjsonl").write_text("".join(f"{line}\n" for line in lines))
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
    """Find every trace, score and line below `folder`, and parse one after another."""
    begun = time.process_time()
    count = 0
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith((".json", ".ndjsonl")):
                continue
            count += 1
            with open(os.path.join(where, name), "rb") as stream:  # noqa: PTH118, PTH123 - the fastest
                data = stream.read()
            for document in data.splitlines() if name.endswith(".ndjsonl") else [data]:
                json.loads(document)
    return {"ms": (time.process_time() - begun) * 1e3, "files": count}


def main() -> None:
    """Do what the first argument says with the folder that the second one names."""
    action, folder, *rest = sys.argv[1:]
    doing: dict[str, Any] = {"make": make, "parse": parse}
    print(json.dumps(doing[action](Path(folder), *map(int, rest))))


if __name__ == "__main__":
    main()
