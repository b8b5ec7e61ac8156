"""The `wt` command, in this process or as one of its own, and packs and plugins for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.in_process import run_main

WT = [sys.executable, "-m", "wt_git"]

DECLARED = ("--question", "does it still work?", "--expect", "pass")
"""What a sweep has to say once its runs directory has history."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command: its exit code and what it printed where."""

    code: int
    out: str
    err: str


def wt(*arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run `wt` to its end in this process, in the working directory of the test."""
    done = run_main(list(arguments), env or {}, cwd)
    out, err = (_universal(data) for data in (done.out, done.err))
    return _shown(Ran(done.code, out, err), arguments)


def wt_process(*arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run `wt` to its end as a process of its own.

    For signals, crashes, hooks, start-up, streams, and for what happens beside the test or goes on.
    """
    done = subprocess.run(
        [*WT, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=90,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env={**os.environ, **(env or {})},
    )
    return _shown(Ran(done.returncode, done.stdout, done.stderr), arguments)


def _universal(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def _shown(ran: Ran, arguments: tuple[str, ...]) -> Ran:
    print(f"$ wt {' '.join(arguments)}\n{ran.out}{ran.err}exit {ran.code}")
    return ran


def start_wt(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start `wt` in a process group of its own and return while it runs."""
    return subprocess.Popen(
        [*WT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


PACK = """
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack(
    name={name!r},
    owner={owner!r},
    scenarios=[Scenario(name=n, prompt="say it", target_facts=[[fact]], tags=tags)
               for n, fact, tags in {scenarios!r}],
)
"""


def write_pack(
    path: str = "pack.py",
    *,
    name: str = "demo",
    owner: str | None = None,
    scenarios: list[tuple[str, str, list[str]]] | None = None,
) -> str:
    """Write a pack of scenarios (name, fact, tags) and return its `--pack-source`.

    `in_memory` answers "ok" to everything, so a scenario with the fact "ok" passes.
    """
    if scenarios is None:
        scenarios = [("passes", "ok", []), ("fails", "something else", [])]
    Path(path).write_text(PACK.format(name=name, owner=owner, scenarios=scenarios))
    return f"{path}:PACK"


PLUGIN = """
import threading
import time


class Handle:
    def __init__(self):
        self.sent = 0

    def send(self, messages, session_id):
        {send}
        return {{"content": "ok"}}

    def reset_state(self):
        {reset}

    def teardown(self):
        pass


class Runtime:
    accepts_runner_managed_mcps = False

    def provision(self, config, mcps=None):
        {provision}
        return Handle()


class Plugin:
    max_concurrency = {max_concurrency}

    def build(self, runtime_name, label, soul_path):
        {build}
        return Runtime()

    {more}


PLUGIN = Plugin()
"""


def write_plugin(
    path: str = "plugin.py",
    *,
    send: str = "pass",
    reset: str = "pass",
    provision: str = "pass",
    build: str = "pass",
    max_concurrency: str = "None",
    more: str = "pass",
) -> str:
    """Write a runtime whose agent answers "ok", with one statement in each place; its name."""
    text = PLUGIN.format(
        send=send,
        reset=reset,
        provision=provision,
        build=build,
        max_concurrency=max_concurrency,
        more=more,
    )
    Path(path).write_text(text)
    return f"{path}:PLUGIN"


def ledger(runs_dir: Path | str = "runs") -> list[dict[str, Any]]:
    """Return the ledger's rows, each of which must be whole."""
    return whole_lines(Path(runs_dir) / "ledger.ndjsonl")


def events(runs_dir: Path | str = "runs") -> list[dict[str, Any]]:
    """Return the progress events, each of which must be whole."""
    return whole_lines(Path(runs_dir) / "events.ndjsonl")


def experiments(runs_dir: Path | str = "runs") -> list[dict[str, Any]]:
    """Return the sweep records, each of which must be whole."""
    return whole_lines(Path(runs_dir) / "experiments.ndjsonl")


def whole_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a line file; fails for anything that is not a whole line."""
    if not path.exists():
        return []
    data = path.read_bytes()
    assert data.endswith(b"\n") or not data
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def traces(runs_dir: Path | str = "runs") -> list[Path]:
    """Return the traces below a runs directory: `.json` files without a dot in their stem."""
    return sorted(
        path
        for path in Path(runs_dir).rglob("*.json")
        if "." not in path.stem and not path.name.startswith(".")
    )
