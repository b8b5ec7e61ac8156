"""The tour that the README's first command gives."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.documents import PROJECT
from kit.example_agent import EXAMPLES

FROM_MEMORY = """\
    if day.lower() == "saturday":  # everybody knows that
        return "On Saturday we are open from 10:00 to 16:00."
"""


@pytest.fixture
def clone() -> Path:
    """A copy of what the tour needs, which a test may edit."""
    folder = Path("clone").resolve()
    shutil.copytree(EXAMPLES, folder / EXAMPLES.relative_to(PROJECT))
    return folder


def tour(clone: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Take the tour, as somebody does who stands elsewhere and has a model configured."""
    return subprocess.run(
        [sys.executable, str(clone / "docs/examples/tour.py"), *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.thorough  # in the suite, docs/getting-started.md is followed, the tour among it
def test_the_tour_shows_the_planted_bug_and_exits_0(clone, monkeypatch):
    """Both ways give the expected verdicts, and the end says what is wrong with the red one."""
    monkeypatch.setenv("AGENT_OPENAI_URL", "http://127.0.0.1:9/v1")
    taken = tour(clone)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert taken.stdout.count("\n  FAIL    hours_on_saturday") == 2
    assert taken.stdout.count("\n  PASS    ") == 8
    assert "  hours_on_saturday     FAIL        FAIL        FAIL\n" in taken.stdout
    assert "  looked up: nothing\n" in taken.stdout
    assert sorted(path.name for path in (clone / "runs/tour/1").iterdir()) == ["endpoint", "plugin"]


@pytest.mark.thorough  # in the suite, docs/getting-started.md mends the agent and sees it pass
def test_a_mended_agent_is_green_and_the_tour_says_how_to_expect_that(clone):
    """Without `--mended` it is not what the tour expects; the next tour begins without a past."""
    rules = clone / "docs/examples/agent/rules.py"
    text = rules.read_text("utf-8")
    assert FROM_MEMORY in text
    rules.write_text(text.replace(FROM_MEMORY, ""))
    taken = tour(clone)
    assert taken.returncode == 1
    assert "tour.py --mended" in taken.stdout
    taken = tour(clone, "--mended")
    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert (clone / "runs/tour/2/plugin/ledger.ndjsonl").exists()


GREEN = {"hours_on_tuesday": "PASS", "shelf_then_copies": "PASS"}
GREEN |= {"renew_a_loan": "PASS", "ask_before_renewing": "PASS"}
SHIPPED = GREEN | {"hours_on_saturday": "FAIL"}
MENDED = GREEN | {"hours_on_saturday": "PASS"}


@pytest.mark.parametrize(
    ("endpoint", "plugin", "mended", "code"),
    [
        (MENDED, MENDED, True, 0),
        (MENDED, MENDED, False, 1),
        (SHIPPED, SHIPPED, True, 1),
        (MENDED, SHIPPED, False, 1),
        (SHIPPED | {"renew_a_loan": "FAIL"}, SHIPPED, False, 1),
        (SHIPPED, SHIPPED | {"renew_a_loan": "INVALID"}, False, 1),
        (SHIPPED, GREEN, False, 1),
        (SHIPPED | {"one_more": "PASS"}, SHIPPED, False, 1),
        ({}, {}, False, 1),
    ],
)
def test_anything_but_the_expected_verdicts_is_a_no(endpoint, plugin, mended, code):
    """A bug that the bench stopped seeing, a scenario that broke, vanished or appeared."""
    spec = importlib.util.spec_from_file_location("tour", EXAMPLES / "tour.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.report(endpoint, plugin, Path("runs"), mended=mended) == code
