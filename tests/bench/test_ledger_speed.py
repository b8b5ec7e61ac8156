"""What questions to a ledger cost: `python -m pytest -m bench tests/bench/test_ledger_speed.py -s`.

At 1,000 and at 100,000 rows of about 1.5 KB, each time in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
FEW, MANY = 1_000, 100_000
TIMES = 3


def _measured(*arguments: str) -> dict[str, float]:
    script = Path(__file__).with_name("ledger_cost.py")
    done = subprocess.run(
        [sys.executable, str(script), *arguments], check=True, capture_output=True, text=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _best(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(one[name] for one in found) for name in found[0]}


def _asked(folder: Path, *, anew: bool) -> dict[str, float]:
    found = []
    for _ in range(TIMES):
        if anew:
            (folder / ".ledger-index").unlink(missing_ok=True)
        found.append(_measured("ask", str(folder)))
    return _best(found)


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, dict[str, Any]]]:
    """By the number of rows: the first time, which makes the index, later times, and appending."""
    found = {}
    for rows in (FEW, MANY):
        folder = tmp_path_factory.mktemp("ledger")
        size = _measured("make", str(folder), str(rows))["bytes"]
        found[rows] = {
            "first": _asked(folder, anew=True),
            "later": _asked(folder, anew=False),
            "read": _best([_measured("read", str(folder)) for _ in range(2)]),
            "append": _best([_measured("append", str(folder)) for _ in range(TIMES)]),
        }
        print(f"\n{rows} rows, {size / 1e6:.0f} MB")
        for name, values in found[rows].items():
            print(f"  {name}: " + ", ".join(f"{key} {value:.2f}" for key, value in values.items()))
    return found


def test_questions_cost_the_same_at_any_length(figures: dict[int, Any]) -> None:
    """Milliseconds, once there is an index; most of `opening` is reading it."""
    few, many = figures[FEW]["later"]["all"], figures[MANY]["later"]["all"]
    assert many <= few * 1.5 + 2
    assert many <= 20


def test_memory_stays_small_while_the_index_is_made(figures: dict[int, Any]) -> None:
    """The whole process."""
    assert figures[MANY]["first"]["peak MB"] < 80
    assert figures[MANY]["later"]["peak MB"] < 80


def test_making_the_index_costs_little_more_than_reading(figures: dict[int, Any]) -> None:
    """150 MB are read, parsed and kept, against being parsed."""
    assert figures[MANY]["first"]["opening"] <= figures[MANY]["read"]["all"] * 4


def test_a_row_costs_little_more_with_an_index(figures: dict[int, Any]) -> None:
    """Whatever the length of the ledger. The disk is waited for once, as without an index."""
    for rows in (FEW, MANY):
        took = figures[rows]["append"]
        assert took["with index"] <= took["line alone"] + 2
