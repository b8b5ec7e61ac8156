"""What a pack brings along for one of its scenarios: a tool server, and a state probe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.spi.state_probe import StateProbe
    from wt_git.sweep.selection import Selected


def tool_servers(selected: Selected, runtime: AgentRuntime) -> list[Any]:
    """Return the pack's mock for this scenario, if the runtime mounts such servers.

    A mock that nothing mounts would be an empty log that overrides the agent's own evidence.
    """
    factory = selected.pack.mcp_factory
    if factory is None or getattr(runtime, "accepts_runner_managed_mcps", True) is False:
        return []
    return [factory(selected.scenario)]


def state_probe(selected: Selected) -> StateProbe | None:
    """Return the pack's probe for this scenario, if it has one."""
    factory = selected.pack.state_probe_factory
    return factory(selected.scenario) if factory else None
