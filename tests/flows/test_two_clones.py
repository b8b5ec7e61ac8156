"""Several people, several processes each, one bare repository: every sweep's note arrives once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from kit.commands import WT, ledger, write_pack, write_plugin, wt
from kit.python_forks import forking_programs
from kit.repo import git

PROCESSES = 2

# One worker: an experiment of its own on a commit of its own, pushed at the same moment as others.
WORK = r"""
set -e
cd "$1"
echo "$2" > note-$3.txt
git add note-$3.txt
git commit -qm "work $2 of $3"
{wt} run --runtime plugin.py:PLUGIN --pack-source pack.py:PACK --runs-dir "runs-$3" \
    --question "does work $2 pass?" --expect pass >/dev/null 2>&1
git push -q origin HEAD 2>"push-$3.log" || {{ cat "push-$3.log" >&2; exit 1; }}
"""


def _clone(hub: Path, folder: Path) -> Path:
    git(hub.parent, "clone", "-q", "-b", "main", str(hub), str(folder))
    here = Path.cwd()
    os.chdir(folder)
    assert wt("init").code == 0
    git(folder, "config", "windtunnel.python", str(forking_programs("hooks") / "python"))
    os.chdir(here)
    return folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A bare repository with an agent and a pack on main."""
    hub = tmp_path / "hub.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(hub))
    seed = tmp_path / "seed"
    git(tmp_path, "clone", "-q", str(hub), str(seed))
    git(seed, "checkout", "-q", "-B", "main")
    os.chdir(seed)
    write_pack(scenarios=[("passes", "ok", [])])
    write_plugin(max_concurrency="None")
    (seed / ".gitignore").write_text("runs*/\npush-*.log\n__pycache__/\n")
    git(seed, "add", "-A")
    git(seed, "commit", "-qm", "agent")
    git(seed, "push", "-q", "origin", "main")
    return hub


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.thorough)])
def test_pushes_at_the_same_moment_lose_no_note_and_double_none(hub: Path, rounds: int) -> None:
    """Two clones with two worktrees each: all pushes go through. Twenty rounds with `-m thorough`."""
    workers: list[Path] = []
    for name in ("ada", "bob"):
        clone = _clone(hub, hub.parent / name)
        for number in range(PROCESSES):
            place = hub.parent / f"{name}-{number}"
            git(clone, "worktree", "add", "-q", "-b", f"{name}-{number}", str(place))
            workers.append(place)
    script = hub.parent / "work.sh"
    script.write_text(WORK.format(wt=forking_programs("hooks") / "wt"))
    failures: list[str] = []

    def work(place: Path, number: int) -> None:
        command = ["sh", str(script), str(place), str(number), place.name]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
        if done.returncode:
            failures.append(f"{place.name} {number}: {done.stderr}")

    for number in range(rounds):
        threads = [threading.Thread(target=work, args=(place, number)) for place in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []

    swept = [row["sweep_id"] for place in workers for row in ledger(place / f"runs-{place.name}")]
    assert len(set(swept)) == len(swept) == rounds * len(workers)
    # Whoever lost every race left its notes behind; the next sync of its clone carries them.
    for clone in (hub.parent / "ada", hub.parent / "bob"):
        os.chdir(clone)
        assert wt("sync").code == 0
    listed = git(hub, "ls-tree", "-r", "--name-only", "refs/windtunnel/notes").split()
    kept = [path.rsplit("/", 1)[1] for path in listed if path.count("/") == 2]
    assert sorted(set(kept)) == sorted(swept)
    fresh = _clone(hub, hub.parent / "eve")
    os.chdir(fresh)
    git(fresh, "fetch", "-q", "origin")
    for place in workers:
        tip = git(fresh, "rev-parse", f"origin/{place.name}").strip()
        answer = wt("verify", tip)
        assert answer.code == 0
        shown = git(fresh, "log", "-1", tip)
        assert shown.count("focused PASS passes") == 1


def test_the_interpreter_of_the_tests_runs_the_hooks() -> None:
    """What is tested here is this program, not an installed one."""
    assert WT[0] == sys.executable
