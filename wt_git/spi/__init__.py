"""The public names for runtime authors: agents, tool servers, hooks, probes and schedulers.

docs/writing-a-runtime.md is the guide. These 30 names and their order are the public surface.
"""

from __future__ import annotations

from wt_git.spi.agent_runtime import (
    AgentConfig,
    AgentHandle,
    AgentRuntime,
    Message,
    ModelSpec,
    Response,
    RunnerMCPConfigurableRuntime,
    SamplingConfig,
    SurfaceIntrospectableAgentHandle,
)
from wt_git.spi.hooks import Hook, HookArtifact, HookContext
from wt_git.spi.mcp_server import (
    FailureInjectableMCPHandle,
    MCPCall,
    MCPHandle,
    MCPServer,
    MCPSpec,
    ToolDefinitionIntrospectableMCPHandle,
    ToolIntrospectableMCPHandle,
)
from wt_git.spi.reference import (
    ReferenceCapableAgentRuntime,
    ReferenceCase,
    ReferenceDecision,
    ReferenceKind,
    ReferenceToolCall,
)
from wt_git.spi.runtime_plugin import RuntimePlugin
from wt_git.spi.scheduler import ConcurrentScheduler, RunJob, Scheduler, SequentialScheduler
from wt_git.spi.state_probe import StateProbe

__all__ = [  # noqa: RUF022 - the published order
    "AgentConfig",
    "AgentHandle",
    "AgentRuntime",
    "Message",
    "ModelSpec",
    "Response",
    "RunnerMCPConfigurableRuntime",
    "SamplingConfig",
    "SurfaceIntrospectableAgentHandle",
    "Hook",
    "HookArtifact",
    "HookContext",
    "FailureInjectableMCPHandle",
    "MCPCall",
    "MCPHandle",
    "MCPServer",
    "MCPSpec",
    "ToolDefinitionIntrospectableMCPHandle",
    "ToolIntrospectableMCPHandle",
    "RuntimePlugin",
    "ReferenceCapableAgentRuntime",
    "ReferenceCase",
    "ReferenceDecision",
    "ReferenceKind",
    "ReferenceToolCall",
    "RunJob",
    "Scheduler",
    "SequentialScheduler",
    "ConcurrentScheduler",
    "StateProbe",
]
