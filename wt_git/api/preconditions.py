"""World preconditions: checks before the first turn is sent to the agent.

The runner checks all of a scenario's preconditions once per batch, after starting tools and agent and
before the first reset, and reports every failure together. docs/writing-a-scenario.md has the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.api.scenario import Precondition, PreconditionContext, WorldMismatchError
from wt_git.api.tool_calls import tool_name_matches
from wt_git.errors import exception_text

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    "Check",
    "FileExists",
    "Precondition",
    "PreconditionContext",
    "StateProbeAvailable",
    "ToolAvailable",
    "WorldMismatchError",
]


@dataclass(frozen=True)
class ToolAvailable(Precondition):
    """One of the tool servers that the bench runs for the scenario serves this tool."""

    name: str

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when a server reports the tool, else the answer of every server."""
        if not ctx.mcp_handles:
            return f"tool {self.name!r}: no tool server is mounted for this scenario"
        answers: list[str] = []
        for handle in ctx.mcp_handles:
            label = type(handle).__name__
            list_tools = getattr(handle, "served_tools", None)
            if not callable(list_tools):
                answers.append(f"{label} cannot list its tools (it has no served_tools)")
                continue
            try:
                names = [_tool_name(item) for item in list_tools()]
            except Exception as problem:  # noqa: BLE001 - a broken server is part of the answer
                answers.append(f"{label} failed to list its tools ({problem!r})")
                continue
            if any(tool_name_matches(self.name, name) for name in names):
                return None
            answers.append(f"{label} serves {', '.join(names) or 'no tool'}")
        return f"tool {self.name!r} is not served: {'; '.join(answers)}"


def _tool_name(item: object) -> str:
    """Return the name of a tool given as a string, an object with `name`, or its holder."""
    name = item.get("name", "") if isinstance(item, Mapping) else getattr(item, "name", item)
    return str(name)


@dataclass(frozen=True)
class FileExists(Precondition):
    """A path exists.

    A relative path is looked up in the runtime's workspace template, then in its workspace, then in
    the working directory of the bench; one hit is enough.
    """

    path: str | Path

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when the path exists, else the places that were tried."""
        folders = (ctx.workspace_template, ctx.workspace_dir, Path.cwd())
        # For an absolute path all candidates are the same.
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
    """There is a probe of external state, from the scenario's pack or the caller."""

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when there is a probe."""
        return "no state probe was wired" if ctx.state_probe is None else None


@dataclass(frozen=True)
class Check(Precondition):
    """A function over the context: None or True passes, False or a reason fails.

    A function that raises fails with its message. `description` names the condition in a few words.
    """

    # The address in a function's repr would make equal failures differ.
    fn: Callable[[PreconditionContext], object] = field(repr=False)
    description: str

    def check(self, ctx: PreconditionContext) -> str | None:
        """Return None when the function passes, else its reason or the description."""
        try:
            answer = self.fn(ctx)
        except Exception as problem:  # noqa: BLE001 - any failure of a check is its answer
            return f"{self.description}: {exception_text(problem)}"
        if answer is None or answer is True:
            return None
        return self.description if answer is False else str(answer)
