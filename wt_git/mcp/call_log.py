"""The log of every call that reached a tool server, kept while the calls are still running.

docs/writing-a-runtime.md, "Tool servers". The log is evidence, so a call enters it on arrival and its
result is added later. A call that never ends is in the log too.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wt_git.clock import SystemClock
from wt_git.errors import exception_text
from wt_git.mcp.failures import FailurePlan
from wt_git.spi.mcp_server import MCPCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wt_git.clock import Clock
    from wt_git.mcp.failures import Injected


class OpenCall:
    """A call that arrived. `value` is the plain value of its tool, once that has `returned`.

    `log` is the list of calls that it was logged in.
    """

    __slots__ = ("call", "log", "returned", "value")

    def __init__(self, call: MCPCall, log: list[MCPCall]) -> None:
        self.call = call
        self.log = log
        self.returned = False
        self.value: Any = None

    def returns(self, value: Any) -> None:
        """Keep the tool's own value, before the SDK puts it into a protocol message."""
        self.value = value
        self.returned = True


class CallLog:
    """Calls in the order of their arrival, and the failures armed for the next ones.

    Safe to use from any thread. Arguments and results are copied when they are logged, so a tool that
    returns its own tables cannot change the log later. `failures` are new by default.
    """

    def __init__(self, clock: Clock | None = None, *, failures: FailurePlan | None = None) -> None:
        self.failures = failures or FailurePlan()
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._calls: list[MCPCall] = []
        self._latest_ms = 0.0

    def begin(self, tool_name: str, args: Mapping[str, Any]) -> OpenCall:
        """Log that a call arrived, and mark it as unfinished until `finish`."""
        call = MCPCall(tool_name, snapshot(dict(args)), None, 0.0, {"unfinished": True})
        with self._lock:
            # Readers merge the logs of several servers by this time. Within one log it must not go
            # back when the machine's clock is set.
            self._latest_ms = max(self._latest_ms, self._clock.now().timestamp() * 1000.0)
            call.timestamp_ms = self._latest_ms
            self._calls.append(call)
            return OpenCall(call, self._calls)

    def holds(self, opened: OpenCall) -> bool:
        """Say whether a call is still in the log: one that outlived a reset is not."""
        return opened.log is self._calls

    def draw(
        self, opened: OpenCall, tool: str, args: Mapping[str, Any], *, marks_mode: bool = True
    ) -> tuple[float, Injected | None]:
        """Draw the failure of a call: the seconds to wait, and the answer in place of the tool's.

        A failure is marked in the log, one of a mode for every tool only with `marks_mode`.
        """
        armed = self.failures.draw(tool)
        if armed is None:
            return 0.0, None
        if marks_mode or armed.tool is not None:
            with self._lock:
                opened.call.extra["injected"] = armed.mode
        return armed.wait_s, self.failures.answer(armed, tool, args)

    def finish(
        self,
        opened: OpenCall,
        result: Any,
        *,
        error: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Any:
        """Log the result that the caller gets, the error if it failed, and `extra`; return `result`.

        A call that outlived a `reset` changes nothing in the new log.
        """
        kept, added = snapshot(result), snapshot(dict(extra or {}))
        with self._lock:
            call = opened.call
            call.result = kept
            call.extra.pop("unfinished", None)
            call.extra.update(added)
            if error is not None:
                call.extra["error"] = error
        return result

    @contextlib.contextmanager
    def failure_logged(self, opened: OpenCall) -> Iterator[None]:
        """Log an exception of the block as the end of a call; it then passes through."""
        try:
            yield
        except Exception as failed:
            self.finish(opened, str(failed), error=exception_text(failed))
            raise

    def record(self, tool_name: str, args: Mapping[str, Any], result: Any) -> None:
        """Log a call that has both arrived and ended."""
        self.finish(self.begin(tool_name, args), result)

    def get_calls(self) -> list[MCPCall]:
        """Return a copy of every call since the last reset, in order of arrival."""
        with self._lock:
            return [
                replace(call, args=dict(call.args), extra=dict(call.extra)) for call in self._calls
            ]

    def reset(self) -> None:
        """Forget every call; armed failures stay armed."""
        with self._lock:
            self._calls = []

    def set_failure_mode(self, mode: str | None) -> None:
        """Make every tool fail in `mode` from now on, or none; raises `ValueError` if unknown."""
        self.failures.set_mode(mode)

    def get_failure_mode(self) -> str | None:
        """Return the mode that every tool is failing in, if there is one."""
        return self.failures.mode()


def snapshot(value: Any) -> Any:
    """Return a deep copy of `value`, or `value` itself if it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - a tool may return anything; the call must be logged anyway
        return value
