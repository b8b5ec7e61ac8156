"""What a runtime plugin does around the jobs: `build`, `pre_run`, `post_run`, and their failures.

docs/writing-a-runtime.md, "The plugin".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.sweep.loading import FOREIGN_FAILURES, describe

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import Flight


class RuntimeFailureError(WindTunnelError):
    """The plugin failed outside any scenario: in `build` (exit 2), `pre_run` or `post_run`."""

    code = "runtime-failed"


def build(flight: Flight) -> AgentRuntime:
    """Build the runtime. Raises `RuntimeFailureError`, which names the cause."""
    request = flight.request
    soul = str(request.soul) if request.soul else None
    try:
        return flight.runtime.plugin.build(request.runtime, request.label, soul)
    except FOREIGN_FAILURES as error:
        raise RuntimeFailureError(
            f"runtime '{request.runtime}' could not be built: {describe(error)}",
            code="runtime-build-failed",
            facts={"runtime": request.runtime, "step": "build", "problem": describe(error)},
        ) from error


def pre_run(flight: Flight, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `pre_run`, if it has one; return its failure."""
    return _call("pre_run", flight, runtime)


def post_run(flight: Flight, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `post_run`, if it has one, whatever happened before; return its failure."""
    return _call("post_run", flight, runtime)


def _call(name: str, flight: Flight, runtime: AgentRuntime) -> RuntimeFailureError | None:
    request = flight.request
    try:
        method = getattr(flight.runtime.plugin, name, None)  # may be a property that raises
        if method is not None:
            method(runtime, [item.scenario for item in flight.selected], request.runtime)
    except FOREIGN_FAILURES as error:
        return RuntimeFailureError(
            f"{name} of runtime '{request.runtime}' failed: {describe(error)}",
            code=f"runtime-{name.replace('_', '-')}-failed",
            facts={"runtime": request.runtime, "step": name, "problem": describe(error)},
        )
    return None
