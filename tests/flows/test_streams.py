"""Whoever reads the output of `wt` may go away, and may read in any encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.commands import WT, events, ledger, write_pack, wt_process

RUN = [*WT, "run", "--pack-source", "pack.py:PACK"]


def _shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run `command`, in which $WT_RUN is a sweep of three scenarios, one of which fails."""
    write_pack(scenarios=[("one", "ok", []), ("two", "absent", []), ("three", "ok", [])])
    quoted = " ".join(f"'{word}'" for word in RUN)
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command.replace('$WT_RUN', quoted)}"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ),
    )


@pytest.mark.parametrize(
    "command",
    [
        "$WT_RUN | true",
        "$WT_RUN 2>&1 | true",
        "$WT_RUN >&-",
        "$WT_RUN 2>&-",
        "$WT_RUN <&- >&- 2>&-",
        "$WT_RUN >/dev/full",
        "$WT_RUN 2>/dev/full",
        "$WT_RUN >/dev/full 2>/dev/full",
    ],
)
def test_a_sweep_whose_reader_is_gone_still_runs_to_its_end(command: str) -> None:
    """The evidence is in files: all of it is there, and the exit code is the verdict's."""
    done = _shell(command)
    assert done.returncode == 1
    assert [row["verdict"] for row in ledger()] == ["PASS", "FAIL", "PASS"]
    assert events()[-1]["status"] == "completed"
    assert "defect" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_sweep_says_that_its_verdicts_can_not_be_printed() -> None:
    """Once, and where they are instead."""
    done = _shell("$WT_RUN >/dev/full")
    assert done.stderr.count("stdout cannot be written to any more") == 1
    assert "its verdicts are in 'runs'" in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["nosuch"], ["run", "-h"]])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_stream_that_is_missing_from_the_start_is_no_defect(
    arguments: list[str], closed: str
) -> None:
    """As under a supervisor that gives none: the exit code is the same."""
    usual = wt_process(*arguments).code
    words = " ".join(f"'{word}'" for word in [*WT, *arguments])
    done = subprocess.run(
        ["bash", "-c", f"{words} {closed}"], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == usual
    assert "defect" not in done.stderr


def test_a_reader_of_help_that_stops_reading_is_left_in_peace() -> None:
    """As in `wt run --help | head -1`: nothing is printed about it."""
    done = _shell(f"'{sys.executable}' -m wt_git run --help | true")
    assert done.returncode == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=str,
)
def test_no_locale_makes_a_scenario_fail(locale: dict[str, str]) -> None:
    """What the encoding of a terminal lacks is escaped; files are UTF-8 all the same."""
    name = "größe 漢 \ud800"
    source = write_pack("wide.py", scenarios=[(name, "ok", [])])
    ran = wt_process("run", "--pack-source", source, env=locale)
    assert ran.code == 0
    assert "PASS    gr" in ran.out
    assert "ud800" in ran.out
    [row] = ledger()
    assert row["scenario_id"].startswith("größe 漢")
    assert "größe 漢" in Path("runs/ledger.ndjsonl").read_text("utf-8")


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-", ">/dev/full 2>/dev/full"])
def test_asking_wrongly_is_two_whoever_listens(redirection: str) -> None:
    """The exit code is what a script reads."""
    command = f"{sys.executable} -m wt_git results --no-such-option {redirection}"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


def test_what_was_pasted_is_shown_inert_when_it_is_refused() -> None:
    """A name may hold what recolours a terminal, or a line that looks like one of ours."""
    ran = wt_process("results", "a\x1b[31m\u202e\nwt run: PASS\n::error::done")
    assert (ran.code, ran.out) == (2, "")
    assert r"(a\x1b[31m\u202e\nwt run: PASS\n::error::done)" in ran.err.splitlines()[-1]
