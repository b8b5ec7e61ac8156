"""Source is loaded as it stands, however soon after an edit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

LOAD = """
from wt_git.plugins.loading import load, parse_source
print(load(parse_source({source!r}), "pack").value)
"""


def write_at(path: str, text: str, moment: int) -> None:
    """Write a file, and what Python compiled of it, as if all had happened in one second."""
    Path(path).write_text(text)
    os.utime(path, (moment, moment))


def said(code: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack and what it imports, each compiled and then edited, all within one second."""
    monkeypatch.chdir(tmp_path)
    moment = int(time.time()) - 100
    Path("part").mkdir()
    sources = {"pack.py": "from part.facts import FACT\nPACK = f'{FACT} in %s'\n"}
    sources["part/facts.py"] = "FACT = '%s'\n"
    for path, text in sources.items():
        write_at(path, text % "old", moment)
    assert said("import pack; print(pack.PACK)") == "old in old"
    for path, text in sources.items():
        write_at(path, text % "new", moment)
    for compiled in Path().rglob("*.pyc"):
        os.utime(compiled, (moment, moment))


@pytest.mark.parametrize("source", ["pack.py:PACK", "pack:PACK"])
@pytest.mark.usefixtures("edited")
def test_an_edit_within_a_second_is_what_is_loaded(source: str) -> None:
    """Python alone would run the code from before it."""
    assert said("import pack; print(pack.PACK)") == "old in old"
    assert said(LOAD.format(source=source)) == "new in new"
    # What was compiled then is believed by everybody from the next second on.
    assert said("import pack; print(pack.PACK)") == "new in new"


def test_what_was_compiled_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second after the edit on; a large agent is not compiled at every start."""
    monkeypatch.chdir(tmp_path)
    write_at("pack.py", "PACK = 'first'\n", int(time.time()) - 100)
    load = LOAD.format(source="pack:PACK")
    assert said(load) == "first"
    (compiled,) = Path().rglob("*.pyc")
    before = compiled.stat().st_mtime_ns
    assert said(load) == "first"
    assert compiled.stat().st_mtime_ns == before
