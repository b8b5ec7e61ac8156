"""`wt validate`: what can be imported, what is suspicious, and what is neither."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kit.commands import WT, wt
from kit.conversations import envelope, message, response, said, text, write_envelope


@pytest.fixture
def good():
    return write_envelope(envelope(), "good.json")


@pytest.fixture
def suspicious():
    document = envelope(said("user", "[REDACTED]"), message("tool", response("c9")))
    return write_envelope(document, "suspicious.json")


@pytest.fixture
def bad():
    return write_envelope(envelope(message("user", text(3))), "bad.json")


def test_files_are_checked_in_order_and_findings_follow_their_file(good, suspicious, bad):
    """One line each on stdout, and nothing on stderr."""
    Path("broken.json").write_text("{")
    ran = wt("validate", bad, suspicious, "broken.json", good)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        "INVALID bad.json: messages[0].parts[0].content must be a string, got 3\n"
        "OK suspicious.json\n"
        "WARN suspicious.json: messages[0].parts[0] (text) contains '[redacted]'\n"
        "WARN suspicious.json: messages[1].parts[0] (tool_call_response 'c9') has no matching"
        " tool_call in the message stream\n"
        "INVALID broken.json: invalid JSON: Expecting property name enclosed in double quotes:"
        " line 1 column 2 (char 1)\n"
        "OK good.json\n"
    )


def test_warnings_pass_unless_they_are_asked_to_count(good, suspicious):
    """`--strict` is for exporters that want to be clean."""
    assert wt("validate", good, suspicious).code == 0
    strict = wt("validate", "--strict", good, suspicious)
    assert strict.code == 1
    assert strict.out == wt("validate", good, suspicious).out
    assert wt("validate", "--strict", good).code == 0


def test_every_missing_file_is_named_and_nothing_is_checked(good, bad):
    """A mistyped name must not look like a clean bill; a folder is no file."""
    Path("folder").mkdir()
    missing = [f"missing-{number}.json" for number in range(7)]
    ran = wt("validate", good, *missing, bad, "folder")
    assert (ran.code, ran.out) == (2, "")
    assert all(f"'{name}'" in ran.err for name in (*missing, "folder"))
    assert "bad.json" not in ran.err


def test_without_files_it_is_asked_wrongly():
    """Usage, exit 2."""
    ran = wt("validate")
    assert (ran.code, ran.out) == (2, "")
    assert "Missing argument" in ran.err


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[" * 200_000, b"NaN", b"1"])
def test_whatever_a_file_holds_there_is_one_line_about_it(data):
    """No stack, and a newline in it forges no second line."""
    Path("x.json").write_bytes(data)
    ran = wt("validate", "x.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("INVALID x.json: ")
    assert ran.out.count("\n") == 1


def test_a_file_that_may_not_be_read_is_not_valid(good):
    """The others are checked nevertheless."""
    Path("locked.json").write_text("{}")
    Path("locked.json").chmod(0)
    if os.access("locked.json", os.R_OK):
        pytest.skip("this user may read everything")
    ran = wt("validate", "locked.json", good)
    assert ran.code == 1
    assert ran.out == "INVALID locked.json: it cannot be read: Permission denied\nOK good.json\n"


def test_foreign_text_forges_no_line(good):
    """Neither a file's name nor what is in it."""
    document = envelope(message("tool", response("x'\nOK forged.json\x1b[2J")))
    odd = write_envelope(document, "odd\nOK too.json")
    ran = wt("validate", odd, good)
    assert ran.code == 0
    assert [line.split(" ")[0] for line in ran.out.split("\n")] == ["OK", "WARN", "OK", ""]
    assert "\x1b" not in ran.out


def test_a_pipe_can_be_checked(good):
    """As a shell's `<(…)` makes one."""
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(WT)} validate <(cat {good})"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("OK /dev/fd/")
