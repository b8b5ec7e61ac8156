"""Scenario packs: scenarios that ship together, with what it takes to run them."""

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
    """Scenarios under one name, the value of `--pack`, and the wiring they share.

    Both factories get the scenario that is about to run and answer with something fresh: a tool
    server that is not started yet, a probe of external state (or None for a scenario that needs
    none). They are read after the runtime plugin's `pre_run`, which may install them here, and the
    first is only called for runtimes that let the bench mount tools.

    `transport_only` says that the agent never saw what the scenarios' perturbations do, so its
    verdicts are reported and do not decide the exit code; an execution error still does. `owner`
    is carried into the records; `metadata` is never interpreted. See docs/writing-a-scenario.md.
    """

    name: str
    scenarios: list[Scenario] = field(default_factory=list)
    mcp_factory: MCPFactory | None = None
    state_probe_factory: StateProbeFactory | None = None
    transport_only: bool = False
    owner: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
