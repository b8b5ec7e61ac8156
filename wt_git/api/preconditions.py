"""World preconditions: what must hold before a scenario spends a turn of the agent.

The runner checks all of a scenario's preconditions once per batch, after tools and agent are up and
before the first reset, and reports every failure together. docs/writing-a-scenario.md has the list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.evaluators.tool_names import tool_name_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.spi.agent_runtime import AgentConfig
    from wt_git.spi.state_probe import StateProbe


@dataclass(frozen=True)
class PreconditionContext:
    """The world as a precondition sees it.

    `mcp_handles` are the running tool servers, `state_probe` what the pack wired, `agent_config`
    and `runtime_handle` the provisioned agent, and the two folders are the runtime's, if it has any.
    """

    mcp_handles: Sequence[Any]
    state_probe: StateProbe | None
    agent_config: AgentConfig
    runtime_handle: Any = None
    workspace_dir: Path | None = None
    workspace_template: Path | None = None


class Precondition(ABC):
    """Something that must be true of the world for a run to mean anything."""

    @abstractmethod
    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when all is well, else the reason it is not."""


@dataclass(frozen=True)
class ToolAvailable(Precondition):
    """One of the tool servers that the bench runs for the scenario serves this tool."""

    name: str

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when a server reports the tool, else what every server said."""
        if not ctx.mcp_handles:
            return f"tool {self.name!r}: no tool server is mounted for this scenario"
        said: list[str] = []
        for handle in ctx.mcp_handles:
            label = type(handle).__name__
            list_tools = getattr(handle, "served_tools", None)
            if not callable(list_tools):
                said.append(f"{label} cannot list its tools (it has no served_tools)")
                continue
            try:
                names = [_tool_name(item) for item in list_tools()]
            except Exception as problem:  # noqa: BLE001 - a broken server is part of the answer
                said.append(f"{label} failed to list its tools ({problem!r})")
                continue
            if any(tool_name_matches(self.name, name) for name in names):
                return None
            said.append(f"{label} serves {', '.join(names) or 'no tool'}")
        return f"tool {self.name!r} is not served: {'; '.join(said)}"


def _tool_name(item: object) -> str:
    """Return the name of a tool given as a string, an object with `name`, or its holder."""
    name = item.get("name", "") if isinstance(item, Mapping) else getattr(item, "name", item)
    return str(name)


@dataclass(frozen=True)
class FileExists(Precondition):
    """A path exists: an absolute one on this machine, a relative one where the agent works.

    A relative path is looked up in the runtime's workspace template, then in its workspace, then in
    the working directory of the bench; one hit is enough.
    """

    path: str | Path

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when the path exists, else the places that were tried."""
        folders = (ctx.workspace_template, ctx.workspace_dir, Path.cwd())
        # An absolute path joined to a folder replaces it, so all candidates become one.
        tried = dict.fromkeys(Path(folder) / self.path for folder in folders if folder is not None)
        if any(_exists(candidate) for candidate in tried):
            return None
        return f"file {str(self.path)!r} not found, tried {', '.join(map(str, tried))}"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # unreadable folder, name too long, NUL in the name
        return False


@dataclass(frozen=True)
class StateProbeAvailable(Precondition):
    """The scenario's pack, or the caller, wired a probe of external state."""

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when there is a probe."""
        return "no state probe was wired" if ctx.state_probe is None else None


@dataclass(frozen=True)
class Check(Precondition):
    """A function over the context: None or True passes, False or a reason fails.

    A function that raises fails with its message. `description` says in a few words what holds
    when the check passes.
    """

    # The address in a function's repr would make the same failure read differently each time.
    fn: Callable[[PreconditionContext], object] = field(repr=False)
    description: str

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when the function is content, else its reason or the description."""
        try:
            answer = self.fn(ctx)
        except Exception as problem:  # noqa: BLE001 - any failure of a check is its answer
            return f"{self.description}: {type(problem).__name__}: {problem}"
        if answer is None or answer is True:
            return None
        return self.description if answer is False else str(answer)


class WorldMismatchError(RuntimeError):
    """The world is not as the scenario needs it, so no turn was spent on the agent.

    `scenario_name` and `failures` hold the facts, one text per failed precondition.
    """

    def __init__(self, scenario_name: str, failures: Sequence[str]) -> None:
        self.scenario_name = scenario_name
        self.failures = list(failures)
        lines = [f"world precondition failed for scenario {scenario_name!r}:", *self.failures]
        super().__init__("\n  - ".join(lines))
