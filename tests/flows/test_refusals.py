"""`wt run --json` refuses: always with one record, and with nothing else on stdout."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.commands import (
    DECLARED,
    WT,
    Ran,
    experiments,
    ledger,
    traces,
    write_pack,
    write_plugin,
    wt,
    wt_process,
)
from kit.repo import Repo, new_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BOTH = [("first", "ok", []), ("second", "ok", [])]
ALL = ("run", "--pack-source", "pack.py:PACK", *DECLARED)
FIRST = ("--scenario", "first")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a pack of two scenarios that pass, and the test in it."""
    repo = new_repo(tmp_path / "project")
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=BOTH)
    return repo


@dataclass(frozen=True, slots=True)
class Case:
    """What is typed behind `wt run --json`, what was there before, and what is told of it."""

    code: str
    arguments: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None
    exit_code: int = 2
    kinds: tuple[str, ...] = ("refused",)
    env: Mapping[str, str] = field(default_factory=dict)
    declared: bool = True

    def run(self) -> Ran:
        """Bring it about."""
        self.before()
        arguments = self.arguments if isinstance(self.arguments, tuple) else self.arguments()
        base = ALL if self.declared else ALL[: -len(DECLARED)]
        start = wt_process if "PYTHONPATH" in self.env else wt
        return start(*base, "--json", *arguments, env=dict(self.env))


def write(**files: str) -> Callable[[], None]:
    """Write files, whose names have `_dot_` for a dot and `_in_` for a folder."""

    def act() -> None:
        for name, text in files.items():
            path = Path(name.replace("_dot_", ".").replace("_in_", "/"))
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    return act


def settings(text: str) -> Callable[[], None]:
    return write(pyproject_dot_toml=text)


def plugin(**places: str) -> Callable[[], tuple[str, ...]]:
    return lambda: ("--runtime", write_plugin(**places), *FIRST)


def scheduler(body: str) -> Callable[[], None]:
    return write(
        mine_dot_py="from windtunnel.spi import Scheduler\n\n\n"
        "class Mine(Scheduler):\n    name = 'mine'\n\n"
        f"    def execute(self, jobs, stop):\n        {body}\n"
    )


def run_first() -> None:
    assert wt(*ALL, *FIRST).code == 0


def run_badly() -> None:
    """Leave a regression in which one scenario failed."""
    write_pack(scenarios=[("first", "nope", []), ("second", "ok", [])])
    assert wt(*ALL).code == 1
    write_pack(scenarios=BOTH)


def probe(*more: str) -> Callable[[], tuple[str, ...]]:
    """Name the trace of an earlier run."""

    def arguments() -> tuple[str, ...]:
        run_first()
        return ("--from-trace", str(traces()[0]), *more)

    return arguments


def without_the_pack() -> tuple[str, ...]:
    """Name the trace of an earlier run whose scenario is in no pack any more."""
    run_first()
    write_pack(name="another", scenarios=[("third", "ok", [])])
    return ("--from-trace", str(traces()[0]))


def install_hook() -> None:
    """Install a hook under a name that no file can have, in the folder `site`."""
    write(
        site_in_my_hooks_dot_py="class Hook:\n    name = 'My Hook'\n\n"
        "    def on_run_scored(self, **_): pass\n"
    )()
    info = Path("site/my_hooks-1.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-hooks\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[windtunnel.hooks]\nodd = my_hooks:Hook\n")


def break_the_repository() -> None:
    Path(".git").rename("was_git")
    Path(".git").write_text("gitdir: /nowhere/at/all\n")


def take_the_place_of(name: str) -> Callable[[], object]:
    """Put a file where the folder of a scenario's traces would be."""
    return write(**{f"runs_in_{name}": ""})


PRICES = "[tool.windtunnel.ladder]\nmax_cost = 1\n[tool.windtunnel.ladder.pricing]\n"
LAUNCHED = ("launched", "refused")
LOAD = "load-failed"
DEFECT = """
from windtunnel.api import ScenarioPack


class Mine(ScenarioPack):
    owner = property(lambda self: 1 / 0, lambda self, value: None)


PACK = Mine(name="mine", scenarios=[])
"""

