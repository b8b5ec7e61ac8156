"""`wt watch` in one process follows `wt run` in another."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.commands import DECLARED, WT, events, start_wt, write_pack, write_plugin, wt
from kit.watching import append, started, sweep, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RUN = ("run", "--pack-source", "pack.py:PACK", "--label", "round")
GATED = "open('in_flight', 'w').close()\n        while not __import__('os').path.exists('go'): time.sleep(0.01)"


@pytest.fixture(autouse=True)
def pack() -> None:
    """A scenario that passes and one that fails, on an agent that answers once `go` exists."""
    write_pack()
    write_plugin("gated.py", send=GATED)


@pytest.fixture
def begin() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start processes that do not outlive the test."""
    begun: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        begun.append(start_wt(*arguments))
        return begun[-1]

    yield start
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def until(what: Callable[[], Any]) -> None:
    limit = time.monotonic() + 30
    while not what():
        assert time.monotonic() < limit, "it never happened"
        time.sleep(0.01)


def heard(process: subprocess.Popen[str], words: str) -> str:
    """Read what the process says on stderr until it says `words`."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it ended without saying {words!r}")


def follow_command(err: str) -> list[str]:
    """The command that `wt run` printed, as a shell would read it."""
    found = re.search(r"follow with: (wt watch .*)", err)
    assert found is not None
    return shlex.split(found[1])[1:]


def test_the_command_that_a_sweep_prints_replays_it_and_ends_as_it_did() -> None:
    """It can be pasted as it is, also where the folder's name needs quotes."""
    ran = wt(*RUN, "--runs", "2", "--runs-dir", "my runs")
    assert ran.code == 1
    command = follow_command(ran.err)
    assert command[:3] == ["watch", "--runs", "my runs"]
    seen = wt(*command)
    assert (seen.code, seen.err) == (1, "")
    id_ = command[-1]
    assert [re.sub(r"\d+\.\d+s", "_s", line[9:]) for line in seen.out.splitlines()] == [
        f"sweep {id_} started: label round, runtime in_memory, 2 scenario(s) x 2 run(s)",
        "passes run 1/2 started",
        "passes run 1/2 PASS (_s)",
        "passes run 2/2 started",
        "passes run 2/2 PASS (_s)",
        "passes PASS 2/2 pass",
        "fails run 1/2 started",
        "fails run 1/2 FAIL (_s) failed: outcome",
        "fails run 2/2 started",
        "fails run 2/2 FAIL (_s) failed: outcome",
        "fails FAIL 0/2 pass",
        f"sweep {id_} finished: exit 1 (completed; 2/2 scenario(s), 0 error(s))",
    ]


def test_json_is_the_lines_of_the_file() -> None:
    """As they stand there, one a line."""
    ran = wt(*RUN)
    seen = wt(*follow_command(ran.err), "--json")
    assert seen.out == Path("runs/events.ndjsonl").read_text("utf-8")


def test_a_watch_that_comes_first_waits_for_the_sweep(begin: Callable[..., Any]) -> None:
    """Also for the directory; it ends with the sweep, and its code."""
    watching = begin("watch", "--label", "round", "--poll", "0.05")
    heard(watching, "waiting for a sweep of label 'round'")
    assert wt(*RUN, "--scenario", "passes").code == 0
    out, _ = watching.communicate(timeout=30)
    assert watching.returncode == 0
    assert "passes PASS 1/1 pass" in out


@pytest.mark.parametrize("by", ["label", "sweep"])
def test_a_watch_that_comes_while_it_runs_sees_all_of_it(begin: Callable[..., Any], by) -> None:
    """The beginning too, and the end when it comes."""
    begin(*RUN, "--runtime", "gated.py:PLUGIN")
    until(Path("in_flight").exists)
    known = {"label": "round", "sweep": events()[0]["sweep_id"]}
    watching = begin("watch", f"--{by}", known[by], "--poll", "0.05")
    assert "started: label round" in watching.stdout.readline()
    assert "run 1/1 started" in watching.stdout.readline()
    Path("go").touch()
    out, err = watching.communicate(timeout=30)
    assert watching.returncode == 1
    assert (len(out.splitlines()), err) == (6, "")


def test_a_watch_that_comes_after_finds_a_sweep_that_started_just_now() -> None:
    """So `wt run & wt watch` never misses a quick one."""
    assert wt(*RUN, "--scenario", "passes").code == 0
    seen = wt("watch", "--label", "round", "--timeout", "30")
    assert seen.code == 0
    assert "finished: exit 0" in seen.out


def test_a_sweep_that_is_killed_ends_the_watch_with_1(begin: Callable[..., Any]) -> None:
    """Nothing will ever come from it; also when whoever started it has not noticed."""
    running = begin(*RUN, "--runtime", "gated.py:PLUGIN")
    until(Path("in_flight").exists)
    watching = begin("watch", "--label", "round", "--poll", "0.05")
    assert "started" in watching.stdout.readline()
    os.killpg(running.pid, signal.SIGKILL)
    _, err = watching.communicate(timeout=30)
    assert watching.returncode == 1
    assert f"exited without finishing: its process, pid {running.pid}, is gone" in err
    late = wt("watch", "--sweep", events()[0]["sweep_id"], "--poll", "0.05")
    assert late.code == 1
    assert "exited without finishing" in late.err


