"""The ladder as people climb it: refused, told what to run, and let through after that."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from kit.commands import Ran, write_pack, write_plugin, wt
from kit.repo import Repo, new_repo

NAMES = {
    "shop": ["refund", "re*", "[re]fund", "-refund", "it's $HOME", "re\tfund"],
    "-desk": ["refund", "re*"],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with two packs that own scenarios of the same, odd names; all of them fail."""
    repo = new_repo(tmp_path / "r")
    monkeypatch.chdir(repo.path)
    write_plugin()
    write_packs("nothing says this")
    repo.write({".gitignore": "runs/\nbin/\n__pycache__/\n"})
    repo.commit("agent and packs")
    return repo


def write_packs(fact: str) -> None:
    for pack, names in NAMES.items():
        scenarios = [(name, fact, list[str]()) for name in names]
        write_pack(f"{pack.strip('-')}.py", name=pack, scenarios=scenarios)


SOURCES = ("--pack-source", "shop.py:PACK", "--pack-source", "desk.py:PACK")


def regression(*args: str) -> Ran:
    return wt(
        "run",
        "--runtime",
        "plugin.py:PLUGIN",
        *SOURCES,
        "--question",
        "all?",
        "--expect",
        "pass",
        *args,
    )


def printed_commands(ran: Ran) -> list[str]:
    """What a person would copy: each line from `wt run --scenario` on."""
    lines = [line for line in ran.err.splitlines() if " wt run --scenario" in line]
    return [line[line.index("wt run --scenario") :] for line in lines]


def paste(command: str) -> Ran:
    """Run a line as a shell does in which `wt` is on the PATH."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    script = folder / "wt"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m wt_git "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    done = subprocess.run(
        ["bash", "-c", command],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{folder.resolve()}:{os.environ['PATH']}"},
    )
    print(f"$ {command}\n{done.stdout}{done.stderr}exit {done.returncode}")
    return Ran(done.returncode, done.stdout, done.stderr)


def rows() -> list[dict]:
    return [json.loads(line) for line in Path("runs/ledger.ndjsonl").read_text().splitlines()]


def test_a_newcomer_who_is_refused_pastes_the_commands_and_gets_through(here: Repo):
    """Every printed command runs exactly its scenario; with all of them passed the run is earned."""
    assert wt("run", "--runtime", "plugin.py:PLUGIN", *SOURCES).code == 1
    write_packs("ok")
    before = rows()
    refused = regression()
    assert refused.code == 2
    assert "refusing a regression sweep" in refused.err
    assert "have no passing focused run since" in refused.err
    assert rows() == before
    commands = printed_commands(refused)
    assert len(commands) == len(before) == 8
    for command in commands:
        assert paste(command).code == 0
    alone = rows()[len(before) :]
    assert {row["experiment"]["tier"] for row in alone} == {"focused"}
    assert sorted((row["pack"], row["scenario_id"]) for row in alone) == sorted(
        (pack, name) for pack, names in NAMES.items() for name in names
    )
    assert regression().code == 0
    last = rows()[-1]["experiment"]
    assert last["earned_by"] == alone[-1]["sweep_id"]
    assert last["evidence_for"] == [before[0]["sweep_id"]]


def test_a_clean_regression_does_not_earn_the_next_one(here: Repo):
    """And what is refused points at what is known already, and writes nothing."""
    first = ("--scenario", "refund", "--scenario", "re fund")
    write_pack("shop.py", name="shop", scenarios=[("refund", "ok", []), ("re fund", "ok", [])])
    args = ("run", "--runtime", "plugin.py:PLUGIN", "--pack-source", "shop.py:PACK", *first)
    assert wt(*args).code == 0
    before = rows()
    refused = wt(*args, "--question", "still?", "--expect", "pass")
    assert refused.code == 2
    assert "nothing has earned it" in refused.err
    assert "wt results --runs runs" in refused.err
    assert rows() == before
    assert [paste(command).code for command in printed_commands(refused)] == [0, 0]
    assert wt(*args, "--question", "still?", "--expect", "pass").code == 0


def test_an_edit_after_the_pass_is_named_with_its_file(here: Repo):
    """The rung is stale, and the refusal says by what."""
    write_pack("shop.py", name="shop", scenarios=[("a", "ok", []), ("b", "ok", [])])
    args = ("run", "--runtime", "plugin.py:PLUGIN", "--pack-source", "shop.py:PACK")
    declared = ("--question", "?", "--expect", "pass")
    assert wt(*args).code == 0
    assert wt(*args, "--scenario", "a", *declared).code == 0
    here.commit("the state that passed")
    here.write({"pyproject.toml": "[tool.windtunnel.ladder]\nfocused_budget_s = 9000\n"})
    here.commit("a longer budget")
    here.write({"log.txt": "a tool wrote this"})
    refused = wt(*args, *declared)
    assert refused.code == 2
    assert "of shop/a, is stale; since then files: log.txt, pyproject.toml" in refused.err
    assert "gitignore it" in refused.err
