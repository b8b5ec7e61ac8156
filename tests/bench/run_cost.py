"""Measure what one whole `wt run` costs; prints figures in milliseconds as JSON.

`python tests/bench/run_cost.py [times]`: a focused in_memory sweep in a small git repository, from
the start of the process to its end, in turn with what it is measured against.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMES = 25
FOLDERS, FILES = 10, 5

PACK = """\
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack(
    name="small", scenarios=[Scenario(name="agree", prompt="May I?", target_facts=[["ok"]])]
)
"""
POLICY = """\
[tool.windtunnel.gate]
runtime = "in_memory"
"""


def project(folder: Path) -> Path:
    """Make a repository of a few files, all of them committed, and return its folder."""
    top = folder / "project"
    for number in range(FOLDERS):
        (top / f"part{number}").mkdir(parents=True)
        for name in range(FILES):
            (top / f"part{number}/module{name}.py").write_text(f"x = {number}{name}\n")
    (top / "pack.py").write_text(PACK)
    (top / "pyproject.toml").write_text(POLICY)
    for args in (
        ["init", "-q"],
        ["add", "--all"],
        ["-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "-m", "first"],
    ):
        subprocess.run(["git", *args], cwd=top, check=True, capture_output=True)
    return top


def commands() -> dict[str, list[str]]:
    """Return what is measured, by name."""
    wt = str(Path(sys.executable).with_name("wt"))
    run = [wt, "run", "--pack-source", "pack.py:PACK", "--scenario", "agree"]
    return {
        "run": [*run, "--question", "does it agree?", "--expect", "pass"],
        "help": [wt, "--help"],
        "hook_post_commit": [wt, "hook", "post-commit"],
        "hook_pre_push": [wt, "hook", "pre-push", "origin", "url"],
        "imports": [sys.executable, "-c", "import click, pygit2"],
        "bare": [sys.executable, "-c", "pass"],
    }


def wall_ms(command: list[str], cwd: Path, stdin: str) -> float:
    """Return how long `command` takes from its start until it was reaped."""
    began = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, input=stdin.encode())
    return (time.perf_counter() - began) * 1e3


def measure(top: Path, times: int) -> dict[str, dict[str, float]]:
    """Return minimum and median of each command; all in turn, so that drift meets all alike."""
    measured = commands()
    wall_ms(measured["run"], top, "")  # the first one compiles, and leaves evidence to be covered
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=top, check=True, capture_output=True, text=True
    ).stdout.strip()
    pushed = f"refs/heads/main {head} refs/heads/main {'0' * 40}\n"
    taken: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(times):
        for name, command in measured.items():
            stdin = pushed if name == "hook_pre_push" else ""
            taken[name].append(wall_ms(command, top, stdin))
    return {
        name: {"min": min(values), "median": statistics.median(values)}
        for name, values in taken.items()
    }


def main() -> None:
    """Measure in memory, so that the disk is not what is measured."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="wt-bench-", dir=place) as folder:
        os.environ["HOME"] = folder  # nobody's configuration of git
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling each time is half of a run
        print(json.dumps(measure(project(Path(folder)), times)))


if __name__ == "__main__":
    main()
