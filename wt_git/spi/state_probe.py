"""Probes of external state, which is captured before scoring.

docs/writing-a-scenario.md, "External state".
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class StateProbe(Protocol):
    """Captures external state after a run and restores its baseline before one.

    A probe may also have `bind_workspace(path)` (or `set_workspace_dir(path)`), called once per
    batch with the handle's `workspace_dir`.
    """

    def capture(self) -> dict[str, Any]:
        """Return the state as JSON data, keyed by source name; stored in `trace.observations`."""
        ...

    def reset(self) -> None:
        """Restore the seeded baseline, or raise; callable twice."""
        ...
