"""Append a row or make the index, and be killed one step later each time.

`python killed_indexer.py append|ask`, in a folder of its own. A step is a call to the system. Prints
one JSON line a round: whether the row was written, and whether the next question gets the answer of
the ledger. Ends with the first round in which nothing was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from wt_git import files
from wt_git.records import layout
from wt_git.records.ledger.index import append_row
from wt_git.records.ledger.ledger import Ledger

OUTSIDE = ("posix", "fcntl", "_io")


def line(number: int, tier: str) -> str:
    experiment = {
        "tier": tier,
        "counts_as_failure": False,
        "fingerprint": "sha256:a",
        "fingerprint_parts": {"target": "one"},
    }
    record = {"scenario_id": "s", "sweep_id": f"{number:012x}", "experiment": experiment}
    return files.json_line({"verdict": "PASS", **record})


def act(what: str, number: int) -> None:
    if what == "append":
        append_row(Path(), line(number, "focused"))
    else:
        Ledger(Path(), small=0).has_rows()


def be_killed(what: str, number: int, kill_at: int) -> None:
    steps = 0

    def step(_frame: Any, event: str, called: Any) -> None:
        nonlocal steps
        steps += event == "c_call" and reaches_out(called)
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(step)
    act(what, number)
    sys.setprofile(None)


def reaches_out(called: Any) -> bool:
    owner = type(getattr(called, "__self__", None)).__module__
    modules = (str(getattr(called, "__module__", "")), owner)
    return any(name.startswith(OUTSIDE) for name in modules)


def newest() -> str:
    """The sweep of the last line, read from the ledger alone."""
    return json.loads(Path(layout.LEDGER).read_bytes().splitlines()[-1])["sweep_id"]


def main(what: str) -> None:
    number, status = 0, -1
    while status != 0:
        number += 1
        append_row(Path(), line(0, "focused"))
        if what == "ask":
            Path(layout.LEDGER_INDEX).unlink(missing_ok=True)
        else:
            assert Ledger(Path(), small=0).has_rows()
        child = os.fork()
        if child == 0:
            be_killed(what, number, number)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        told = Ledger(Path(), small=0).gate_rows("one", "sha256:a")
        written = newest() == f"{number:012x}"
        right = [row.sweep_id for row in told] == [newest()]
        print(json.dumps({"round": number, "written": written, "right": right}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
