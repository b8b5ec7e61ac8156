"""What `--runtime in_memory` resolves to."""

from __future__ import annotations

from wt_git.runtimes.in_memory.runtime import InMemoryRuntime


class InMemoryPlugin:
    """An agent that answers `ok` to everything: enough to see a scenario found and scored."""

    # Handles share nothing, so any number of scenarios may fly at once and no lock is needed.
    max_concurrency: int | None = None

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> InMemoryRuntime:
        """Return the runtime."""
        del runtime_name, label, soul_path
        return InMemoryRuntime(["ok"])


PLUGIN = InMemoryPlugin()
