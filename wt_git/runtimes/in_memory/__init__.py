"""A scripted agent, for trying scenarios and the bench itself. docs/writing-a-runtime.md."""

from wt_git.runtimes.in_memory.runtime import InMemoryRuntime, ScriptedEntry

__all__ = ["InMemoryRuntime", "ScriptedEntry"]
