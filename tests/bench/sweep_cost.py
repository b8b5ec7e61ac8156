"""Measure what a run costs; prints figures in microseconds as JSON.

`python tests/bench/sweep_cost.py overhead` or `growth`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.clock import SystemClock
from wt_git.config import Settings
from wt_git.evidence.fingerprint import Fingerprinter, FingerprintInputs
from wt_git.plugins.runtimes import find_plugin, resolve_runtime
from wt_git.records.ledger.ledger import Ledger
from wt_git.runner import run as runner_run
from wt_git.spi.agent_runtime import AgentConfig
from wt_git.sweep.jobs.schedulers import plan_jobs
from wt_git.sweep.request import Prepared, SweepRequest
from wt_git.sweep.selection import Selected, Selectors
from wt_git.sweep.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

SCENARIOS, RUNS = 35, 50
TIMES = 9


class Silent:
    """An observer that drops everything."""

    def say(self, text: str) -> None: ...
    def event(self, event: Any) -> None: ...
    def scenario_done(self, result: Any) -> None: ...


class Stopwatch:
    """Adds up the seconds that a function takes, while it is in place."""

    def __init__(self, inner: Callable[..., Any]) -> None:
        self._inner = inner
        self.total_s = 0.0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._inner(*arguments, **options)
        finally:
            self.total_s += time.perf_counter() - began


def sweep_s(runs_dir: Path, scenarios: int, runs: int) -> float:
    """Return how long a whole sweep takes."""
    pack = ScenarioPack(
        "p", [Scenario(f"s{n}", "How many?", [["ok"]], must_call=["x"]) for n in range(scenarios)]
    )
    fingerprinter = Fingerprinter(
        FingerprintInputs(
            folder=runs_dir.parent,
            runs_dir=runs_dir,
            runtime="in_memory",
            target="in_memory",
            model=None,
            wt_version="0",
        )
    )
    prepared = Prepared(
        request=SweepRequest(selectors=Selectors(), runs_dir=runs_dir, runs=runs),
        hooks=[],
        runtime=resolve_runtime(find_plugin("in_memory", print), print),
        selected=[Selected(pack, scenario) for scenario in pack.scenarios],
        tier="regression",
        config=AgentConfig("wt-cli", "cli_run"),
        fingerprinter=fingerprinter,
        fingerprint=fingerprinter.take(),
        settings=Settings(),
        budget_s=None,
        ceiling=None,
        plan=plan_jobs("sequential", None, limit=None, hooks_active=False),
    )
    sweep = Sweep(
        prepared,
        ledger=Ledger(runs_dir),
        observer=Silent(),
        clock=SystemClock(),
        lock_folder=runs_dir,
    )
    began = time.perf_counter()
    sweep.run()
    return time.perf_counter() - began


def floor_s(folder: Path, count: int, texts: tuple[str, str]) -> float:
    """Return what writing the two files of `count` runs takes at the least, renames included."""
    folder.mkdir()
    began = time.perf_counter()
    for number in range(count):
        for kind, text in enumerate(texts):
            temporary = f"{folder}/.{number}-{kind}"
            with open(temporary, "w") as stream:  # noqa: PTH123 - the cheapest way
                stream.write(text)
            Path(temporary).rename(f"{folder}/{number}-{kind}")
    return time.perf_counter() - began


def overhead(folder: Path) -> dict[str, float]:
    """What a run costs beside its scoring, its scoring, and writing its two files alone."""
    best = (float("inf"), 0.0)
    score = runner_run.score_trace
    for attempt in range(TIMES):
        stopwatch = Stopwatch(score)
        runner_run.score_trace = stopwatch
        total = sweep_s(folder / f"runs{attempt}", SCENARIOS, RUNS)
        best = min(best, (total - stopwatch.total_s, stopwatch.total_s))
    trace = next((folder / "runs0").rglob("*Z_????????.json"))
    texts = (trace.read_text(), trace.with_name(f"{trace.stem}.score.json").read_text())
    floor = min(floor_s(folder / f"floor{n}", SCENARIOS * RUNS, texts) for n in range(3))
    figures = {"overhead": best[0], "scoring": best[1], "floor": floor}
    return {name: value / (SCENARIOS * RUNS) * 1e6 for name, value in figures.items()}


def growth(folder: Path) -> dict[str, float]:
    """What a run costs over 1,000 files, and over 100,000 in the same folders."""
    runs_dir = folder / "runs"
    sweep_s(runs_dir, 5, 100)
    few = min(sweep_s(runs_dir, 5, 20) for _ in range(TIMES))
    text = next(runs_dir.rglob("*Z_????????.json")).read_text()
    for scenario in range(5):
        (home,) = {path.parent for path in runs_dir.glob(f"s{scenario}/**/*.json")}
        for number in range(20_000):
            (home / f"20200101T{number:06}000000Z_00000000.json").write_text(text)
    many = min(sweep_s(runs_dir, 5, 20) for _ in range(TIMES))
    return {"few": few / 100 * 1e6, "many": many / 100 * 1e6}


def main() -> None:
    """Measure in memory, so that the disk is not what is measured."""
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix="wt-bench-", dir=place))
    try:
        print(json.dumps({"overhead": overhead, "growth": growth}[sys.argv[1]](folder)))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
