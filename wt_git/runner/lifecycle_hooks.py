"""Lifecycle hooks: called at each point of a batch, their failures contained.

docs/writing-a-runtime.md, "Lifecycle hooks".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from wt_git.errors import LoadError
from wt_git.runner.provisioning import optional_attribute
from wt_git.runner.safe_values import safe_text
from wt_git.spi.hooks import Hook, HookContext, is_hook_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.spi.hooks import HookArtifact

SCORE_SIDECAR = "score"
POINTS = (
    "on_provisioned",
    "on_run_start",
    "on_run_scored",
    "on_run_end",
    "on_scenario_end",
    "on_pack_end",
)


def hook_name(hook: object) -> str:
    """Return the hook's `name`, or the name of its class where `name` is missing or raises."""
    name = optional_attribute(hook, "name")
    return name if isinstance(name, str) else type(hook).__name__


def check_hook_names(hooks: Sequence[object]) -> None:
    """Raise `LoadError` for names that are invalid, given twice, or would overwrite a score.

    For callers that activate hooks by name, before anything is provisioned.
    """
    for name, count in Counter(hook_name(hook) for hook in hooks).items():
        if not is_hook_name(name):
            problem = f"hook name {name!r} must match [a-z0-9_-]+"
        elif name == SCORE_SIDECAR:
            problem = f"a hook may not be named {name!r}: its file would overwrite the score"
        elif count > 1:
            problem = f"hook {name!r} is named {count} times; once is enough"
        else:
            continue
        raise LoadError(problem, code="hook-name", facts={"hook": name, "times_named": count})


def is_hook(value: object) -> bool:
    """Say whether `value` has a method for any point of a sweep."""
    return any(callable(optional_attribute(value, point)) for point in POINTS)


class LifecycleHooks:
    """The active hooks of a batch, in activation order.

    `abandoned` names the hooks whose `converse` ran into its deadline, in order.
    """

    def __init__(self, hooks: Sequence[object]) -> None:
        self._hooks = [(hook_name(hook), hook) for hook in hooks]
        self.abandoned: list[str] = []

    def dispatch(
        self, point: str, warning_sink: Callable[[str], None], **members: Any
    ) -> list[HookArtifact]:
        """Call every hook's method for `point`; return the artifacts, also of one that failed.

        `members` are members of `HookContext`. A hook that raises leaves the warning
        `hook:<name>: <message>`, and the next one runs.
        """
        artifacts: list[HookArtifact] = []
        for name, hook in self._hooks:
            context: HookContext | None = None
            try:
                method = getattr(hook, point, None)
                if callable(method) and not _is_inherited(hook, point):
                    context = HookContext(
                        hook_name=name, phase=point, warning_sink=warning_sink, **members
                    )
                    method(context)
            except SystemExit as error:  # a hook does not end the sweep either
                warning_sink(f"hook:{name}: it called exit({safe_text(error)})")
            except Exception as error:  # noqa: BLE001 - a hook changes no verdict
                warning_sink(f"hook:{name}: {safe_text(error)}")
            if context is not None:
                artifacts += context.artifacts
                if context.converse_timed_out:
                    self.abandoned.append(name)
        return artifacts


def _is_inherited(hook: object, point: str) -> bool:
    """Say whether a `Hook` leaves the empty method of the base class for the point."""
    return isinstance(hook, Hook) and getattr(type(hook), point) is getattr(Hook, point)
