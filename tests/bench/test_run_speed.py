"""What one whole `wt run` costs: `python -m pytest -m bench tests/bench/test_run_speed.py -s`.

A focused in_memory sweep in a small git repository, and the hooks that every commit and push wait
for, beside a bare interpreter and beside the libraries that no shorter way leads around.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def ms() -> dict[str, float]:
    """The median of each command, in milliseconds."""
    script = Path(__file__).with_name("run_cost.py")
    done = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
    figures: dict[str, dict[str, float]] = json.loads(done.stdout)
    for name, value in figures.items():
        print(f"\n{name}: median {value['median']:.0f} ms, minimum {value['min']:.0f} ms", end="")
    return {name: value["median"] for name, value in figures.items()}


def test_a_whole_run(ms: dict[str, float]) -> None:
    """From the start of the process to its end, notes included."""
    assert ms["run"] <= 4 * ms["imports"]


@pytest.mark.parametrize("hook", ["hook_post_commit", "hook_pre_push"])
def test_a_hook(ms: dict[str, float], hook: str) -> None:
    """A commit and a push that is covered wait for it."""
    assert ms[hook] <= 2.5 * ms["imports"]
