"""Processes that take the run lock, steered line by line.

Run as a program, this file holds one lock and reports what happens to it as JSON lines; as a
module it starts and steers such programs.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from wt_git.errors import BusyError, WaitStopped
from wt_git.sweep.run_lock import runtime_lock
from wt_git.sweep.run_lock.lock_holder import Holder, describe_waiting

if TYPE_CHECKING:
    from collections.abc import Iterator


def holder(pid: int, command: str = "wt run --label x") -> Holder:
    """Return a holder record with every field filled in."""
    return Holder(
        pid=pid,
        host="bench-1",
        since="2026-01-02T03:04:05Z",
        command=command,
        label="x",
        sweep_id=f"sweep-{pid}",
        runs_dir="runs",
    )


class LockProcess:
    """A process that wants the lock of `key`; leaving the `with` block kills it."""

    def __init__(self, folder: Path, key: str = "bench", **options: Any) -> None:
        arguments = json.dumps({"folder": str(folder), "key": key} | options)
        self._process = subprocess.Popen(
            [sys.executable, __file__, arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.kill()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()

    def next(self) -> dict[str, Any]:
        """Return the next thing that the process reports, waiting for it."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"event": "gone"}

    def until(self, event: str) -> dict[str, Any]:
        """Return the next report of `event`, passing over what led to it."""
        while (report := self.next())["event"] != event:
            assert report["event"] in {"waiting", "acquired"}, report
        return report

    def say(self, word: str) -> None:
        """Tell the process to `release` the lock, or to `stop` waiting for it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")

    def send_signal(self, number: int) -> None:
        """Send a signal, such as SIGSTOP, and return once it has had its effect."""
        self._process.send_signal(number)
        if number == signal.SIGSTOP:
            os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def kill(self) -> None:
        """Kill the process as `kill -9` does, and wait until it is gone."""
        self._process.kill()
        self._process.wait()


def _main(
    folder: str,
    key: str,
    priority: int = 1,
    *,
    wait: bool = True,
    fork: bool = False,
    inside: str | None = None,
):
    stop, let_go = threading.Event(), threading.Event()
    threading.Thread(target=_listen, args=(stop, let_go), daemon=True).start()
    try:
        with runtime_lock.hold(
            key,
            holder(os.getpid()),
            folder=Path(folder),
            priority=priority,
            wait=wait,
            stop=stop,
            on_waiting=lambda waiting: _report(
                "waiting",
                line=describe_waiting(waiting),
                pid=waiting.holder.pid if waiting.holder else None,
                ahead=waiting.ahead,
                first=waiting.first_ticket_ahead,
            ),
            on_acquired=lambda waited_s: _report("acquired", waited_s=waited_s),
        ):
            if fork and os.fork() == 0:
                _report("child", pid=os.getpid())
                os.close(0)
                signal.pause()
            with _entered(inside) as alone:
                _report("held", alone=alone)
                let_go.wait()
        _report("released")
    except BusyError as error:
        _report("busy", line=error.message)
    except WaitStopped:
        _report("stopped")
        let_go.wait()


def _listen(stop: threading.Event, let_go: threading.Event) -> None:
    for line in sys.stdin:
        (stop if line.strip() == "stop" else let_go).set()
    stop.set()
    let_go.set()


@contextmanager
def _entered(inside: str | None) -> Iterator[bool]:
    """Be where only the holder may be; False when somebody else is there."""
    if inside is None:
        yield True
        return
    with Path(inside).open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _report(event: str, **facts: Any) -> None:
    # One write: a forked child reports on the same pipe, and lines must not mix.
    os.write(1, (json.dumps({"event": event} | facts) + "\n").encode())


if __name__ == "__main__":
    _main(**json.loads(sys.argv[1]))
