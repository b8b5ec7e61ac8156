"""Write a note again and again, and be killed: `python killed_writer.py REPO step|NUMBER`.

`step`: one step later each time. A number: so many times, after any time that a write may take.

A step is a call to the system or into libgit2: between two of these nothing outside the process
changes. After each kill the ref is looked at and another writer writes. Prints one JSON line a
round; the steps end with the first round that nobody killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from wt_git.git.notes.store import Notes, open_notes

KEY = "{:040x}"
LONGEST_S = 0.008
OUTSIDE = ("posix", "fcntl", "_pygit2", "pygit2", "_io")


def write(folder: Path, number: int, kill_at: int | None) -> None:
    """Add the note `number`; with `kill_at`, be killed at that step of it."""
    notes = opened(folder)
    steps = 0

    def step(_frame: Any, event: str, called: Any) -> None:
        nonlocal steps
        steps += event == "c_call" and reaches_out(called)
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    if kill_at is not None:
        sys.setprofile(step)
    with notes.transaction(f"note {number}") as tx:
        tx.add(KEY.format(number), f"{number:012x}", [b'{"n":%d}' % number])
        tx.add_text(KEY.format(number + 2**80), [f"2026-01-02T03:04:05Z {number:012x} told"])
    sys.setprofile(None)


def write_at_once(folder: Path, writers: int, writes: int) -> None:
    """Let so many processes write so many notes each, all at the same time."""
    go, started = os.pipe()
    children = []
    for writer in range(writers):
        child = os.fork()
        if child == 0:
            os.close(started)
            os.read(go, 1)  # ends when the parent closes its side
            for number in range(writes):
                write(folder, writer * writes + number, None)
            os._exit(0)
        children.append(child)
    os.close(started)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * writers


def reaches_out(called: Any) -> bool:
    """Say whether what is called may change something outside of this process."""
    owner = type(getattr(called, "__self__", None)).__module__
    modules = (str(getattr(called, "__module__", "")), owner)
    return any(name.startswith(OUTSIDE) for name in modules)


def opened(folder: Path) -> Notes:
    notes = open_notes(folder)
    assert notes is not None
    return notes


def written(folder: Path, number: int) -> bool:
    view = opened(folder).view()
    records = view.records(KEY.format(number)) == {f"{number:012x}": (b'{"n":%d}' % number,)}
    text = view.text(KEY.format(number + 2**80)) != ()
    assert records == text, "half of a note was written"
    return records


def kill_at_each_step(folder: Path) -> None:
    survivors: list[int] = []
    number, status = 0, -1
    while status != 0:
        number += 1
        before = opened(folder).tip()
        child = os.fork()
        if child == 0:
            write(folder, number, number)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        look(folder, number, before, survivors)
    check_survivors(folder, survivors)


def kill_at_any_moment(folder: Path, rounds: int) -> None:
    """Kill inside of calls, too; how far a writer got is then chance."""
    survivors: list[int] = []
    for number in range(1, rounds + 1):
        before = opened(folder).tip()
        ready, began = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(began, b"x")
            write(folder, number, None)
            os._exit(0)
        os.read(ready, 1)
        time.sleep(random.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ready)
        os.close(began)
        look(folder, number, before, survivors)
    check_survivors(folder, survivors)


def look(folder: Path, number: int, before: str | None, survivors: list[int]) -> None:
    """See that all or nothing of the note `number` is there, and that another can be written."""
    moved = opened(folder).tip() != before
    left_behind = (folder / "refs/windtunnel/notes.lock").exists()
    assert written(folder, number) == moved
    write(folder, 10**6 + number, None)
    survivors += [10**6 + number, *([number] if moved else [])]
    print(json.dumps({"round": number, "moved": moved, "lock": left_behind}), flush=True)


def check_survivors(folder: Path, survivors: list[int]) -> None:
    assert all(written(folder, number) for number in survivors), "a note was lost"


if __name__ == "__main__":
    place, when = Path(sys.argv[1]), sys.argv[2]
    kill_at_each_step(place) if when == "step" else kill_at_any_moment(place, int(when))
