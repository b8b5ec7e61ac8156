"""The public names for runtime authors: agents, tool servers, hooks, probes and schedulers.

docs/writing-a-runtime.md is the guide. These 30 names and their order are the public surface. As in
`wt_git.api`, a name is loaded on first use.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in `wt_git.api`
if TYPE_CHECKING:
    from typing import Any

    from wt_git.spi.agent_runtime import AgentConfig as AgentConfig
    from wt_git.spi.agent_runtime import AgentHandle as AgentHandle
    from wt_git.spi.agent_runtime import AgentRuntime as AgentRuntime
    from wt_git.spi.agent_runtime import Message as Message
    from wt_git.spi.agent_runtime import ModelSpec as ModelSpec
    from wt_git.spi.agent_runtime import Response as Response
    from wt_git.spi.agent_runtime import (
        RunnerMCPConfigurableRuntime as RunnerMCPConfigurableRuntime,
    )
    from wt_git.spi.agent_runtime import SamplingConfig as SamplingConfig
    from wt_git.spi.agent_runtime import (
        SurfaceIntrospectableAgentHandle as SurfaceIntrospectableAgentHandle,
    )
    from wt_git.spi.hooks import Hook as Hook
    from wt_git.spi.hooks import HookArtifact as HookArtifact
    from wt_git.spi.hooks import HookContext as HookContext
    from wt_git.spi.mcp_server import FailureInjectableMCPHandle as FailureInjectableMCPHandle
    from wt_git.spi.mcp_server import MCPCall as MCPCall
    from wt_git.spi.mcp_server import MCPHandle as MCPHandle
    from wt_git.spi.mcp_server import MCPServer as MCPServer
    from wt_git.spi.mcp_server import MCPSpec as MCPSpec
    from wt_git.spi.mcp_server import (
        ToolDefinitionIntrospectableMCPHandle as ToolDefinitionIntrospectableMCPHandle,
    )
    from wt_git.spi.mcp_server import ToolIntrospectableMCPHandle as ToolIntrospectableMCPHandle
    from wt_git.spi.reference import ReferenceCapableAgentRuntime as ReferenceCapableAgentRuntime
    from wt_git.spi.reference import ReferenceCase as ReferenceCase
    from wt_git.spi.reference import ReferenceDecision as ReferenceDecision
    from wt_git.spi.reference import ReferenceKind as ReferenceKind
    from wt_git.spi.reference import ReferenceToolCall as ReferenceToolCall
    from wt_git.spi.runtime_plugin import RuntimePlugin as RuntimePlugin
    from wt_git.spi.scheduler import ConcurrentScheduler as ConcurrentScheduler
    from wt_git.spi.scheduler import RunJob as RunJob
    from wt_git.spi.scheduler import Scheduler as Scheduler
    from wt_git.spi.scheduler import SequentialScheduler as SequentialScheduler
    from wt_git.spi.state_probe import StateProbe as StateProbe

_NAMES = {
    "agent_runtime": (
        "AgentConfig AgentHandle AgentRuntime Message ModelSpec Response "
        "RunnerMCPConfigurableRuntime SamplingConfig SurfaceIntrospectableAgentHandle"
    ),
    "hooks": "Hook HookArtifact HookContext",
    "mcp_server": (
        "FailureInjectableMCPHandle MCPCall MCPHandle MCPServer MCPSpec "
        "ToolDefinitionIntrospectableMCPHandle ToolIntrospectableMCPHandle"
    ),
    "runtime_plugin": "RuntimePlugin",
    "reference": (
        "ReferenceCapableAgentRuntime ReferenceCase ReferenceDecision ReferenceKind "
        "ReferenceToolCall"
    ),
    "scheduler": "RunJob Scheduler SequentialScheduler ConcurrentScheduler",
    "state_probe": "StateProbe",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOME]  # noqa: PLE0604 - strings, all of them


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
