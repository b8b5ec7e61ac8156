"""What a snapshot costs: `python -m pytest -m bench tests/bench/test_snapshot_speed.py -s`.

100,000 files, beside what git takes for the same and what it takes to look at every file at all.
Measured in a process of its own, since the tests' sealing looks at every file that is opened.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
FILES = 100_000


@pytest.fixture(scope="module")
def ms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """Figures in milliseconds, by situation."""
    script = Path(__file__).with_name("snapshot_cost.py")
    folder = str(tmp_path_factory.mktemp("speed"))
    done = subprocess.run(
        [sys.executable, str(script), str(FILES), folder],
        check=True,
        capture_output=True,
        text=True,
    )
    figures: dict[str, dict[str, float]] = json.loads(done.stdout)
    for situation, values in figures.items():
        said = ", ".join(f"{name} {value:.0f} ms" for name, value in values.items())
        print(f"\n{situation}: {said}", end="")
    return figures


def test_with_some_changes_it_is_no_slower_than_git(ms: dict[str, dict[str, float]]) -> None:
    """20 files changed, 20 new: against add and write-tree, and against looking at every file."""
    changed = ms["changed"]
    assert changed["snapshot"] <= changed["add_and_write_tree"]
    assert changed["snapshot"] <= 1.5 * changed["scan"]


def test_the_first_one_costs_little_more(ms: dict[str, dict[str, float]]) -> None:
    """Nothing is remembered yet: the copy of the index is made, and its flags are looked up."""
    cold = ms["cold"]
    assert cold["snapshot_cold"] <= 1.25 * cold["add_and_write_tree"]
    assert cold["snapshot_cold"] <= 1.5 * cold["scan"]


def test_with_nothing_changed_it_is_about_a_status(ms: dict[str, dict[str, float]]) -> None:
    """Which is the least that anybody can do."""
    assert ms["clean"]["snapshot"] <= 1.5 * ms["clean"]["status"]


def test_a_runs_directory_that_nobody_ignored_costs_nothing(
    ms: dict[str, dict[str, float]],
) -> None:
    """5,000 traces in it."""
    assert ms["runs"]["with_runs"] <= ms["runs"]["without_runs"] + 10


def test_touched_files_are_hashed_once(ms: dict[str, dict[str, float]]) -> None:
    """All of them touched, none changed."""
    assert ms["touched"]["snapshot"] <= ms["touched"]["status"] / 2