def test_a_signal_that_ends_a_sweep_ends_its_watch_with_the_same_code(
    begin: Callable[..., Any],
) -> None:
    """130 is a verdict too."""
    running = begin(*RUN, "--runtime", "gated.py:PLUGIN")
    until(Path("in_flight").exists)
    watching = begin("watch", "--label", "round", "--poll", "0.05")
    running.send_signal(signal.SIGINT)
    heard(running, "ending after the runs in flight")
    Path("go").touch()
    out, _ = watching.communicate(timeout=30)
    assert watching.returncode == 130
    assert "finished: exit 130 (interrupted; 1/2 scenario(s), 0 error(s))" in out


def test_two_sweeps_of_one_label_are_told_apart(begin: Callable[..., Any]) -> None:
    """Each watch shows one, from its first event to its last."""
    first = begin(*RUN, "--runtime", "gated.py:PLUGIN", "--scenario", "fails")
    until(Path("in_flight").exists)
    by_label = begin("watch", "--label", "round", "--poll", "0.05")
    assert "started" in by_label.stdout.readline()
    second = wt(*RUN, "--scenario", "passes", *DECLARED)
    assert wt(*follow_command(second.err)).code == 0
    Path("go").touch()
    out, _ = by_label.communicate(timeout=30)
    assert first.wait(timeout=30) == 1
    assert by_label.returncode == 1
    assert "passes" not in out


def test_a_sweep_in_the_queue_is_followed(begin: Callable[..., Any]) -> None:
    """What it waits for is shown."""
    write_plugin("gated.py", send=GATED, max_concurrency="1")
    first = begin(*RUN, "--runtime", "gated.py:PLUGIN", "--runs-dir", "first")
    until(Path("in_flight").exists)
    begin(*RUN, "--runtime", "gated.py:PLUGIN", "--scenario", "passes")
    watching = begin("watch", "--label", "round", "--poll", "0.05")
    lines = iter(watching.stdout.readline, "")
    assert any(f"waiting for runtime 'gated.py:PLUGIN' held by pid {first.pid}" in x for x in lines)
    Path("go").touch()
    out, _ = watching.communicate(timeout=60)
    assert watching.returncode == 0
    assert "acquired runtime 'gated.py:PLUGIN' after" in out


def test_time_runs_out_with_124(begin: Callable[..., Any]) -> None:
    """What is said depends on whether the sweep was there."""
    begin(*RUN, "--runtime", "gated.py:PLUGIN")
    until(Path("in_flight").exists)
    still = wt("watch", "--label", "round", "--timeout", "0.3")
    assert still.code == 124
    assert "timed out after 0.3s" in still.err
    assert "still running" in still.err
    absent = wt("watch", "--sweep", "0123456789ab", "--timeout", "0.3")
    assert absent.code == 124
    first, last = absent.err.splitlines()
    assert "no sweep '0123456789ab' is recorded in 'runs'" in first
    assert "still running" not in last
    none = wt("watch", "--label", "another", "--timeout", "0.3")
    assert "waiting for a sweep of label 'another'" in none.err
    assert "no sweep started" in none.err


def test_an_empty_label_is_what_a_sweep_makes_of_it() -> None:
    """`wt run --label ''` records its default."""
    assert (
        wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes", "--label", "").code == 0
    )
    assert wt("watch", "--label", "", "--timeout", "30").code == 0


@pytest.mark.parametrize("redirected", ["", " 2>&1"])
def test_a_reader_that_goes_away_ends_the_watch_quietly(redirected: str) -> None:
    """At once, although the next event may be hours away."""
    append(text_of([started("aaaa")]))
    words = shlex.join([*WT, "watch", "--sweep", "aaaa"])
    done = subprocess.run(
        ["bash", "-c", f"{words}{redirected} | head -n 1; echo ${{PIPESTATUS[0]}}"],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    shown, code = done.stdout.splitlines()
    assert "sweep aaaa started" in shown
    assert (code, done.stderr) == ("1", "")


def test_ctrl_c_ends_a_watch_quietly(begin: Callable[..., Any]) -> None:
    """The sweep goes on."""
    watching = begin("watch", "--poll", "30")
    heard(watching, "waiting for a sweep")
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=10)
    assert (watching.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--poll", "0"], "must be greater than 0"),
        (["--timeout", "nan"], "must be greater than 0"),
        (["--timeout", "inf"], "must be greater than 0"),
        (["--timeout", "soon"], "expected a number"),
        (["extra"], "unexpected extra argument"),
    ],
)
def test_what_is_asked_wrongly_is_a_2(arguments: list[str], said: str) -> None:
    """Nothing is waited for."""
    ran = wt("watch", *arguments)
    assert ran.code == 2
    assert said in ran.err


def test_hostile_text_moves_no_cursor() -> None:
    """In lines and in the events themselves, which mean the same."""
    evil = "\x1b[2J\u202e\u009b"
    there = sweep("aaaa", runtime=evil)
    append("".join(json.dumps(e, ensure_ascii=False) + "\n" for e in there).encode())
    for more in ([], ["--json"]):
        seen = wt("watch", "--sweep", "aaaa", *more)
        assert seen.code == 0
        assert not set("\x1b\u202e\u009b") & set(seen.out)
    assert json.loads(seen.out.splitlines()[0]) == there[0]


def test_nothing_is_written() -> None:
    """Not even the runs directory."""
    assert wt("watch", "--timeout", "0.1", "--runs", "absent").code == 124
    assert not Path("absent").exists()
