"""The policy of recorded tool universes. docs/writing-a-scenario.md, "Scorers"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.scenario import Policy

if TYPE_CHECKING:
    from wt_git.api.trace import Trace


def no_divergence() -> Policy:
    """Return a policy that the run never left the recording of its tool universe."""
    return Policy(name="no_divergence", predicate=_stayed_in_recording)


def _stayed_in_recording(trace: Trace) -> bool:
    if any("universe_divergence:" in warning for warning in trace.worker_warnings):
        return False
    extras = (call.get("extra") for call in trace.mcp_calls)
    return not any(isinstance(extra, dict) and "divergence" in extra for extra in extras)
