"""Write a note again and again, killed one step later each time: `python killed_writer.py REPO`.

A step is any call that Python sees, into C too. After each kill the ref is looked at and another
writer writes. Prints one JSON line a round; ends with the first round that nobody killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from wt_git.git.notes import Notes, open_notes

KEY = "{:040x}"


def write(folder: Path, number: int, kill_at: int | None) -> None:
    """Add the note `number`; with `kill_at`, be killed at that step of it."""
    notes = opened(folder)
    steps = 0

    def step(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal steps
        steps += event in {"call", "c_call", "c_return"}
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    if kill_at is not None:
        sys.setprofile(step)
    with notes.transaction(f"note {number}") as tx:
        tx.add(KEY.format(number), f"{number:012x}", [b'{"n":%d}' % number])
        tx.add_text(KEY.format(number + 2**80), [f"2026-01-02T03:04:05Z {number:012x} told"])
    sys.setprofile(None)


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


def main() -> None:
    folder = Path(sys.argv[1])
    survivors: list[int] = []
    kill_at, status = 0, -1
    while status != 0:
        kill_at += 1
        before = opened(folder).tip()
        child = os.fork()
        if child == 0:
            write(folder, kill_at, kill_at)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        moved = opened(folder).tip() != before
        left_behind = (folder / "refs/windtunnel/notes.lock").exists()
        assert written(folder, kill_at) == moved
        write(folder, 10**6 + kill_at, None)
        survivors += [10**6 + kill_at, *([kill_at] if moved else [])]
        print(json.dumps({"step": kill_at, "moved": moved, "lock": left_behind}), flush=True)
    assert all(written(folder, number) for number in survivors), "a note was lost"


if __name__ == "__main__":
    main()
