"""Completion as people meet it: real shells on a terminal, and the TAB key."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.experiment_lines import finished, sweep_id
from kit.terminals import put_wt_on_path, shell

from wt_git.files import append_line, json_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.terminals import Terminal

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(params=SHELLS)
def name(request: pytest.FixtureRequest) -> str:
    """A shell that is installed here."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """That shell, with completion set up, beside a runs directory with two sweeps."""
    put_wt_on_path(Path("bin"), monkeypatch)
    for number, label in enumerate(("candidate", "my label: `$x`", "odd\x1b[31m"), 1):
        save_sweep(number, label)
    Path("notes and more").mkdir()
    Path("notes and more/desk.txt").touch()
    with shell(name) as started:
        yield started


def save_sweep(number: int, label: str) -> None:
    Path("runs").mkdir(exist_ok=True)
    record = finished(number, label=label)
    append_line(Path("runs/experiments.ndjsonl"), json_line(record), durable=False)


LINES = [
    ("wt tri\t", "<triage><end>"),
    ("wt triage --scen\tx", "<triage><--scenario><x><end>"),
    ("wt triage --label can\t", "<triage><--label><candidate><end>"),
    ("wt triage --label=can\t", "<triage><--label=candidate><end>"),
    ("wt triage --label my\t", "<triage><--label><my label: `$x`><end>"),
    ("wt triage --label 'my\t", "<triage><--label><my label: `$x`><end>"),
    ("wt triage --label=my\t", "<triage><--label=my label: `$x`><end>"),
    ("wt watch --sweep 0\t", f"<watch><--sweep><{sweep_id(1)[:11]}"),
    ("wt review 000000000001\t", f"<review><{sweep_id(1)}><end>"),
    ("wt run --expect f\t--runs 2", "<run><--expect><fail><--runs><2><end>"),
    ("wt run --soul no\tde\t", "<run><--soul><notes and more/desk.txt><end>"),
    ("wt run --soul=no\tde\t", "<run><--soul=notes and more/desk.txt><end>"),
    ("wt notes sh\t", "<notes><show><end>"),
    ("true; ./bin/wt tri\t", "<triage><end>"),
]


def test_what_tab_makes_of_a_line(terminal: Terminal) -> None:
    """The program gets each word whole, whatever is in it."""
    wrong = []
    for typed, called in LINES:
        expected = called.replace("<end>", "") if typed.endswith("'my\t") else called
        terminal.type(f"{typed}\r")
        try:
            terminal.expect(expected)
        except AssertionError as error:
            wrong.append((typed, str(error)))
        terminal.type("\x03\r")  # whatever is left open
        terminal.expect("%")
    assert wrong == []


def test_what_may_follow_is_listed(terminal: Terminal) -> None:
    """Commands with what they do, where the shell shows that; a second TAB asks for the list."""
    terminal.type("wt re\t\t")
    for command in ("rescore", "results", "review"):  # in the order that each shell likes
        terminal.expect(command)
