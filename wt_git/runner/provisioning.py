"""Bringing tool servers and the agent up, and always down again.

docs/architecture.md, "One batch". A failure on the way down changes no result: it is handed to
`warn` as one line.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from wt_git.runner.foreign_values import safe_text
from wt_git.runner.handle import HandleStuckError, SerialisedHandle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.spi.agent_runtime import AgentConfig, AgentRuntime
    from wt_git.spi.mcp_server import MCPHandle, MCPServer


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
        warn(_failure(f"stopping {type(server).__name__}", error))


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
        warn(_failure("tearing the agent down", error))


def _failure(what: str, error: Exception) -> str:
    return f"{what} failed: {type(error).__name__}: {safe_text(error)}"
