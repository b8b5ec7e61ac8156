"""The recorded server that a pack hands to the runner. docs/recorded-servers.md."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from wt_git.api.tool_calls import tool_name_matches
from wt_git.api.universe.document import (
    Universe,
    load_universe,
    universe_from_dict,
    universe_to_dict,
)
from wt_git.mcp.addresses import MCP_PATH, connectable, http_url, listen
from wt_git.mcp.call_log import CallLog
from wt_git.mcp.failures import DEFAULT_TIMEOUT_S, ArmedFailure, FailurePlan, known_mode
from wt_git.mcp.recorded.handle import RecordedMCPHandle

if TYPE_CHECKING:
    import os

    from wt_git.api.universe.document import SynthesizeHook
    from wt_git.mcp.serving import ThreadServer


class RecordedMCPServer:
    """Serves a universe, given as an object or by the path of its file, on a thread.

    `port` 0 is any free port. `synthesize` answers misses of the policy that asks for it. Raises
    `UniverseFormatError` for a universe that breaks its rules, `OSError` for an unreadable file.
    """

    def __init__(
        self,
        universe: Universe | str | os.PathLike[str],
        *,
        name: str = "windtunnel-recorded",
        host: str = "127.0.0.1",
        port: int = 0,
        synthesize: SynthesizeHook | None = None,
    ) -> None:
        if isinstance(universe, Universe):
            universe_from_dict(universe_to_dict(universe))
        else:
            universe = load_universe(universe)
        self._universe = universe
        self._name = name
        self._host = host
        self._port = port
        self._synthesize = synthesize
        self._failures = FailurePlan()
        self._armed: set[str] = set()
        self._lock = threading.Lock()
        self._running: ThreadServer | None = None
        self._handle: RecordedMCPHandle | None = None

    def start(self) -> RecordedMCPHandle:
        """Start serving and return the handle once tools can be called.

        While it runs, another start returns the same handle. After a stop there is a new one, with
        no recording used and an empty log; failures stay armed. Where the process may not even
        listen on the loopback, the handle's URL begins with `recorded:` and only calls through the
        handle work. Raises `RuntimeError`, with nothing left running, when
        the address is taken or the server does not come up within 5 s.
        """
        with self._lock:
            if self._handle is None:
                self._handle = self._started()
            return self._handle

    def stop(self) -> None:
        """Release the port; may be called twice, and when nothing was started."""
        with self._lock:
            running, self._running, self._handle = self._running, None, None
            if running is not None:
                running.stop()

    def arm_failure(
        self, *, tool: str, mode: str, probability: float = 1.0, delay_s: float = DEFAULT_TIMEOUT_S
    ) -> None:
        """Make the calls of a tool fail, unless that tool was armed before.

        The bench calls this for a scenario's declared failures, after the pack's factory. `tool` is
        a bare name and means every tool of the universe with that name. Raises `ValueError` for an
        unknown mode.
        """
        failure = ArmedFailure(tool, known_mode(mode), probability, delay_s)
        with self._lock:
            for served in self._universe.tool_map:
                if served not in self._armed and tool_name_matches(tool, served):
                    self._armed.add(served)
                    self._failures.arm(replace(failure, tool=served))

    def _started(self) -> RecordedMCPHandle:
        try:
            from wt_git.mcp.recorded.sdk_server import serve_recorded  # noqa: PLC0415 - slow
        except ModuleNotFoundError as missing:
            raise RuntimeError(
                "serving tools needs the official SDK: pip install 'mcp>=2.2'"
            ) from missing
        log = CallLog(failures=self._failures)
        try:
            listener = listen(self._host, self._port)
        except (OSError, OverflowError) as error:  # the latter for a number that is no port
            if _loopback_is_forbidden():
                return self._handle_at(f"recorded://{self._name}", log)
            raise RuntimeError(
                f"the recorded server failed to start on {self._host}:{self._port}: {error}"
            ) from error
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(listener.close)
            port = int(listener.getsockname()[1])
            host = connectable(self._host)
            handle = self._handle_at(http_url(host, port, MCP_PATH), log)
            self._running = serve_recorded(self._name, handle, log, listener, self._host)
            on_failure.pop_all()
        return handle

    def _handle_at(self, url: str, log: CallLog) -> RecordedMCPHandle:
        return RecordedMCPHandle(self._universe, url=url, synthesize=self._synthesize, log=log)


def _loopback_is_forbidden() -> bool:
    """Say whether this process cannot listen anywhere, as in some sandboxes."""
    try:
        listen("127.0.0.1", 0).close()
    except OSError:
        return True
    return False
