"""What the bench itself costs: `python -m pytest -m bench tests/bench -s`.

Each figure stands beside its floor, measured in the same minute on the same machine, since only
the ratio travels between machines. What is measured runs in processes of its own: the tests'
sealing looks at every file that is opened, which would be most of the figure.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.bench


def _measured(what: str) -> dict[str, float]:
    script = Path(__file__).with_name("sweep_cost.py")
    done = subprocess.run(
        [sys.executable, str(script), what], check=True, capture_output=True, text=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def test_overhead_of_a_run() -> None:
    """35 scenarios x 50 runs on in_memory: at most 0.2 ms a run beside the scoring."""
    us = _measured("overhead")
    print(
        f"\noverhead {us['overhead']:.0f} us a run; scoring {us['scoring']:.0f} us; "
        f"writing the two files alone {us['floor']:.0f} us"
    )
    assert us["overhead"] <= 200


def test_a_run_costs_the_same_whatever_is_on_disk() -> None:
    """1,000 files against 100,000 in the same runs directory."""
    us = _measured("growth")
    print(f"\n{us['few']:.0f} us a run over 1,000 files, {us['many']:.0f} us over 100,000")
    assert us["many"] <= us["few"] * 1.3


def _best_s(command: list[str], times: int = 15) -> float:
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - began)
    return best


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        (["wt", "--help"], 4),
        (["wt", "--version"], 4),
        ([sys.executable, "-c", "import windtunnel.api"], 5),
    ],
    ids=["help", "version", "import"],
)
def test_start_up(command: list[str], limit: float) -> None:
    """Against the start of a bare interpreter."""
    if command[0] == "wt":
        command = [str(Path(sys.executable).with_name("wt")), *command[1:]]
    bare = _best_s([sys.executable, "-c", "pass"])
    taken = _best_s(command)
    print(f"\n{taken * 1e3:.1f} ms, {taken / bare:.1f} x a bare interpreter ({bare * 1e3:.1f} ms)")
    assert taken <= limit * bare
