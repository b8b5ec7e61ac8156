"""Plugins, packs, hooks and schedulers of others may do anything; a sweep stays honest about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.commands import events, ledger, write_pack, write_plugin, wt

PLUGINS = {
    "its creation exits": "def __init__(self): raise SystemExit(0)",
    "reading build raises": "build = property(lambda self: 1 / 0)",
    "reading build exits": "build = property(lambda self: exit(0))",
    "reading max_concurrency raises": "max_concurrency = property(lambda self: 1 / 0)",
    "max_concurrency has no repr": "max_concurrency = type('N', (), {'__repr__': None})()",
    "reading lock_key raises": "lock_key = property(lambda self: 1 / 0)",
    "lock_key exits": "def lock_key(self, name): raise SystemExit(0)",
    "lock_key is no function": "lock_key = 5",
    "what lock_key raises has no text": (
        "def lock_key(self, name): raise type('E', (Exception,), {'__str__': lambda e: 1 / 0})()"
    ),
}


def _class(body: str) -> str:
    Path("mine.py").write_text(
        "from windtunnel.runtimes.in_memory import InMemoryRuntime\n\n\n"
        "class Mine:\n"
        "    def build(self, name, label, soul): return InMemoryRuntime(['ok'])\n\n"
        f"    {body}\n"
    )
    return "mine.py:Mine"


@pytest.mark.parametrize("what", PLUGINS)
def test_a_plugin_that_cannot_be_asked_is_refused(what: str) -> None:
    """One line that names it, exit 2, and nothing was written."""
    ran = wt("run", "--pack-source", write_pack(), "--runtime", _class(PLUGINS[what]))
    assert ran.code == 2
    assert "mine.py:Mine" in ran.err
    assert "defect" not in ran.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    "body",
    [
        "model_label = property(lambda self: 1 / 0)",
        "def model_label(self, name): raise SystemExit(0)",
        "def model_label(self, name): return type('L', (), {'__str__': lambda l: 1 / 0})()",
        "artifact_fingerprint = property(lambda self: 1 / 0)",
        "def artifact_fingerprint(self, name): raise SystemExit(0)",
    ],
)
def test_a_plugin_that_does_not_know_its_agent_is_only_noted(body: str) -> None:
    """An unknown model or version is recorded as unknown; the sweep runs."""
    source = write_pack(scenarios=[("one", "ok", [])])
    ran = wt("run", "--pack-source", source, "--runtime", _class(body))
    assert ran.code == 0
    assert "note: " in ran.err
    assert "ZeroDivisionError" in ran.err or "it called exit(0)" in ran.err
    assert len(ledger()) == 1


@pytest.mark.parametrize("place", ["build", "provision", "reset", "send"])
def test_an_exit_in_a_driver_is_never_a_success(place: str) -> None:
    """`exit(0)` would otherwise be the exit code of a sweep in which nothing was tested."""
    source = write_pack(scenarios=[("one", "ok", [])])
    ran = wt("run", "--pack-source", source, "--runtime", write_plugin(**{place: "exit(0)"}))
    assert ran.code in {1, 2}
    assert "exit(0)" in ran.err + ran.out
    assert "defect" not in ran.err
    assert events()[-1]["event"] == "sweep_finished"


def test_an_exit_in_a_pack_is_never_a_success() -> None:
    """A function that makes a pack is code of its author's."""
    Path("exits.py").write_text("def make():\n    raise SystemExit(0)\n")
    ran = wt("run", "--pack-source", "exits.py:make")
    assert ran.code == 2
    assert "it called exit(0)" in ran.err


PACKS = {
    "ScenarioPack(name=5)": "its name must be a non-blank string, got 5",
    "ScenarioPack(name=' ')": "its name must be a non-blank string",
    "ScenarioPack(name='p', owner=5)": "its owner must be a string or None, got 5",
    "ScenarioPack(name='p', scenarios=5)": "its scenarios must be a list, got int",
    "ScenarioPack(name='p', scenarios=(s for s in [ONE]))": "must be a list, got generator",
    "ScenarioPack(name='p', scenarios=['one'])": "scenarios[0] must be a Scenario, got str",
    "ScenarioPack(name='p', scenarios=[changed('name', 5)])": "the name of scenarios[0] must be",
    "ScenarioPack(name='p', scenarios=[changed('gate_layers', ['x'])])": "unknown gate layers",
    "type('P', (), {'__call__': lambda self: 5})()": "expected a ScenarioPack",
}


@pytest.mark.parametrize("made", PACKS)
def test_a_pack_of_the_wrong_shape_is_refused_by_what_is_wrong(made: str) -> None:
    """Its author made a slip; it is no defect of ours."""
    Path("shape.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n\n"
        "ONE = Scenario(name='one', prompt='say it', target_facts=[['ok']])\n\n\n"
        "def changed(name, value):\n    setattr(ONE, name, value)\n    return ONE\n\n\n"
        f"PACK = {made}\n"
    )
    ran = wt("run", "--pack-source", "shape.py:PACK")
    assert ran.code == 2
    assert "--pack-source 'shape.py:PACK'" in ran.err
    assert PACKS[made] in ran.err
    assert "defect" not in ran.err
    assert not Path("runs").exists()


SCHEDULERS = """
import threading
from windtunnel.spi import Scheduler


class Background(Scheduler):
    def execute(self, jobs, stop):
        for job in jobs:
            threading.Thread(target=job).start()


class Deaf(Scheduler):
    def execute(self, jobs, stop):
        for job in jobs:
            try:
                job()
            except BaseException:
                pass


class Broken(Scheduler):
    def execute(self, jobs, stop):
        raise ValueError("no plan")
"""


def test_a_scheduler_that_does_not_wait_is_waited_for() -> None:
    """Its jobs count, and the sweep ends after them."""
    Path("mine.py").write_text(SCHEDULERS)
    ran = wt("run", "--pack-source", write_pack(), "--scheduler", "mine.py:Background")
    assert ran.code == 1
    assert {row["verdict"] for row in ledger()} == {"PASS", "FAIL"}
    assert events()[-1]["event"] == "sweep_finished"
    assert events()[-1]["completed"] == 2


def test_a_scheduler_that_hears_no_failure_cannot_hide_one() -> None:
    """Runs that cannot be stored end the sweep with exit 1, whatever became of the exception."""
    Path("mine.py").write_text(SCHEDULERS)
    Path("runs").mkdir()
    Path("runs/one").write_text("in the way of every trace")
    source = write_pack(scenarios=[("one", "ok", []), ("two", "ok", [])])
    ran = wt("run", "--pack-source", source, "--scheduler", "mine.py:Deaf")
    assert ran.code == 1
    assert "could not write run" in ran.err
    assert ledger() == []


def test_a_scheduler_that_raises_is_named() -> None:
    """It is the scheduler's failure, not a defect of ours."""
    Path("mine.py").write_text(SCHEDULERS)
    ran = wt("run", "--pack-source", write_pack(), "--scheduler", "mine.py:Broken")
    assert ran.code == 1
    assert "the custom scheduler failed: ValueError: no plan" in ran.err
    assert "defect" not in ran.err


def test_what_a_plugin_says_about_itself_is_judged_after_the_selection() -> None:
    """A name that matches nothing is refused first: nothing of the runtime matters then."""
    ran = wt(
        *("run", "--pack-source", write_pack(), "--scenario", "nosuch"),
        *("--runtime", write_plugin(max_concurrency="0")),
    )
    assert ran.code == 2
    assert "unknown scenario(s): nosuch" in ran.err
    assert "max_concurrency" not in ran.err
