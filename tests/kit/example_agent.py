"""The example agent of the documentation, as tests start and fly it."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Self

from kit.agent_forks import ForkedAgent, forked_agents
from kit.documents import PROJECT

from wt_git.api.runner import ScenarioResult, run_scenario
from wt_git.runtimes.http_inject import HttpInjectRuntime

if TYPE_CHECKING:
    from types import ModuleType

    from wt_git.api.scenario import Scenario

EXAMPLES = PROJECT / "docs" / "examples"
AGENT = EXAMPLES / "agent"
PACK = f"{AGENT}/pack.py:PACK"
PLUGIN = f"{AGENT}/plugin.py:PLUGIN"


def module(name: str) -> ModuleType:
    """Return a module of the agent's folder, imported as its neighbours import it."""
    if str(AGENT) not in sys.path:
        sys.path.append(str(AGENT))
    return importlib.import_module(name)


def scenario(name: str) -> Scenario:
    """Return a scenario of the tutorial by its name."""
    (found,) = [known for known in module("pack").SCENARIOS if known.name == name]
    return found


def forked_child(*options: str) -> Any:
    """Return a `child.Child` whose process was forked instead of started."""
    with forked_agents():
        return module("child").Child(*options)


class Endpoint:
    """Flies scenarios on the agent as an endpoint, whose tools are its own."""

    def __init__(self, timeout_s: float = 30.0) -> None:
        self._timeout_s = timeout_s

    def __enter__(self) -> Self:
        self._child = forked_child()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._child.stop()

    @property
    def process(self) -> ForkedAgent:
        """The agent's process."""
        return self._child.process

    def fly(self, flown: Scenario, runs: int = 1) -> ScenarioResult:
        """Run a scenario over Contract C."""
        runtime = HttpInjectRuntime(self._child.url, self._timeout_s)
        return run_scenario(flown, runtime, runs_per_scenario=runs)


class Mounted:
    """Flies scenarios on the agent that the plugin starts, with tools of the bench mounted in it."""

    def __init__(self) -> None:
        self._runtime = module("plugin").PLUGIN.build("plugin.py:PLUGIN", "test", None)
        self.handles: list[Any] = []

    def __enter__(self) -> Self:
        self._forks = forked_agents()
        self._forks.__enter__()
        return self

    def __exit__(self, *_exc: object) -> None:
        """Handles are torn down with their batch."""
        self._forks.__exit__(None, None, None)

    @property
    def process(self) -> ForkedAgent:
        """The process of the newest handle's agent."""
        return self.handles[-1].child.process

    def provision(self, config: Any, mcps: list[Any] | None = None) -> Any:
        """Provision the plugin's runtime and keep the handle, so that a test can get at it."""
        handle = self._runtime.provision(config, mcps=mcps)
        self.handles.append(handle)
        return handle

    def fly(self, flown: Scenario, runs: int = 1, **options: Any) -> ScenarioResult:
        """Run a scenario on a new agent."""
        tools = module("pack").tool_server(flown)
        return run_scenario(flown, self, [tools], runs_per_scenario=runs, **options)
