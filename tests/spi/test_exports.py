"""What `wt_git.spi` offers, and that its protocols recognise by shape alone."""

from __future__ import annotations

import importlib

from kit.agents import (
    DefiningToolServer,
    NamingToolServer,
    RecordingHandle,
    RecordingProbe,
    RecordingRuntime,
    RecordingToolServer,
    SurfaceHandle,
)

import wt_git.spi
from wt_git import spi
from wt_git.spi import agent_runtime, mcp_server

NAMES = {
    "agent_runtime": [
        "AgentConfig",
        "AgentHandle",
        "AgentRuntime",
        "Message",
        "ModelSpec",
        "Response",
        "RunnerMCPConfigurableRuntime",
        "SamplingConfig",
        "SurfaceIntrospectableAgentHandle",
    ],
    "hooks": ["Hook", "HookArtifact", "HookContext"],
    "mcp_server": [
        "FailureInjectableMCPHandle",
        "MCPCall",
        "MCPHandle",
        "MCPServer",
        "MCPSpec",
        "ToolDefinitionIntrospectableMCPHandle",
        "ToolIntrospectableMCPHandle",
    ],
    "runtime_plugin": ["RuntimePlugin"],
    "reference": [
        "ReferenceCapableAgentRuntime",
        "ReferenceCase",
        "ReferenceDecision",
        "ReferenceKind",
        "ReferenceToolCall",
    ],
    "scheduler": ["RunJob", "Scheduler", "SequentialScheduler", "ConcurrentScheduler"],
    "state_probe": ["StateProbe"],
}


def test_the_public_names_stand_in_the_published_order():
    """The thirty names, module by module."""
    assert wt_git.spi.__all__ == [name for names in NAMES.values() for name in names]


def test_a_submodule_offers_the_same_objects_as_the_package(subtests):
    """A name imported from its own module is the one the package hands out."""
    for module, names in NAMES.items():
        with subtests.test(module=module):
            submodule = importlib.import_module(f"wt_git.spi.{module}")
            for name in names:
                assert getattr(submodule, name) is getattr(spi, name)


def test_the_tool_reference_is_one_class_under_both_modules():
    """`MCPSpec` belongs to the agent's configuration and is offered beside the servers too."""
    assert mcp_server.MCPSpec is agent_runtime.MCPSpec is spi.MCPSpec


def test_objects_satisfy_the_protocols_by_their_members():
    """Nothing is subclassed: having the members is enough."""
    server = RecordingToolServer()
    assert isinstance(RecordingHandle(), spi.AgentHandle)
    assert isinstance(RecordingRuntime(), spi.AgentRuntime)
    assert isinstance(SurfaceHandle(), spi.SurfaceIntrospectableAgentHandle)
    assert isinstance(server, spi.MCPServer)
    assert isinstance(server, spi.MCPHandle)
    assert isinstance(NamingToolServer(), spi.ToolIntrospectableMCPHandle)
    assert isinstance(DefiningToolServer(), spi.ToolDefinitionIntrospectableMCPHandle)
    assert isinstance(RecordingProbe(), spi.StateProbe)


def test_objects_without_the_members_do_not_satisfy_the_protocols():
    """Optional abilities are absent unless an object shows them."""
    assert not isinstance(RecordingHandle(), spi.SurfaceIntrospectableAgentHandle)
    assert not isinstance(RecordingToolServer(), spi.ToolIntrospectableMCPHandle)
    assert not isinstance(RecordingToolServer(), spi.FailureInjectableMCPHandle)
    assert not isinstance(RecordingRuntime(), spi.ReferenceCapableAgentRuntime)
    assert not isinstance(RecordingRuntime(), spi.RunnerMCPConfigurableRuntime)
    assert not isinstance(RecordingRuntime(), spi.RuntimePlugin)


def test_a_plain_attribute_declares_whether_tool_servers_are_mounted():
    """Property or attribute, the declaration is found by its name."""

    class OwnsItsTools(RecordingRuntime):
        accepts_runner_managed_mcps = False

    assert isinstance(OwnsItsTools(), spi.RunnerMCPConfigurableRuntime)


def test_a_runtime_with_both_ways_of_provisioning_can_play_reference_cases():
    """One alone does not qualify."""

    class OnlyReference:
        def provision_reference(self, config, case, mcps=None):
            return RecordingHandle()

    class Both(RecordingRuntime, OnlyReference):
        pass

    assert isinstance(Both(), spi.ReferenceCapableAgentRuntime)
    assert not isinstance(OnlyReference(), spi.ReferenceCapableAgentRuntime)
