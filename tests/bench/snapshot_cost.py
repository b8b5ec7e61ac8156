"""Measure what a snapshot of a large repository costs; prints figures in milliseconds as JSON.

`python tests/bench/snapshot_cost.py FILES FOLDER`. What is compared runs by turns, so that a busy
moment of the machine falls on all of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.git.repository import find_repository
from wt_git.git.snapshot.status import Exclusions
from wt_git.git.snapshot.take import take_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

PER_FOLDER = 200
TIMES = 7
EXCLUSIONS = Exclusions(paths=("runs",), suffixes=(".pyc", ".pyo"))
IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.test")


class Large:
    """A repository of `files` files in folders of folders, committed long enough ago."""

    def __init__(self, top: Path, files: int) -> None:
        self.top = top
        self.git("init", "--quiet", ".")
        for number in range(files):
            path = self.file(number)
            if number % PER_FOLDER == 0:
                path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"file {number}\n" * 5)
        self.git("add", "--all")
        self.git(*IDENTITY, "commit", "--quiet", "--message", "all")
        time.sleep(1.1)  # git's own check for racy files is not what is measured
        self.git("status")
        repository = find_repository(top)
        assert repository is not None
        self.repository = repository

    def file(self, number: int) -> Path:
        folder = number // PER_FOLDER
        return self.top / f"d{folder // 50:03d}/e{folder % 50:03d}/f{number:06d}.txt"

    def git(self, *args: str, **variables: str) -> str:
        environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0"} | variables
        self.top.mkdir(exist_ok=True)
        done = subprocess.run(
            ["git", *args], check=True, cwd=self.top, env=environment, capture_output=True
        )
        return done.stdout.decode().strip()

    def snapshot(self) -> str:
        return take_snapshot(self.repository, exclusions=EXCLUSIONS).tree

    def snapshot_cold(self) -> str:
        """Take a snapshot with nothing remembered."""
        return self.snapshot()

    def forget(self) -> None:
        shutil.rmtree(self.top / ".git/windtunnel", ignore_errors=True)

    def add_and_write_tree(self) -> str:
        """Let git do it, on a scratch index with scratch objects."""
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copy2(self.top / ".git/index", Path(scratch) / "index")
            (Path(scratch) / "objects").mkdir()
            here = {
                "GIT_INDEX_FILE": f"{scratch}/index",
                "GIT_OBJECT_DIRECTORY": f"{scratch}/objects",
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{self.top}/.git/objects",
            }
            self.git("add", "--all", **here)
            return self.git("write-tree", **here)

    def status(self) -> None:
        self.git("status", "--porcelain")

    def scan(self) -> None:
        """List every folder and look at every file."""
        folders = [os.fspath(self.top)]
        while folders:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    if entry.name != ".git":
                        entry.stat(follow_symlinks=False)
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)


def best_ms(
    *tasks: Callable[[], object],
    before: dict[str, Callable[[], object]] | None = None,
    times: int = TIMES,
) -> dict[str, float]:
    """Return the best of some times for each task, taking turns."""
    best: dict[str, float] = {}
    for _ in range(times):
        for task in tasks:
            (before or {}).get(task.__name__, time.monotonic)()
            began = time.perf_counter()
            task()
            took = (time.perf_counter() - began) * 1000
            best[task.__name__] = min(took, best.get(task.__name__, took))
    return best


def measure(large: Large) -> dict[str, dict[str, float]]:
    """Return the figures by situation."""
    figures = {"clean": best_ms(large.snapshot, large.status)}
    for number in range(20):
        where = large.file(number * PER_FOLDER)
        where.write_text("changed")
        where.with_name(f"new{number}.txt").write_text("new")
    assert large.snapshot() == large.add_and_write_tree()
    figures["changed"] = best_ms(large.snapshot, large.add_and_write_tree, large.scan)
    cold = {"snapshot_cold": large.forget}
    figures["cold"] = best_ms(
        large.snapshot_cold, large.add_and_write_tree, large.scan, before=cold
    )
    figures["runs"] = _runs(large)
    figures["touched"] = _touched(large)
    return figures


def _runs(large: Large) -> dict[str, float]:
    """Compare with a runs directory of 5,000 traces, moved in and out."""
    elsewhere = large.top.with_name("runs")
    (elsewhere / "a").mkdir(parents=True)
    for number in range(5000):
        (elsewhere / f"a/{number}.json").write_text(str(number))

    def with_runs() -> None:
        large.snapshot()

    def without_runs() -> None:
        large.snapshot()

    return best_ms(
        with_runs,
        without_runs,
        before={
            "with_runs": lambda: elsewhere.rename(large.top / "runs"),
            "without_runs": lambda: (large.top / "runs").rename(elsewhere),
        },
        times=3 * TIMES,  # the difference is small beside what a busy machine adds
    )


def _touched(large: Large) -> dict[str, float]:
    """Touch every file; the first snapshot hashes them all, a status does at every call."""
    for folder, folders, names in os.walk(large.top):
        if ".git" in folders:
            folders.remove(".git")
        for name in names:
            os.utime(f"{folder}/{name}")
    time.sleep(1.1)
    began = time.perf_counter()
    large.snapshot()
    first = (time.perf_counter() - began) * 1000
    return {"first": first} | best_ms(large.snapshot, large.status)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as parent:
        print(json.dumps(measure(Large(Path(parent) / "large", int(sys.argv[1])))))