CASES = {
    "an option that there is not": Case("unknown-option", ("--buget=3",), {"option": "--buget"}),
    "a value that an option does not take": Case(
        "option-value", ("--budget", "x"), {"option": "--budget"}
    ),
    "an option without its value": Case("option-misused", ("--runs",), {"option": "--runs"}),
    "a format without a file": Case("option-misused", ("--format", "json"), {"option": "--format"}),
    "a word too many": Case("usage", ("first",)),
    "a turn of no trace": Case("from-turn-alone", ("--from-turn", "1"), {"from_turn": 1}),
    "a source without an attribute": Case(
        "bad-source", ("--pack-source", "pack.py"), {"value": "pack.py"}
    ),
    "a pack that raises": Case(
        LOAD,
        ("--pack-source", "other.py:PACK"),
        {"source": "other.py:PACK", "problem": "ZeroDivisionError: division by zero"},
        write(other_dot_py="1 / 0"),
    ),
    "a pack that is none": Case(
        LOAD,
        ("--pack-source", "other.py:PACK"),
        {"what": "scenario pack", "problem": "it is a int"},
        write(other_dot_py="PACK = 5"),
    ),
    "a pack whose function raises": Case(
        LOAD,
        ("--pack-source", "other.py:PACK"),
        {"problem": "it called exit(0)"},
        write(other_dot_py="def PACK(): raise SystemExit(0)"),
    ),
    "a pack that breaks when it is asked": Case(
        "defect",
        ("--pack-source", "other.py:PACK"),
        {"error": "ZeroDivisionError"},
        write(other_dot_py=DEFECT),
        exit_code=1,
    ),
    "a plugin that is not there": Case(
        LOAD, ("--runtime", "gone.py:PLUGIN"), {"what": "runtime plugin"}
    ),
    "a plugin that is none": Case(
        LOAD,
        ("--runtime", "other.py:PLUGIN"),
        {"source": "other.py:PLUGIN"},
        write(other_dot_py="PLUGIN = 5"),
    ),
    "a scheduler that is none": Case(
        LOAD,
        ("--scheduler", "other.py:MINE", *FIRST),
        {"what": "scheduler", "problem": "it is a int"},
        write(other_dot_py="MINE = 5"),
    ),
    "two packs of one name": Case(
        "packs-inconsistent",
        ("--pack-source", "other.py:PACK"),
        before=lambda: write_pack("other.py", scenarios=BOTH),
    ),
    "a runtime that there is not": Case(
        "unknown-runtime", ("--runtime", "in_memry"), {"near": ["in_memory"]}
    ),
    "a limit that is none": Case(
        "bad-plugin", plugin(max_concurrency="0"), {"field": "max_concurrency", "value": "0"}
    ),
    "a key that is none": Case(
        "bad-plugin", plugin(more="def lock_key(self, name): return ' '"), {"field": "lock_key"}
    ),
    "a key that fails": Case(
        "bad-plugin",
        plugin(more="def lock_key(self, name): return 1 / 0"),
        {"field": "lock_key", "problem": "ZeroDivisionError: division by zero"},
    ),
    "a hook that there is not": Case("unknown-hook", ("--hook", "none"), {"known": []}),
    "a hook of a bad name": Case(
        "hook-name",
        ("--hook", "odd"),
        {"hook": "My Hook"},
        install_hook,
        env={"PYTHONPATH": "site"},
    ),
    "a scheduler that there is not": Case(
        "unknown-scheduler", ("--scheduler", "concurent", *FIRST), {"near": ["concurrent"]}
    ),
    "a scenario that there is not": Case(
        "selector-unmatched",
        ("--scenario", "frist"),
        {"unmatched": [{"option": "--scenario", "value": "frist", "near": ["first"]}]},
    ),
    "choices that exclude each other": Case(
        "nothing-selected", (*FIRST, "--pack", "tool_affordance"), {"scenarios": ["first"]}
    ),
    "a prompt that is not there": Case(
        "file-not-found", ("--soul", "gone.md"), {"option": "--soul", "path": "gone.md"}
    ),
    "a prompt that is no text": Case(
        "file-unreadable",
        ("--soul", "soul.md"),
        {"option": "--soul"},
        lambda: Path("soul.md").write_bytes(b"\xff"),
    ),
    "a document over somebody's file": Case(
        "out-not-ours", ("--format", "json", "--out", "pack.py"), {"out": "pack.py"}
    ),
    "a document where git cannot answer": Case(
        "git-failed",
        ("--format", "json", "--out", "new.json"),
        {"folder": "."},
        break_the_repository,
    ),
    "a document without a git": Case(
        "git-missing", ("--format", "json", "--out", "new.json"), env={"PATH": ""}
    ),
    "a trace that is none": Case("trace-not-loaded", ("--from-trace", "pack.py")),
    "a turn that there is not": Case(
        "turn-out-of-range", probe("--from-turn", "9"), {"user_turns": 1, "from_turn": 9}
    ),
    "a probe of another scenario": Case(
        "probe-selection", probe("--scenario", "second"), {"scenario": "first"}
    ),
    "a trace of an unknown pack's": Case(
        "selector-unmatched", without_the_pack, {"scenario": "first"}
    ),
    "a runs directory that is a file": Case(
        "runs-dir-unwritable", ("--runs-dir", "pack.py", *FIRST), {"runs_dir": "pack.py"}
    ),
    "a runs directory that is everything": Case(
        "runs-dir-hides-source", ("--runs-dir", ".", *FIRST), {"runs_dir": "."}
    ),
    "a ledger that is none": Case(
        "ledger-unreadable", FIRST, before=lambda: Path("runs/ledger.ndjsonl").mkdir(parents=True)
    ),
    "a folder of locks that is none": Case(
        "lock-folder-unusable",
        plugin(max_concurrency="1"),
        {"variable": "WT_LOCK_DIR"},
        env={"WT_LOCK_DIR": "/dev/null"},
        kinds=LAUNCHED,
    ),
    "a key of the settings that there is not": Case(
        "bad-setting",
        FIRST,
        {"table": "tool.windtunnel.ladder", "key": "focused_budget", "value": 1},
        settings("[tool.windtunnel.ladder]\nfocused_budget = 1\n"),
    ),
    "a setting that JSON has no form for": Case(
        "bad-setting",
        FIRST,
        {"key": "focused_budget_s", "value": "Infinity"},
        settings("[tool.windtunnel.ladder]\nfocused_budget_s = inf\n"),
    ),
    "settings that are no TOML": Case("settings-not-toml", FIRST, before=settings("[")),
    "settings that cannot be read": Case(
        "settings-unreadable", FIRST, before=lambda: Path("pyproject.toml").mkdir()
    ),
    "more time than the cap": Case(
        "budget-above-cap", (*FIRST, "--budget", "901"), {"budget_s": 901, "cap_s": 900}
    ),
    "a model that the tier may not use": Case(
        "model-not-allowed",
        FIRST,
        {"model": None, "allowed": ["big"]},
        settings('[tool.windtunnel.ladder.models]\nfocused = ["big"]\n'),
    ),
    "money without prices": Case(
        "max-cost-without-prices", (*FIRST, "--max-cost", "1"), {"max_cost": 1}
    ),
    "more money than the cap": Case(
        "max-cost-raised",
        (*FIRST, "--max-cost", "2"),
        {"max_cost": 2, "highest_max_cost": 1},
        settings(PRICES),
    ),
    "no question": Case("undeclared", FIRST, {"tier": "focused"}, run_first, declared=False),
    "a regression that nothing earned": Case(
        "regression-not-earned", (), {"unearned": True}, lambda: wt(*ALL)
    ),
    "a regression after a failure": Case(
        "regression-missing-evidence", (), {"tier": "regression"}, run_badly
    ),
    "a runtime that cannot be built": Case(
        "runtime-build-failed",
        plugin(build="1 / 0"),
        {"step": "build", "problem": "ZeroDivisionError: division by zero"},
        kinds=LAUNCHED,
    ),
    "a runtime that cannot be prepared": Case(
        "runtime-pre-run-failed",
        plugin(more="def pre_run(self, *_): return 1 / 0"),
        {"step": "pre_run"},
        kinds=LAUNCHED,
        exit_code=1,
    ),
    "a scheduler that raises": Case(
        "scheduler-failed",
        ("--scheduler", "mine.py:Mine", *FIRST),
        {"scheduler": "mine", "problem": "ZeroDivisionError: division by zero"},
        scheduler("1 / 0"),
        kinds=LAUNCHED,
        exit_code=1,
    ),
    "a scheduler that forgets": Case(
        "scheduler-dropped-jobs",
        ("--scheduler", "mine.py:Mine", *FIRST),
        {"dropped": ["first"]},
        scheduler("pass"),
        kinds=LAUNCHED,
        exit_code=1,
    ),
    "a run that cannot be written": Case(
        "run-unwritable",
        FIRST,
        before=take_the_place_of("first"),
        kinds=LAUNCHED,
        exit_code=1,
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_every_refusal_is_a_record(here: Repo, what: str) -> None:
    """With a stable code, facts, commands, and whether trying again can help."""
    here.commit("an agent")
    case = CASES[what]
    ran = case.run()
    assert ran.code == case.exit_code
    found = records(ran)
    assert tuple(one["kind"] for one in found) == case.kinds
    record = found[-1]
    assert (record["code"], record["retryable"]) == (case.code, False)
    assert record["facts"]
    assert {name: record["facts"][name] for name in case.facts} == case.facts
    assert all(command.startswith("wt ") for command in record["commands"])
    assert record["message"].splitlines()[0] in ran.err
    assert "Traceback" not in ran.err


def records(ran: Ran) -> list[dict[str, Any]]:
    """Return what is on stdout: every line of it is a record."""
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert all(one["windtunnel_run"] == 1 for one in found)
    return found


def test_the_commands_of_a_record_work(here: Repo) -> None:
    """A mistyped option is put right where one name comes close."""
    ran = wt(*ALL, *FIRST, "--json", "--buget=30", "--label", "it's")
    [command] = records(ran)[-1]["commands"]
    pasted = subprocess.run(
        command.replace("wt", " ".join(WT), 1),
        shell=True,
        check=False,
        capture_output=True,
        text=True,
    )
    assert pasted.returncode == 0, pasted.stderr
    assert [row["label"] for row in ledger()] == ["it's"]


def test_a_refusal_that_time_may_mend_says_so(here: Repo) -> None:
    """A file that is written to all the time has no state that a pass could be about."""
    here.commit("an agent")
    run_badly()
    here.git("config", "filter.grow.clean", f"cat; echo more >> {here.path}/y.x")
    here.write({".gitattributes": "*.x filter=grow\n", "y.x": "content\n"})
    [record] = records(wt(*ALL, "--json"))
    assert (record["code"], record["retryable"]) == ("regression-missing-evidence", True)
    assert record["facts"]["cause"] == "snapshot-failed"
    assert "keeps changing" in record["facts"]["snapshot_failure"]


def test_without_records_stdout_says_nothing(here: Repo) -> None:
    """A refusal is for people then."""
    assert wt(*ALL, "--scenario", "frist").out == ""


def test_a_sweep_that_a_full_disk_ends_says_so_in_its_last_record(here: Repo) -> None:
    """What it came to so far is there beside it."""
    take_the_place_of("second")()
    ran = wt(*ALL, "--json")
    assert ran.code == 1
    launched, finished = records(ran)
    assert (launched["kind"], finished["kind"]) == ("launched", "finished")
    assert [
        {key: one[key] for key in ("pack", "scenario", "verdict")} for one in finished["verdicts"]
    ] == [
        {"pack": "demo", "scenario": "first", "verdict": "PASS"},
        {"pack": "demo", "scenario": "second", "verdict": "NOT_STARTED"},
    ]
    assert (finished["exit_code"], finished["status"]) == (1, "error")
    failure = finished["failure"]
    assert (failure["code"], failure["retryable"]) == ("run-unwritable", False)
    assert failure["facts"]["path"].startswith("runs/second/")
    assert failure["message"] in ran.err


def test_a_sweep_that_nothing_ended_has_no_failure(here: Repo) -> None:
    """The key is there all the same."""
    assert records(wt(*ALL, *FIRST, "--json"))[-1]["failure"] is None


@pytest.mark.parametrize("stdout", ["closed", "left", "full"])
def test_a_stdout_that_cannot_be_written_changes_nothing(here: Repo, stdout: str) -> None:
    """The sweep runs to its end, is recorded, and the exit code is its own."""
    refused = _with_stdout(stdout, "--scenario", "frist")
    assert refused.returncode == 2
    assert "did you mean first?" in refused.stderr
    swept = _with_stdout(stdout, *FIRST)
    assert swept.returncode == 0, swept.stderr
    assert [row["verdict"] for row in ledger()] == ["PASS"]
    assert len(experiments()) == 1
    for ended in (refused, swept):
        assert "Traceback" not in ended.stderr
        assert ("stdout cannot be written" in ended.stderr) == (stdout != "closed")


def _with_stdout(what: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*WT, *ALL, "--json", *arguments]
    if what == "closed":
        command = ["sh", "-c", '"$@" >&-', "sh", *command]
        return subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    if what == "full":
        with Path("/dev/full").open("w") as full:
            return subprocess.run(
                command, check=False, stdout=full, stderr=subprocess.PIPE, text=True
            )
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            command, check=False, stdout=writing, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writing)
