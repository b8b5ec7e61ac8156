"""Scenario packs: scenarios that ship together, with their tool servers and probes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scenario import Scenario
    from wt_git.spi.mcp_server import MCPServer
    from wt_git.spi.state_probe import StateProbe

    MCPFactory: TypeAlias = Callable[[Scenario], MCPServer]
    StateProbeFactory: TypeAlias = Callable[[Scenario], StateProbe | None]


@dataclass
class ScenarioPack:
    """Scenarios under one name, the value of `--pack`, and their shared factories.

    Both factories get the scenario that is about to run. `mcp_factory` returns a new tool server that
    is not started; it is only called for runtimes that let the bench mount tools.
    `state_probe_factory` returns a new probe of external state, or None. Both are read after the
    runtime plugin's `pre_run`, which may set them.

    `transport_only` means that the agent never saw the scenarios' perturbations: verdicts are
    reported and do not decide the exit code, but an execution error does. `owner` goes to the
    records; `metadata` is never interpreted. See docs/writing-a-scenario.md.
    """

    name: str
    scenarios: list[Scenario] = field(default_factory=list)
    mcp_factory: MCPFactory | None = None
    state_probe_factory: StateProbeFactory | None = None
    transport_only: bool = False
    owner: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
