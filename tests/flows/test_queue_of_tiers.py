"""Twelve `wt run` of all tiers want one runtime; some are killed, some stand still."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from kit.commands import WT, events, ledger, write_pack, wt
from kit.traces import a_trace, assistant, user

from wt_git.api.trace import save_trace

# Writes down who gets the runtime, and whether somebody else still has it; works until told to end.
PLUGIN = """
import fcntl
import os
import time


def write_down(line):
    with open("visits", "a") as stream:
        stream.write(line + "\\n")


class Handle:
    def __init__(self, label):
        self.label = label

    def send(self, messages, session_id):
        while not os.path.exists("end-" + self.label):
            time.sleep(0.02)
        return {"content": "ok"}

    def reset_state(self):
        pass

    def teardown(self):
        pass


class Runtime:
    accepts_runner_managed_mcps = False

    def __init__(self, label):
        self.label = label

    def provision(self, config, mcps=None):
        return Handle(self.label)


class Plugin:
    max_concurrency = 1

    def lock_key(self, runtime_name):
        return "bench"

    def build(self, runtime_name, label, soul_path):
        self.inside = open("inside", "a")
        try:
            fcntl.flock(self.inside, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            write_down("two at once")
        write_down(label)
        return Runtime(label)

    def post_run(self, *_sweep):
        self.inside.close()


PLUGIN = Plugin()
"""
TIERS = ("probe", "focused", "regression")
SELECTING = {
    "probe": ("--from-trace", "passes.json"),
    "focused": ("--scenario", "passes"),
    "regression": (),
}


class Sweep:
    """A `wt run` in a process of its own that has reached the runtime or its queue."""

    def __init__(self, tier: str, number: int) -> None:
        self.rank = (TIERS.index(tier), number)
        self.tier = tier
        self.label = f"{tier}-{number}"
        with Path(f"{self.label}.err").open("w") as stderr:
            self.process = subprocess.Popen(
                [*WT, *COMMON, "--label", self.label, "--runs-dir", self.label, *SELECTING[tier]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        self.pid = self.process.pid

    def said(self) -> str:
        return Path(f"{self.label}.err").read_text()

    def waits(self) -> bool:
        """Whether it has its place; fails when it ended before."""
        assert self.process.poll() is None, self.said()
        return any(event["event"] == "lock_waiting" for event in events(self.label))

    def is_inside(self) -> bool:
        assert self.process.poll() is None, self.said()
        return visits()[-1:] == [self.label]

    def end(self) -> None:
        Path(f"end-{self.label}").touch()
        assert self.process.wait() == 0, self.said()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


COMMON = ("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN")


def visits() -> list[str]:
    path = Path("visits")
    return path.read_text().splitlines() if path.exists() else []


def _wait_for(condition) -> None:
    """Wait until `condition` holds; the suite's timeout ends a wait that is in vain."""
    while not condition():
        time.sleep(0.02)


@pytest.fixture
def start():
    """Start sweeps that are killed when the test ends."""
    write_pack(scenarios=[("passes", "ok", []), ("passes_too", "ok", [])])
    Path("plugin.py").write_text(PLUGIN)
    save_trace(a_trace(user(), assistant(), user(), scenario_id="passes"), "passes.json")
    with contextlib.ExitStack() as stack:

        def started(tier: str, number: int) -> Sweep:
            sweep = Sweep(tier, number)
            stack.callback(sweep.kill)
            return sweep

        yield started


def test_sweeps_of_all_tiers_take_turns(start) -> None:
    """Probes, then focused sweeps, then regressions, each tier by arrival, never two at once.

    Three die: two in the queue, one while it holds the runtime. Two stand still until they are
    first; meanwhile nobody passes them, and the others and a newcomer are told who it is.
    """
    first = start("regression", 0)
    _wait_for(first.is_inside)
    tiers = [tier for tier in TIERS for _ in range(4)]
    random.shuffle(tiers)
    sweeps = []
    for number, tier in enumerate(tiers, 1):
        sweeps.append(start(tier, number))
        _wait_for(sweeps[-1].waits)
        assert f"is in use, held by pid {first.pid} " in sweeps[-1].said()
        place = sorted(sweeps, key=lambda sweep: sweep.rank).index(sweeps[-1])
        said = f"; place {place + 1} in the queue, first pid " if place else "; next in the queue"
        assert said in sweeps[-1].said()
    fates = random.sample(sweeps, 5)
    for sweep in fates[:2]:
        sweep.kill()
    for sweep in fates[2:4]:
        sweep.process.send_signal(signal.SIGSTOP)
    killed_inside = fates[4]
    order = sorted((sweep for sweep in sweeps if sweep not in fates[:2]), key=lambda s: s.rank)
    first.end()
    for place, sweep in enumerate(order):
        if sweep in fates[2:4]:
            _is_waited_for(sweep, [s for s in order[place + 1 :] if s not in fates[2:4]])
            sweep.process.send_signal(signal.SIGCONT)
        _wait_for(sweep.is_inside)
        if sweep is killed_inside:
            sweep.kill()
        else:
            sweep.end()
    assert visits() == [sweep.label for sweep in (first, *order)]
    for sweep in order:
        tiers_found = {row["experiment"]["tier"] for row in ledger(sweep.label)}
        assert tiers_found == (set() if sweep is killed_inside else {sweep.tier})


def _is_waited_for(sweep: Sweep, behind: list[Sweep]) -> None:
    """All behind name it, and a newcomer that will not wait goes away from a free runtime."""
    complaint = f": pid {sweep.pid} ({sweep.rank[0]}-"
    for other in behind:
        _wait_for(lambda other=other: complaint in other.said())
        assert "perhaps it is stopped" in other.said()
    newcomer = wt(*COMMON, "--no-wait", "--runs-dir", "newcomer", *SELECTING["probe"])
    assert newcomer.code == 75
    assert f"in the queue, first pid {sweep.pid} (" in newcomer.err
    assert ledger("newcomer") == []
