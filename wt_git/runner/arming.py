"""Tool servers that misbehave on purpose: told before they serve, asked after a run.

docs/writing-a-scenario.md, "Misbehaving tools". A pack's factory usually arms its own server.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.environment import failures_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.scenario import Perturbation
    from wt_git.spi.mcp_server import MCPHandle, MCPServer


def arm_servers(servers: Sequence[MCPServer], perturbations: Sequence[Perturbation]) -> None:
    """Tell the servers that can be told which failures the scenario asks for.

    Such a server has `arm_failure`, and knows whether its factory armed it already. One that starts
    a process hands the failure to that process; the environment of this one is never changed.
    """
    asked = failures_of(perturbations)
    for server in servers:
        arm = getattr(server, "arm_failure", None)
        if callable(arm):
            for failure in asked:
                arm(**failure)


def armed_failures(handles: Sequence[MCPHandle]) -> list[Any]:
    """Return what the running servers say they were made to do wrong.

    Most servers cannot say; one that does not answer has armed nothing that could be proven.
    """
    armed: list[Any] = []
    for handle in handles:
        report = getattr(handle, "armed_failures", None)
        if callable(report):
            with suppress(Exception):  # whatever a server's handle raises
                armed += report()
    return armed
