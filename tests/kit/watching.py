"""Events files written by hand, and an outside for a watch in which a test decides what happens."""

from __future__ import annotations

import json
import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.watch.session import Watch, WatchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
LONG_AGO = "2026-03-01T00:00:00Z"


def event(kind: str, sweep_id: str, /, **fields: Any) -> dict[str, Any]:
    """An event as the file holds it; long ago, of label `round`, unless the fields say otherwise."""
    common = {"windtunnel_event": 1, "ts": LONG_AGO, "event": kind, "sweep_id": sweep_id}
    return {**common, "label": "round", **fields}


def started(sweep_id: str, **fields: Any) -> dict[str, Any]:
    """The start of a sweep of this process and machine."""
    known = {"pid": os.getpid(), "host": socket.gethostname(), "runtime": "in_memory"}
    return event(
        "sweep_started", sweep_id, **{**known, "scenarios": ["s"], "runs_per_scenario": 1, **fields}
    )


def finished(sweep_id: str, code: Any = 0, **fields: Any) -> dict[str, Any]:
    """The end of a sweep."""
    counts = {"scenarios": 1, "completed": 1, "errors": 0, "status": "completed"}
    return event("sweep_finished", sweep_id, exit_code=code, **{**counts, **fields})


def sweep(sweep_id: str, code: Any = 0, **fields: Any) -> list[dict[str, Any]]:
    """All events of a small sweep; `fields` are those of its start."""
    return [
        started(sweep_id, **fields),
        *(event("run_started", sweep_id, scenario_id="s", run=1, runs=1) for _ in range(1)),
        finished(sweep_id, code, label=fields.get("label", "round")),
    ]


def text_of(events: Iterable[dict[str, Any]]) -> bytes:
    """The lines of these events."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


class Outside:
    """The outside of a watch. Each sleep takes the next step of `steps`, and fails without one.

    A step is bytes that are appended to the events file, or a function that is called. `gone` are
    the ids of sweeps whose process is dead.
    """

    def __init__(self, *steps: bytes | Callable[[], object], runs_dir: str = "runs") -> None:
        self.steps = list(steps)
        self.gone: set[str] = set()
        self.shown: list[str] = []
        self.said: list[str] = []
        self.slept_s = 0.0
        self.path = Path(runs_dir) / "events.ndjsonl"

    @property
    def clock(self) -> Outside:
        return self

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.slept_s)

    def monotonic(self) -> float:
        return self.slept_s

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept_s += seconds
        self.step()

    def step(self) -> None:
        step = self.steps.pop(0)
        if callable(step):
            step()
        else:
            append(step, self.path)

    def is_gone(self, record: Any) -> bool:
        return record["sweep_id"] in self.gone

    def show(self, line: Any) -> None:
        self.shown.append(line.text)

    def say(self, text: str) -> None:
        self.said.append(text)


def append(data: bytes, path: Path = Path("runs/events.ndjsonl")) -> None:
    """Append to an events file, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        stream.write(data)


def follow(outside: Outside, **wanted: Any) -> int:
    """Watch until it ends and return the exit code."""
    return Watch(WatchRequest(runs_dir=outside.path.parent, **wanted), outside).follow()


def shown_ids(outside: Outside) -> list[str]:
    """The sweep ids of what was shown, each once, in order."""
    return list(dict.fromkeys(json.loads(text)["sweep_id"] for text in outside.shown))
