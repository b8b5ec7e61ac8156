"""Measure what notes cost: `python tests/bench/notes_cost.py KEYS FOLDER`; prints JSON, in ms.

KEYS notes are there already, half of them records under trees and half texts under commits.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.evidence.notes.sync import merge_fetched_notes
from wt_git.git.notes.store import (
    NOTES_REF,
    Notes,
    open_notes,
    tracking_ref,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 3
TIMES = 50
LINE = b'{"experiment": {"question": "%d"}, "padding": "' + b"x" * 1800 + b'"}'


def key(of: object) -> str:
    return hashlib.sha1(repr(of).encode()).hexdigest()


def add(notes: Notes, number: int, *, name: str = "sweep") -> None:
    """Write what a finished sweep does: its lines under two trees, its text under a commit."""
    with notes.transaction(f"focused PASS {number}") as tx:
        for tree in (key((name, number)), key((name, "without docs", number))):
            tx.add(tree, key(number)[:12], [LINE % n for n in range(ROWS)])
        tx.add_text(key((name, "commit", number)), [text(number)])


def text(number: int) -> str:
    return f"2026-01-02T03:04:05Z {key(number)[:12]} focused PASS refund 3/3 in 13 s"


def fill(notes: Notes, keys: int) -> None:
    with notes.transaction("fill") as tx:
        for number in range(keys // 2):
            tx.add(key(number), key(number)[:12], [LINE % number])
            tx.add_text(key(-1 - number), [text(number)])


def timed(action: Callable[[int], object]) -> dict[str, float]:
    """Return the best and the median time of an action, in milliseconds; the machine is shared."""
    taken = []
    for number in range(TIMES):
        began = time.perf_counter()
        action(number)
        taken.append((time.perf_counter() - began) * 1000)
    return {"best": min(taken), "median": statistics.median(taken)}


def loose_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("objects/??/*"))


def main() -> None:
    keys, folder = int(sys.argv[1]), Path(sys.argv[2], "r.git")
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", "nowhere"], check=True)
    notes = open_notes(folder)
    assert notes is not None
    fill(notes, keys)
    subprocess.run(["git", "-C", str(folder), "gc", "-q"], check=True)
    started = loose_bytes(folder)
    figures = {
        "write": timed(lambda number: add(notes, number)),
        "bytes": {"a write": (loose_bytes(folder) - started) / TIMES},
        "look up": timed(lambda number: notes.view().sweeps(key(number))),
        "look up nothing": timed(lambda number: notes.view().sweeps(key(("none", number)))),
        "look up a text": timed(lambda number: notes.view().text(key(-1 - number))),
    }

    def fold_one(number: int) -> None:
        tip = notes.tip()
        assert tip is not None
        add(notes, number, name="theirs")
        git = ["git", "-C", str(folder), "update-ref"]
        subprocess.run([*git, tracking_ref("origin"), NOTES_REF], check=True)
        subprocess.run([*git, NOTES_REF, tip], check=True)
        add(notes, number, name="ours")
        began = time.perf_counter()
        merge_fetched_notes(notes)
        folded.append((time.perf_counter() - began) * 1000)

    folded: list[float] = []
    timed(fold_one)
    figures["unite two that differ by one sweep each"] = {
        "best": min(folded),
        "median": statistics.median(folded),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
