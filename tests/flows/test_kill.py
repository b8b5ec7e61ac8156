"""Whatever ends a sweep, and whenever: what was finished is whole and on disk."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kit.commands import (
    DECLARED,
    WT,
    events,
    experiments,
    ledger,
    start_wt,
    traces,
    whole_lines,
    write_pack,
    write_plugin,
    wt,
)

SCENARIOS = [(f"scenario-{number}", "ok", []) for number in range(6)]
RUNS = 5


def _until(what: Any, timeout_s: float = 20) -> None:
    limit = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < limit, "it never happened"
        time.sleep(0.002)


def _check_whole(runs: Path) -> tuple[int, int]:
    """Check every file of a killed sweep; return how many runs and rows there are."""
    found = traces(runs)
    ids = set()
    for path in found:
        ids.add(json.loads(path.read_text())["run_id"])
        sidecar = path.with_name(path.stem + ".score.json")
        if sidecar.exists():
            assert json.loads(sidecar.read_text())["windtunnel_score"] == 2
    for name in ("ledger.ndjsonl", "experiments.ndjsonl", "events.ndjsonl"):
        whole_lines(runs / name)
    rows = ledger(runs)
    for row in rows:
        assert len(row["run_ids"]) == row["runs"] == RUNS
        assert set(row["run_ids"]) <= ids
    finished = [e for e in events(runs) if e["event"] == "run_finished"]
    for event in finished:
        path = Path(event["trace"])
        assert path.exists()
        assert path.with_name(path.stem + ".score.json").exists()
    return len(finished), len(rows)


FEW, MANY = (
    [0, 4, 9, 16, 27],
    [0, 4, 9, 16, 27, *random.Random(20261129).choices(range(31), k=35)],
)


@pytest.mark.parametrize("moments", [FEW, pytest.param(MANY, marks=pytest.mark.thorough)], ids=len)
def test_sigkill_at_any_moment_leaves_only_whole_files_and_every_finished_run(
    moments: list[int],
) -> None:
    """Killed at moments across its life: nothing is half-written, nothing finished is lost.

    A moment is how many runs were answered. A run is finished when its event is there. The plugin
    also notes, outside of the bench's files, every run that was answered; all but the one in flight
    must be on disk.
    """
    source = write_pack(scenarios=SCENARIOS)
    runtime = write_plugin(
        send="open('answered', 'ab', 0).write(b'x'); time.sleep(0.002)",
        provision="open('answered', 'ab', 0).close()",
    )
    randomness = random.Random(20261129)
    seen = set()
    for attempt, moment in enumerate(moments):
        runs = Path(f"runs{attempt}")
        answered = Path("answered")
        answered.unlink(missing_ok=True)
        process = start_wt(
            *("run", "--pack-source", source, "--runtime", runtime, "--runs", str(RUNS)),
            *("--runs-dir", str(runs)),
        )
        _until(
            lambda: (
                process.poll() is not None  # noqa: B023
                or (answered.exists() and answered.stat().st_size >= moment)  # noqa: B023
            )
        )
        time.sleep(randomness.uniform(0, 0.004))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        on_disk, rows = _check_whole(runs)
        assert on_disk >= answered.stat().st_size - 1
        assert rows >= (on_disk // RUNS) - 1
        seen.add(rows)
    assert len(seen) > 3, "the kills did not fall on different moments"


def test_the_next_sweep_goes_on_after_a_killed_one() -> None:
    """Also when the kill left a torn line: it spoils only itself."""
    source = write_pack(scenarios=SCENARIOS[:1])
    assert wt("run", "--pack-source", source).code == 0
    with Path("runs/ledger.ndjsonl").open("ab") as stream:
        stream.write(b'{"torn": ')
    assert wt("run", "--pack-source", source, *DECLARED).code == 0
    lines = Path("runs/ledger.ndjsonl").read_bytes().split(b"\n")
    assert lines[1] == b'{"torn": '
    assert json.loads(lines[0])["scenario_id"] == json.loads(lines[2])["scenario_id"]


SLOW = "open('in_flight', 'w').close(); time.sleep(0.6)"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_one_signal_ends_the_sweep_after_the_run_in_flight(number: int, code: int) -> None:
    """That run is finished and recorded, its row says interrupted, post_run is still called."""
    source = write_pack(scenarios=SCENARIOS)
    runtime = write_plugin(
        send=SLOW, more="def post_run(self, *args): open('cleaned', 'w').close()"
    )
    process = start_wt("run", "--pack-source", source, "--runtime", runtime, "--runs", "3")
    _until(Path("in_flight").exists)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert "ending after the runs in flight" in err
    (row,) = ledger()
    assert (row["runs"], row["verdict"]) == (1, "PASS")
    assert row["experiment"]["interrupted"] is True
    assert len(traces()) == 1
    assert "(1/1 pass" in out
    assert Path("cleaned").exists()
    assert (events()[-1]["status"], events()[-1]["exit_code"]) == ("interrupted", code)
    (record,) = experiments()
    assert (record["status"], record["outcome"]) == ("interrupted", "fail")
    assert record["not_started"] == [name for name, _, _ in SCENARIOS[1:]]


def test_an_interrupted_concurrent_sweep_finishes_what_is_in_flight() -> None:
    """Every job that was running writes its row; those not started never do."""
    source = write_pack(scenarios=SCENARIOS)
    runtime = write_plugin(send="open('in_flight', 'ab', 0).write(b'x'); time.sleep(0.6)")
    process = start_wt(
        *("run", "--pack-source", source, "--runtime", runtime, "--runs", "2"),
        *("--scheduler", "concurrent", "--max-concurrency", "3"),
    )
    flying = Path("in_flight")
    _until(lambda: flying.exists() and flying.stat().st_size == 3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert [(row["runs"], row["experiment"]["interrupted"]) for row in ledger()] == [(1, True)] * 3


def test_a_second_signal_ends_it_at_once() -> None:
    """Also when the agent in flight never answers; what was finished before is kept."""
    source = write_pack(scenarios=SCENARIOS[:2])
    runtime = write_plugin()
    Path("plugin.py").write_text(
        Path("plugin.py").read_text() + "\n\ncount = 0\ndef send(self, messages, session_id):\n"
        "    global count\n    count += 1\n"
        "    if count > 1:\n        open('in_flight', 'w').close()\n        time.sleep(600)\n"
        "    return {'content': 'ok'}\nHandle.send = send\n"
    )
    process = start_wt("run", "--pack-source", source, "--runtime", runtime)
    _until(Path("in_flight").exists)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=5)
    assert process.returncode == 130
    assert "ended at once" in err
    assert len(ledger()) == 1


def test_a_signal_while_waiting_for_the_runtime_leaves_the_queue() -> None:
    """A sweep that never got its turn has nothing to finish."""
    source = write_pack(scenarios=SCENARIOS[:1])
    runtime = write_plugin(
        send="open('in_flight', 'w').close(); time.sleep(30)", max_concurrency="1"
    )
    first = start_wt("run", "--pack-source", source, "--runtime", runtime)
    try:
        _until(Path("in_flight").exists)
        second = start_wt(
            *("run", "--pack-source", source, "--runtime", runtime, "--runs-dir", "second")
        )
        _until(
            lambda: (
                any(e["event"] == "lock_waiting" for e in events("second"))
                if Path("second/events.ndjsonl").exists()
                else False
            )
        )
        second.send_signal(signal.SIGINT)
        _, err = second.communicate(timeout=10)
        assert second.returncode == 130
        assert "is in use, held by pid" in err
        assert events("second")[-1]["status"] == "interrupted"
        busy = wt("run", "--pack-source", source, "--runtime", runtime, "--no-wait")
        assert busy.code == 75
        assert "--no-wait" in busy.err
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()


DISK = """
mkdir disk && mount -t tmpfs -o size=48k none disk && cp -r kept/. disk/ 2>/dev/null
{wt} run --pack-source pack.py:PACK --runs 200 --runs-dir disk >out 2>err
echo $? >code
cp -r disk/. after
"""


@pytest.mark.skipif(
    subprocess.run(
        ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"],
        check=False,
        capture_output=True,
    ).returncode
    != 0,
    reason="this system lets nobody mount a small disk of their own",
)
def test_a_disk_that_fills_up_ends_the_sweep_with_a_clear_message() -> None:
    """Every finished run is whole; the one that did not fit leaves nothing behind."""
    write_pack(scenarios=SCENARIOS)
    for name in ("kept", "after"):
        Path(name).mkdir()
    script = DISK.format(wt=" ".join(WT))
    subprocess.run(["unshare", "-Urm", "sh", "-c", script], check=True, timeout=60)
    err = Path("err").read_text()
    assert Path("code").read_text().strip() == "1"
    assert "No space left on device" in err
    assert "Traceback" not in err
    after = Path("after")
    assert traces(after)
    for path in after.rglob("*.json"):
        json.loads(path.read_text())
    assert not list(after.rglob("*.tmp"))
    for line in (after / "events.ndjsonl").read_text().split("\n"):
        assert not line or json.loads(line)


def test_a_ledger_that_cannot_be_written_is_the_last_word_and_exit_1() -> None:
    """Evidence that is lost must not look like a pass."""
    Path("runs").mkdir()
    Path("runs/ledger.ndjsonl").write_bytes((b" " * 1023 + b"\n") * 1024)
    source = write_pack(scenarios=SCENARIOS[:1])
    # No file may grow beyond a megabyte (in blocks of 512 bytes), and the ledger is as large as that.
    script = f"ulimit -f 2048; exec {shlex.join(WT)} run --pack-source {source}"
    ran = subprocess.run(["sh", "-c", script], check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "(1/1 pass" in ran.stdout
    assert "could not write ledger row" in ran.stderr.splitlines()[-1]


def test_events_that_cannot_be_written_are_said_once_and_stop_nothing() -> None:
    """They are progress, not a record."""
    Path("runs").mkdir()
    Path("runs/events.ndjsonl").symlink_to("/dev/full")
    ran = wt("run", "--pack-source", write_pack(scenarios=SCENARIOS), "--runs", "3")
    assert ran.code == 0
    assert ran.err.count("progress events are lost") == 1
    assert len(ledger()) == len(SCENARIOS)


def test_python_is_the_interpreter_that_runs_the_tests() -> None:
    """The kill tests speak about this program, not about an installed one."""
    assert WT[0] == sys.executable
