"""Start the tool servers and the agent, check the preconditions, and always stop both again.

docs/architecture.md, "One batch". A failure during the stop changes no result: it goes to `warn` as
one line.

`SerialisedHandle` lets one call at a time reach the agent. A lifecycle hook may give up on a
question that the agent goes on answering; the effects of that late answer must land before the next
reset.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.scenario import WorldMismatchError
from wt_git.errors import exception_text
from wt_git.runner.safe_values import safe_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.api.scenario import Precondition, PreconditionContext, Scenario
    from wt_git.spi.agent_runtime import AgentConfig, AgentHandle, AgentRuntime, Message, Response
    from wt_git.spi.mcp_server import MCPHandle, MCPServer

PATIENCE_BEYOND_CONVERSE_S = 60.0
"""How much longer than a `converse` deadline the runner waits for an abandoned turn to end."""


class HandleStuckError(RuntimeError):
    """An abandoned turn never ended; this agent can be asked nothing more."""


class SerialisedHandle:
    """Passes everything through, but lets one `send`, `reset_state` or `teardown` in at a time.

    A call that finds the agent busy waits for `patience_s()` seconds, then raises
    `HandleStuckError`, as does every call after it. A turn that was waiting while the agent was
    reset is refused with `RuntimeError`: its session no longer exists.
    """

    def __init__(self, raw: AgentHandle, patience_s: Callable[[], float]) -> None:
        self._raw = raw
        self._patience_s = patience_s
        self._lock = threading.RLock()
        self._resets = 0
        self.is_stuck = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Deliver one turn, as the handle does."""
        resets = self._resets
        with self._exclusive("send"):
            if resets != self._resets:
                raise RuntimeError("the agent was reset before this turn could be sent")
            return self._raw.send(messages, session_id)

    def reset_state(self) -> None:
        """Wipe the agent's state, as the handle does."""
        with self._exclusive("reset_state"):
            self._resets += 1
            self._raw.reset_state()

    def teardown(self) -> None:
        """Release the agent, as the handle does."""
        with self._exclusive("teardown"):
            self._resets += 1
            self._raw.teardown()

    @contextmanager
    def _exclusive(self, call: str) -> Iterator[None]:
        if self.is_stuck or not self._lock.acquire(blocking=False):
            patience_s = 0.0 if self.is_stuck else self._patience_s()
            limit_s = min(patience_s, threading.TIMEOUT_MAX)
            if self.is_stuck or not self._lock.acquire(timeout=limit_s):
                self.is_stuck = True
                raise HandleStuckError(
                    f"{call} could not be called: an earlier turn of this agent has not ended "
                    f"within {patience_s:g} s"
                )
        try:
            yield
        finally:
            self._lock.release()


def path_attribute(handle: object, name: str) -> Path | None:
    """Return a path-like attribute of a handle; None where it raises or is no path."""
    value: Any = optional_attribute(handle, name)
    try:
        text = os.fsdecode(value)
    except Exception:  # noqa: BLE001 - a driver's own path class may raise anything
        return None
    return Path(text) if text else None


def optional_attribute(handle: object, name: str) -> object:
    """Return an attribute that a handle may have beside its three calls; None where it raises."""
    try:
        return getattr(handle, name, None)
    except Exception:  # noqa: BLE001 - a driver's property may raise anything
        return None


def consumes_full_history(handle: object) -> bool:
    """Say whether every message reaches the model: yes, unless the handle says no."""
    return optional_attribute(handle, "_windtunnel_consumes_full_history") is not False


def preconditions_of(scenario: Scenario) -> list[Precondition]:
    """Return all requirements of a scenario: tools, then files, then its own checks."""
    if not (scenario.requires_tools or scenario.requires_files):
        return [*scenario.preconditions]
    from wt_git.api.preconditions import FileExists, ToolAvailable  # noqa: PLC0415 - rarely needed

    return [
        *(ToolAvailable(name) for name in scenario.requires_tools),
        *(FileExists(path) for path in scenario.requires_files),
        *scenario.preconditions,
    ]


def check_preconditions(
    scenario_name: str, preconditions: list[Precondition], context: PreconditionContext
) -> None:
    """Evaluate all preconditions; raise one `WorldMismatchError` that lists every failure."""
    failures = []
    for precondition in preconditions:
        try:
            reason = precondition.check(context)
        except Exception as error:  # noqa: BLE001 - a check that breaks is a check that failed
            reason = f"raised {exception_text(error)}"
        if reason is not None:
            failures.append(f"{safe_repr(precondition)}: {reason}")
    if failures:
        raise WorldMismatchError(scenario_name, failures)


@contextmanager
def running_servers(
    servers: Sequence[MCPServer], warn: Callable[[str], None]
) -> Iterator[list[MCPHandle]]:
    """Start all servers in order, yield their handles, and stop every server.

    A server whose `start` raised is stopped too: it may have left a process running.
    """
    tried: list[MCPServer] = []
    try:
        handles = []
        for server in servers:
            tried.append(server)
            handles.append(server.start())
        yield handles
    finally:
        with ExitStack() as stops:  # goes on with the others even when one is interrupted
            for server in reversed(tried):
                stops.callback(_stop, server, warn)


def _stop(server: MCPServer, warn: Callable[[str], None]) -> None:
    try:
        server.stop()
    except Exception as error:  # noqa: BLE001 - a failed stop changes no result
        warn(f"stopping {type(server).__name__} failed: {exception_text(error)}")


@contextmanager
def provisioned_agent(
    runtime: AgentRuntime,
    config: AgentConfig,
    mcp_handles: list[MCPHandle],
    *,
    patience_s: Callable[[], float],
    warn: Callable[[str], None],
) -> Iterator[SerialisedHandle]:
    """Provision one agent, yield its serialised handle, and tear it down.

    An exception of `teardown` goes to `warn`. But an agent that is found stuck only there raises
    `HandleStuckError`, since the next run on its backend could not be trusted.
    """
    handle = SerialisedHandle(runtime.provision(config, mcps=list(mcp_handles)), patience_s)
    try:
        yield handle
    except BaseException:
        _tear_down(handle, warn)
        raise
    _tear_down(handle, warn)
    if handle.is_stuck:
        raise HandleStuckError("the agent could not be torn down: an earlier turn has not ended")


def _tear_down(handle: SerialisedHandle, warn: Callable[[str], None]) -> None:
    try:
        handle.teardown()
    except Exception as error:  # noqa: BLE001 - a failed teardown changes no result
        warn(f"tearing the agent down failed: {exception_text(error)}")
