"""Start the tool servers and the agent, check the preconditions, and always stop both again.

docs/architecture.md, "One batch". A failure during the stop changes no result: it goes to `warn` as
one line.

`SerialisedHandle` lets one call at a time reach the agent. A lifecycle hook may give up on a question
that the agent goes on answering; the effects of that late answer must land before the next reset.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.preconditions import FileExists, ToolAvailable, WorldMismatchError
from wt_git.runner.safe_values import safe_repr, safe_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.api.preconditions import Precondition, PreconditionContext
    from wt_git.api.scenario import Scenario
    from wt_git.spi.agent_runtime import AgentConfig, AgentHandle, AgentRuntime, Message, Response
    from wt_git.spi.mcp_server import MCPHandle, MCPServer

PATIENCE_BEYOND_CONVERSE_S = 60.0
"""How much longer than a `converse` deadline the runner waits for an abandoned turn to end."""


class HandleStuckError(RuntimeError):
    """An abandoned turn never ended; nothing more can be asked of this agent."""


class SerialisedHandle:
    """Passes everything through, but lets one `send`, `reset_state` or `teardown` in at a time.

    A call that finds the agent busy waits for `patience_s()` seconds, then raises
    `HandleStuckError`, as does every call after it. A turn that was waiting while the agent was
    reset is refused with `RuntimeError`: it belongs to a session that is gone.
    """

    def __init__(self, raw: AgentHandle, patience_s: Callable[[], float]) -> None:
        self._raw = raw
        self._patience_s = patience_s
        self._turn = threading.RLock()
        self._resets = 0
        self.is_stuck = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Deliver one turn, as the handle does."""
        resets = self._resets
        self._take_turn("send")
        try:
            if resets != self._resets:
                raise RuntimeError("the agent was reset before this turn could be sent")
            return self._raw.send(messages, session_id)
        finally:
            self._turn.release()

    def reset_state(self) -> None:
        """Wipe the agent's state, as the handle does."""
        self._take_turn("reset_state")
        try:
            self._resets += 1
            self._raw.reset_state()
        finally:
            self._turn.release()

    def teardown(self) -> None:
        """Release the agent, as the handle does."""
        self._take_turn("teardown")
        try:
            self._resets += 1
            self._raw.teardown()
        finally:
            self._turn.release()

    def _take_turn(self, call: str) -> None:
        if not self.is_stuck and self._turn.acquire(blocking=False):
            return
        patience_s = 0.0 if self.is_stuck else self._patience_s()
        if self.is_stuck or not self._turn.acquire(timeout=min(patience_s, threading.TIMEOUT_MAX)):
            self.is_stuck = True
            raise HandleStuckError(
                f"{call} could not be called: an earlier turn of this agent has not ended "
                f"within {patience_s:g} s"
            )


def path_attribute(handle: object, name: str) -> Path | None:
    """Return a path-like attribute of a handle; one that raises or is no path counts as absent."""
    value: Any = optional_attribute(handle, name)
    try:
        text = os.fsdecode(value)
    except Exception:  # noqa: BLE001 - a driver's own path class may raise anything
        return None
    return Path(text) if text else None


def optional_attribute(handle: object, name: str) -> object:
    """Return what a handle offers beyond its three calls; None where it is absent or raises."""
    try:
        return getattr(handle, name, None)
    except Exception:  # noqa: BLE001 - a driver's property may raise anything
        return None


def consumes_full_history(handle: object) -> bool:
    """Whether every message the handle is given reaches the model; without a word, it does."""
    return optional_attribute(handle, "_windtunnel_consumes_full_history") is not False


def surface_reporter(handle: object) -> Callable[[], Any] | None:
    """Return the handle's `describe_surface`, None where it has none."""
    method = optional_attribute(handle, "describe_surface")
    return method if callable(method) else None


def preconditions_of(scenario: Scenario) -> list[Precondition]:
    """Return everything the scenario requires: tools, then files, then its own checks."""
    return [
        *(ToolAvailable(name) for name in scenario.requires_tools),
        *(FileExists(path) for path in scenario.requires_files),
        *scenario.preconditions,
    ]


def check_preconditions(
    scenario_name: str, preconditions: list[Precondition], context: PreconditionContext
) -> None:
    """Evaluate all preconditions; raise one `WorldMismatchError` that lists every failure."""
    failures = [
        f"{safe_repr(precondition)}: {reason}"
        for precondition in preconditions
        if (reason := _precondition_failure(precondition, context)) is not None
    ]
    if failures:
        raise WorldMismatchError(scenario_name, failures)


def _precondition_failure(precondition: Precondition, context: PreconditionContext) -> str | None:
    try:
        reason = precondition.check(context)
    except Exception as error:  # noqa: BLE001 - a check that breaks has not found its world
        return f"raised {type(error).__name__}: {safe_text(error)}"
    return None if reason is None else str(reason)


@contextmanager
def running_servers(
    servers: Sequence[MCPServer], warn: Callable[[str], None]
) -> Iterator[list[MCPHandle]]:
    """Start all servers in order, yield their handles, and stop every one that was tried.

    A server whose `start` raised is stopped too: it may have left something running.
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
    except Exception as error:  # noqa: BLE001 - results stand, whatever a server does at its end
        warn(_failure_line(f"stopping {type(server).__name__}", error))


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

    What `teardown` raises goes to `warn`, except that an agent found stuck only there raises
    `HandleStuckError`: whatever runs next on its backend could not be trusted.
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
    except Exception as error:  # noqa: BLE001 - results stand, whatever a driver does at its end
        warn(_failure_line("tearing the agent down", error))


def _failure_line(what: str, error: Exception) -> str:
    return f"{what} failed: {type(error).__name__}: {safe_text(error)}"
