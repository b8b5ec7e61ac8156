"""What notes cost: `python -m pytest -m bench tests/bench/test_notes_speed.py -s`.

With 100,000 notes present, packed as git leaves them. Measured in a process of its own, since the
tests' sealing looks at every file that is opened.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
KEYS = 100_000


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """Milliseconds by action."""
    script = Path(__file__).with_name("notes_cost.py")
    done = subprocess.run(
        [sys.executable, str(script), str(KEYS), str(tmp_path_factory.mktemp("notes"))],
        check=True,
        capture_output=True,
        text=True,
        # With these set git is asked who we are, which is not what people have.
        env={name: value for name, value in os.environ.items() if "GIT_CONFIG" not in name},
    )
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    for action, values in found.items():
        said = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        print(f"\n{action}: {said}", end="")
    return found


def test_a_sweep_is_noted_within_ten_milliseconds(figures: dict[str, dict[str, float]]) -> None:
    """Its lines under two trees and its text under a commit, as one notes commit."""
    assert figures["write"]["best"] <= 10


@pytest.mark.parametrize("action", ["look up", "look up nothing", "look up a text"])
def test_a_look_up_takes_at_most_a_millisecond(
    figures: dict[str, dict[str, float]], action: str
) -> None:
    """From the refs on, with what was fetched read beside the live ref."""
    assert figures[action]["best"] <= 1
