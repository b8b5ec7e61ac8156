"""What scoring again costs: `python -m pytest -m bench tests/bench/test_rescore_speed.py -s`.

500 and 5,000 traces of about 8 KB, each time in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
FEW, MANY = 500, 5_000
MOST_SECONDS = 12.0
MOST_GROWTH = 1.3
PACK = """
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack(name="bench", scenarios=[
    Scenario(name=f"scenario_{n}", prompt="x", target_facts=[["warehouse"]]) for n in range(7)])
"""


MEASURED = """
import sys, time
from pathlib import Path
from wt_git.cli import main

main(sys.argv[1:])
# Not ru_maxrss, which a process takes over from the one that started it.
peak = next(line for line in Path("/proc/self/status").read_text().split("\\n") if "VmHWM" in line)
print(time.process_time(), peak.split()[1], file=sys.stderr)
"""


def _cost(arguments: Sequence[str]) -> tuple[float, int]:
    """Seconds of processor time and kilobytes of memory at its peak that `wt rescore` takes."""
    with Path("out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, "rescore", *arguments],
            check=True,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    seconds, kilobytes = done.stderr.split()
    return float(seconds), int(kilobytes)


@pytest.mark.parametrize("more", [(), ("--json",), ("--write",)], ids=["look", "json", "write"])
def test_many_traces_are_quick_and_take_no_more_memory(more: tuple[str, ...]) -> None:
    """The document too is written as it is made."""
    Path("pack.py").write_text(PACK)
    maker = Path(__file__).with_name("results_cost.py")
    found = {}
    for runs in (FEW, MANY):
        folder = f"runs-{runs}"
        subprocess.run(
            [sys.executable, str(maker), "make", folder, str(runs), "5", "0"],
            check=True,
            capture_output=True,
        )
        found[runs] = _cost(["--runs", folder, "--pack-source", "pack.py:PACK", *more])
        print(f"{runs} traces: {found[runs][0]:.2f} s, {found[runs][1] / 1024:.0f} MB")
    if "--json" in more:
        assert json.loads(Path("out").read_text())["summary"]["traces"] == MANY
    assert found[MANY][0] < MOST_SECONDS
    assert found[MANY][1] < found[FEW][1] * MOST_GROWTH
