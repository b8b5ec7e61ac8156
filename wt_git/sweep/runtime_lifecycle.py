"""The life of a runtime around its runs: held, built, `pre_run`, `post_run`, and their failures.

docs/writing-a-runtime.md, "The plugin".
"""

from __future__ import annotations

import os
import socket
import traceback
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from wt_git.clock import with_fraction
from wt_git.errors import WindTunnelError
from wt_git.plugins.loading import FOREIGN_FAILURES, describe
from wt_git.records.events import LockAcquired, LockWaiting

if TYPE_CHECKING:
    import threading
    from contextlib import AbstractContextManager
    from pathlib import Path

    from wt_git.clock import Clock
    from wt_git.records.events import Event
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import RunTarget
    from wt_git.sweep.run_lock.lock_holder import LockWaitState


class RuntimeFailureError(WindTunnelError):
    """The plugin failed outside any scenario: in `build` (exit 2), `pre_run` or `post_run`."""

    code = "runtime-failed"


def build_runtime(target: RunTarget) -> AgentRuntime:
    """Build the runtime. Raises `RuntimeFailureError`, which names the cause."""
    request = target.request
    soul = str(request.soul) if request.soul else None
    try:
        return target.runtime.plugin.build(request.runtime, request.label, soul)
    except FOREIGN_FAILURES as error:
        raise RuntimeFailureError(
            f"runtime '{request.runtime}' could not be built: {describe(error)}",
            code="runtime-build-failed",
            facts={"runtime": request.runtime, "step": "build", "problem": describe(error)},
        ) from error


def pre_run(target: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `pre_run`, if it has one; return its failure."""
    return _call_plugin("pre_run", target, runtime)


def post_run(target: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
    """Call the plugin's `post_run`, if it has one; return its failure."""
    return _call_plugin("post_run", target, runtime)


def _call_plugin(name: str, target: RunTarget, runtime: AgentRuntime) -> RuntimeFailureError | None:
    request = target.request
    try:
        method = getattr(target.runtime.plugin, name, None)  # may be a property that raises
        if method is not None:
            method(runtime, [item.scenario for item in target.selected], request.runtime)
    except FOREIGN_FAILURES as error:
        return RuntimeFailureError(
            f"{name} of runtime '{request.runtime}' failed: {describe(error)}",
            code=f"runtime-{name.replace('_', '-')}-failed",
            facts={"runtime": request.runtime, "step": name, "problem": describe(error)},
        )
    return None


def bug_traceback(error: BaseException) -> str | None:
    """Return the stack of an exception; None where it is how drivers report trouble.

    docs/writing-a-runtime.md asks drivers to raise RuntimeError with a text for people, and a stack
    would hide that text. Any other exception is a bug, and needs its stack.
    """
    a_bug = isinstance(error, NotImplementedError | RecursionError)
    if isinstance(error, RuntimeError | OSError) and not a_bug:
        return None
    return "".join(traceback.format_exception(error))


class LockListener(Protocol):
    """Receives messages and events during the wait for a runtime: a sweep's progress, or a replay."""

    def say(self, text: str) -> None:
        """Receive a sentence for people."""
        ...

    def emit(self, kind: type[Event], /, **fields: Any) -> None:
        """Receive an event of a sweep."""
        ...


def hold_runtime(
    target: RunTarget,
    sweep_id: str,
    listener: LockListener,
    *,
    priority: int,
    folder: Path,
    clock: Clock,
    stop: threading.Event,
) -> AbstractContextManager[None]:
    """Return a context in which the runtime is held, through the lock files in `folder`.

    A runtime that jobs may share is not held. Where one is in use, sweeps of a smaller `priority` go
    first. Entering raises `BusyError` where waiting was forbidden, `WaitStopped` once `stop` is set.
    """
    if target.runtime.limit is None:
        return nullcontext()
    # Only here: most focused runs are on runtimes that need no queue.
    from wt_git.sweep.run_lock.lock_holder import Holder, describe_waiting  # noqa: PLC0415
    from wt_git.sweep.run_lock.runtime_lock import hold  # noqa: PLC0415

    request, key = target.request, target.runtime.lock_key

    def waiting(seen: LockWaitState) -> None:
        listener.say(describe_waiting(seen))
        holder = seen.holder._asdict() if seen.holder else None
        listener.emit(LockWaiting, lock=seen.key, holder=holder)

    def acquired(waited_s: float) -> None:
        listener.say(f"runtime '{key}' acquired after {waited_s:.1f}s")
        listener.emit(LockAcquired, lock=key, waited_s=round(waited_s, 3))

    return hold(
        key,
        Holder(
            pid=os.getpid(),
            host=socket.gethostname(),
            since=with_fraction(clock.now()),
            command=request.command,
            label=request.label,
            sweep_id=sweep_id,
            runs_dir=str(request.runs_dir),
        ),
        folder=folder,
        priority=priority,
        wait=request.wait,
        stop=stop,
        on_waiting=waiting,
        on_acquired=acquired,
    )
