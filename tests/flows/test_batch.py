"""`wt batch`: a list of sweeps, checked before the first one runs."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest
from kit.commands import WT, Ran, events, ledger, start_wt, write_pack, write_plugin, wt
from kit.python_forks import forking_programs

SOURCE = "--pack-source pack.py:PACK"
ASKED = '--question "does it?" --expect pass'
PASSES, FAILS = f"{SOURCE} --scenario passes", f"{SOURCE} --scenario fails"


@pytest.fixture(autouse=True)
def pack() -> None:
    """A scenario that passes and one that fails."""
    write_pack()


def batch(*lines: str, more: tuple[str, ...] = ()) -> Ran:
    """Run a list of these lines, each in a process that is forked."""
    write_list(*lines)
    with mock.patch.object(sys, "executable", str(forking_programs("hooks") / "python")):
        return wt("batch", "rounds.txt", *more)


def write_list(*lines: str) -> None:
    Path("rounds.txt").write_text("".join(f"{line}\n" for line in lines))


def refused(ran: Ran, *problems: str) -> None:
    """Check that these are the problems, and that nothing has run or been written."""
    assert ran.code == 2
    assert ran.out == ""
    said = [line for line in ran.err.splitlines() if line.startswith("wt batch: ")]
    assert "no spec was run" in said.pop()
    assert len(said) == len(problems), ran.err
    for line, problem in zip(said, problems, strict=True):
        assert problem in line
    assert not Path("runs").exists()


def test_every_line_is_a_sweep_of_its_own_in_order() -> None:
    """Own id, events and rows; a failing one does not stop the next; the highest code wins."""
    ran = batch(
        "# first the one that works",
        f"{PASSES} --label one#1  # stable?",
        "",
        f'wt run {FAILS} --label "two words" {ASKED}',
        f"run {PASSES} --label three {ASKED} --runs 2",
    )
    assert ran.code == 1
    assert [row["label"] for row in ledger()] == ["one#1", "two words", "three"]
    assert [row["runs"] for row in ledger()] == [1, 1, 2]
    assert len({event["sweep_id"] for event in events()}) == 3
    assert len({e["pid"] for e in events() if e["event"] == "sweep_started"}) == 3
    said = ran.err.splitlines()
    headers = [line for line in said if line.startswith("wt batch: [")]
    assert headers[0] == f"wt batch: [1/3] rounds.txt:2: {PASSES} --label one#1  # stable?"
    assert headers[2].startswith("wt batch: [3/3] rounds.txt:5: run ")
    assert said[-4:] == [
        "wt batch: 3 spec(s) finished:",
        "  line 2    label one#1      exit 0",
        "  line 4    label two words  exit 1",
        "  line 5    label three      exit 0",
    ]
    assert [line.split()[0] for line in ran.out.splitlines()] == ["PASS", "FAIL", "PASS"]


def test_standard_input_is_a_list_too() -> None:
    """`-` stands for it."""
    done = subprocess.run(
        [*WT, "batch", "-"], check=False, capture_output=True, text=True, input=f"{PASSES}\n"
    )
    assert done.returncode == 0
    assert f"[1/1] <stdin>:1: {PASSES}" in done.stderr


def test_options_of_the_batch_are_defaults() -> None:
    """What a line says itself wins."""
    ran = batch(
        PASSES,
        f"{PASSES} --runs-dir own --scheduler sequential",
        more=("--runs-dir", "all", "--scheduler", "concurrent", "--max-concurrency", "2"),
    )
    assert ran.code == 0
    for place, scheduler in (("all", "concurrent"), ("own", "sequential")):
        assert events(place)[0]["scheduler"] == scheduler
    assert not Path("runs").exists()


def test_a_refused_regression_is_a_2_and_the_next_one_runs() -> None:
    """What is earned is decided when its turn comes."""
    Path(".gitignore").write_text("*\n")
    ran = batch(SOURCE, f"{SOURCE} {ASKED}", f"{PASSES} {ASKED}")
    assert ran.code == 2
    assert "refusing a regression sweep" in ran.err
    assert [row["scenario_id"] for row in ledger()] == ["passes", "fails", "passes"]


def test_a_list_may_earn_its_own_regression() -> None:
    """Focused first, then all."""
    Path(".gitignore").write_text("*\n")
    write_pack(scenarios=[("passes", "ok", []), ("too", "ok", [])])
    ran = batch(SOURCE, f"{PASSES} {ASKED}", f"{SOURCE} {ASKED}")
    assert ran.code == 0, ran.err
    assert len(ledger()) == 5


def test_code_that_is_edited_meanwhile_is_loaded_as_it_is_then() -> None:
    """What a row says was under test is what flew."""
    edit = "open('pack.py', 'a').write('PACK.scenarios.reverse()\\n')"
    plugin = write_plugin(send=edit)
    ran = batch(f"{PASSES} --runtime {plugin}", f"{SOURCE} --runs-dir other")
    assert ran.code == 1
    assert [row["scenario_id"] for row in ledger("other")] == ["fails", "passes"]


def test_every_slip_is_named_before_anything_runs() -> None:
    """All of them at once, by file and line."""
    refused(
        batch(
            PASSES,
            "--runs many",
            "--runs 0",
            '--label "x',
            "--nonsense",
            f"{PASSES} --help",
            "extra",
            f"{PASSES} --runs-dir other --format json",
            f"{SOURCE} --scenario passed --runs-dir other",
            f"--runtime in_memry {PASSES} --runs-dir other",
            "--pack-source absent.py:PACK --runs-dir other",
            f"{PASSES} --soul absent.md --runs-dir other",
            f"{PASSES} --agents absent.md --runs-dir other",
            f"{PASSES} --from-trace absent.json --runs-dir other",
            f"{PASSES} --budget 1000 --runs-dir other",
            f"{PASSES} --scheduler fastest --runs-dir other",
            f"{PASSES} --hook absent --runs-dir other",
            f"{PASSES} --max-cost 1 --runs-dir other",
            f"{PASSES} --runs-dir pack.py",
            f"{PASSES} --runs-dir other --format json --out pack.py",
        ),
        "rounds.txt:2: Invalid value for '--runs': expected an integer",
        "rounds.txt:3: Invalid value for '--runs': must be at least 1",
        "rounds.txt:4: No closing quotation",
        "rounds.txt:5: No such option '--nonsense'",
        "rounds.txt:6: --help runs nothing",
        "rounds.txt:7: Got unexpected extra argument (extra)",
        "rounds.txt:8: --format and --out must be provided together",
        "rounds.txt:9: unknown scenario(s): passed",
        "rounds.txt:10: needs --question and --expect: 'other' will have history from line 9",
        "rounds.txt:10: unknown runtime 'in_memry'",
        "rounds.txt:11: needs --question",
        "rounds.txt:11: could not load scenario pack source",
        "rounds.txt:12: needs --question",
        "rounds.txt:12: --soul file not found",
        "rounds.txt:13: needs --question",
        "rounds.txt:13: --agents file not found",
        "rounds.txt:14: needs --question",
        "rounds.txt:14: cannot load --from-trace",
        "rounds.txt:15: needs --question",
        "rounds.txt:15: --budget 1000 exceeds",
        "rounds.txt:16: needs --question",
        "rounds.txt:16: unknown scheduler 'fastest'",
        "rounds.txt:17: needs --question",
        "rounds.txt:17: unknown hook 'absent'",
        "rounds.txt:18: needs --question",
        "rounds.txt:18: ",
        "rounds.txt:19: cannot write to the runs directory 'pack.py'",
        "rounds.txt:20: needs --question",
        "rounds.txt:20: --out 'pack.py'",
    )
    assert not Path("other").exists()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (PASSES, 'has history; add --question "…" --expect pass'),
        (f"{PASSES} --question '  ' --expect pass", 'has history; add --question "…"'),
        (f"{PASSES} --question why", "has history; add --expect pass"),
    ],
)
def test_a_directory_with_history_wants_to_know_what_for(line: str, problem: str) -> None:
    """As `wt run` does, but for all lines before the first."""
    assert wt("run", *shlex.split(PASSES)).code == 0
    before = Path("runs/ledger.ndjsonl").read_bytes()
    ran = batch(f"{PASSES} {ASKED}", line)
    assert ran.code == 2
    assert f"wt batch: rounds.txt:2: needs --question and --expect: 'runs' {problem}" in ran.err
    assert Path("runs/ledger.ndjsonl").read_bytes() == before


def test_one_directory_is_known_by_all_its_names() -> None:
    """Also through a link."""
    Path("link").symlink_to("runs")
    refused(
        batch(PASSES, f"{PASSES} --runs-dir ./x/../runs", f"{PASSES} --runs-dir link"),
        "'x/../runs' will have history from line 1",
        "'link' will have history from line 1",
    )


def test_a_forecast_makes_no_history() -> None:
    """So what follows it may still be the first."""
    assert batch(f"{PASSES} --dry-run", PASSES).code == 0


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n  # comments\n"])
def test_a_list_of_nothing_is_refused(text: str) -> None:
    """It is most likely the wrong file."""
    Path("rounds.txt").write_text(text)
    ran = wt("batch", "rounds.txt")
    assert ran.code == 2
    assert "contains no run specs" in ran.err


def test_a_file_that_cannot_be_read_is_refused() -> None:
    """Missing, a folder, or no text."""
    Path("binary").write_bytes(b"\xff\xfe\x00")
    for name in ("absent", ".", "binary"):
        ran = wt("batch", name)
        assert ran.code == 2
        assert "cannot read" in ran.err
        assert "Traceback" not in ran.err


def test_a_busy_runtime_beats_a_refusal_and_a_failure() -> None:
    """75 says that the same list may work later."""
    runtime = write_plugin(
        send="open('in_flight', 'w').close(); time.sleep(60)", max_concurrency="1"
    )
    holder = start_wt("run", *shlex.split(PASSES), "--runtime", runtime, "--runs-dir", "held")
    try:
        _until(Path("in_flight").exists)
        ran = batch(FAILS, f"{PASSES} --runtime {runtime} {ASKED}", more=("--no-wait",))
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.communicate()
    assert ran.code == 75
    assert "exit 1" in ran.err
    assert "exit 75" in ran.err


def test_a_sweep_that_is_killed_does_not_stop_the_next() -> None:
    """Its code is what a shell makes of the signal."""
    runtime = write_plugin(send="import os; os.kill(os.getpid(), 9)")
    write_list(f"{PASSES} --runtime {runtime}", f"{PASSES} {ASKED}")
    ran = wt("batch", "rounds.txt")
    assert ran.code == 137
    assert [row["verdict"] for row in ledger()] == ["PASS"]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["SIGINT", "SIGTERM", "SIGHUP"],
)
def test_a_signal_ends_the_list_after_the_run_in_flight(number: int, code: int) -> None:
    """That run is recorded, the lines that never began are named."""
    runtime = write_plugin(send="open('in_flight', 'w').close(); time.sleep(0.7)")
    Path("rounds.txt").write_text(
        f"{PASSES} --runtime {runtime} --runs 9\n{PASSES} {ASKED}\n{FAILS} {ASKED}\n"
    )
    running = start_wt("batch", "rounds.txt")
    _until(Path("in_flight").exists)
    running.send_signal(number)
    _, err = running.communicate(timeout=30)
    assert running.returncode == code
    [row] = ledger()
    assert (row["runs"], row["experiment"]["interrupted"]) == (1, True)
    assert "1 spec(s) finished:" in err
    assert "not started: line 2, 3" in err


def test_ctrl_c_in_a_terminal_reaches_the_sweep_once() -> None:
    """It goes to the whole group there; twice would end the sweep without its run in flight."""
    runtime = write_plugin(send="open('in_flight', 'w').close(); time.sleep(0.7)")
    Path("rounds.txt").write_text(f"{PASSES} --runtime {runtime} --runs 9\n")
    running = start_wt("batch", "rounds.txt")
    _until(Path("in_flight").exists)
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=30)
    assert running.returncode == 130
    assert len(ledger()) == 1


def test_a_second_signal_ends_it_now() -> None:
    """Also when the agent never answers."""
    runtime = write_plugin(send="open('in_flight', 'w').close(); time.sleep(600)")
    Path("rounds.txt").write_text(f"{PASSES} --runtime {runtime}\n")
    running = start_wt("batch", "rounds.txt")
    _until(Path("in_flight").exists)
    running.send_signal(signal.SIGINT)
    assert running.stderr is not None
    for line in running.stderr:
        if "ending after the runs in flight" in line:
            break
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=30)
    assert running.returncode == 130


def test_the_program_that_runs_a_line_is_this_one() -> None:
    """Not another `wt` of the PATH."""
    assert batch(PASSES, more=()).code == 0
    assert WT[0] == sys.executable
    assert wt("batch", "rounds.txt", "--runs-dir", "o", env={"PATH": "/nonexistent"}).code == 0


def _until(what) -> None:
    limit = time.monotonic() + 30
    while not what():
        assert time.monotonic() < limit, "it never happened"
        time.sleep(0.01)
