"""Building a runtime and calling its `pre_run` and `post_run`, and how their failures are reported.

docs/writing-a-runtime.md, "The plugin".
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.plugins.loading import FOREIGN_FAILURES, describe

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import RunTarget


class RuntimeFailureError(WindTunnelError):
    """The plugin failed outside any scenario: in `build` (exit 2), `pre_run` or `post_run`."""

    code = "runtime-failed"


def build_runtime(flight: RunTarget) -> AgentRuntime:
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


def pre_run(flight: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `pre_run`, if it has one; return its failure."""
    return _call_plugin("pre_run", flight, runtime)


def post_run(flight: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `post_run`, if it has one, whatever happened before; return its failure."""
    return _call_plugin("post_run", flight, runtime)


def _call_plugin(name: str, flight: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
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


def bug_traceback(error: BaseException) -> str | None:
    """Return the stack of an exception; None where it is how drivers report trouble.

    docs/writing-a-runtime.md asks drivers to raise RuntimeError with a text for people; a stack
    below it would only hide that text. Anything else is somebody's bug, and needs its stack.
    """
    a_bug = isinstance(error, NotImplementedError | RecursionError)
    if isinstance(error, RuntimeError | OSError) and not a_bug:
        return None
    return "".join(traceback.format_exception(error))
