"""What reading saved runs costs: `python -m pytest -m bench tests/bench/test_results_speed.py -s`.

Over 5,005 runs of about 8 KB in 50 labels, with a ledger of 100,000 rows where it is not said
otherwise. Each command is a process
of its own; its processor time counts, without that of the same command over 50 runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
RUNS, LABELS, ROWS = 5_005, 50, 100_000
TIMES = 3
WT = Path(sys.executable).with_name("wt")

PLAIN = "results, no long ledger"
COMMANDS = {
    PLAIN: ("results",),
    "results": ("results",),
    "results --label": ("results", "--label", "label-07"),
    "compare": ("compare", "--labels", "label-07", "label-08"),
    "report json": ("report", "--format", "json"),
    "report json --label": ("report", "--format", "json", "--label", "label-07"),
    "report html": ("report",),
    "report html --label": ("report", "--label", "label-07"),
    "triage --label": ("triage", "--label", "label-07"),
}


class Cost(NamedTuple):
    """Processor time in milliseconds, and the most memory in megabytes."""

    ms: float
    peak_mb: float


def _script(*arguments: str) -> dict[str, float]:
    script = Path(__file__).with_name("results_cost.py")
    done = subprocess.run(
        [sys.executable, str(script), *arguments], check=True, capture_output=True, text=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _spent(runs_dir: Path, *arguments: str) -> Cost:
    command = [str(WT), *arguments, "--runs", str(runs_dir)]
    with Path(os.devnull).open("w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, cwd=runs_dir.parent)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in {0, 1}, arguments
    return Cost((usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024)


def _best(runs_dir: Path, *arguments: str) -> Cost:
    found = [_spent(runs_dir, *arguments) for _ in range(TIMES)]
    return Cost(min(one.ms for one in found), max(one.peak_mb for one in found))


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cost]:
    """By command: what it costs beyond its start; `parse` is what Python's json takes for all."""
    few = tmp_path_factory.mktemp("few") / "runs"
    many = tmp_path_factory.mktemp("many") / "runs"
    _script("make", str(few), str(LABELS), str(LABELS))
    size = _script("make", str(many), str(RUNS), str(LABELS), str(ROWS))["bytes"]
    print(f"\n{size / 1e6:.0f} MB")
    plain = tmp_path_factory.mktemp("plain") / "runs"
    _script("make", str(plain), str(RUNS), str(LABELS))
    found = {"parse": Cost(min(_script("parse", str(plain))["ms"] for _ in range(TIMES)), 0)}
    _spent(many, "results", "--label", "label-07")  # makes the ledger's index
    for name, arguments in COMMANDS.items():
        folder = plain if name == PLAIN else many
        start, whole = _best(few, *arguments), _best(folder, *arguments)
        found[name] = Cost(whole.ms - start.ms, whole.peak_mb)
        print(f"  {name}: start {start.ms:.0f} ms, beyond {found[name].ms:.0f} ms, ", end="")
        print(f"peak {whole.peak_mb:.0f} MB")
    print(f"  json of all runs: {found['parse'].ms:.0f} ms")
    return found


def test_a_label_costs_a_fifth_of_parsing_everything(figures: dict[str, Cost]) -> None:
    """Its runs are found by where they are stored, its rows by the ledger's index."""
    assert figures["results --label"].ms * 5 <= figures["parse"].ms
    assert figures["triage --label"].ms * 4 <= figures["parse"].ms
    assert figures["compare"].ms * 4 <= figures["parse"].ms


def test_everything_costs_no_more_than_parsing_it(figures: dict[str, Cost]) -> None:
    """Turns are passed over, not built."""
    assert figures[PLAIN].ms <= figures["parse"].ms * 1.1


def test_memory_does_not_grow_with_the_runs(figures: dict[str, Cost]) -> None:
    """Conversations are read one at a time."""
    assert {name: cost.peak_mb for name, cost in figures.items() if cost.peak_mb >= 80} == {}


def test_a_report_of_a_label_costs_what_the_label_costs(figures: dict[str, Cost]) -> None:
    """And not what there is beside it."""
    for form in ("json", "html"):
        assert figures[f"report {form} --label"].ms * 5 <= figures[f"report {form}"].ms


def test_a_page_costs_less_than_four_times_parsing(figures: dict[str, Cost]) -> None:
    """Every run is read twice, once for its totals and once for its conversation, and written once."""
    assert figures["report html"].ms <= figures["parse"].ms * 3.6
