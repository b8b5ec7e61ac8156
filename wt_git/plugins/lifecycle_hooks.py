"""Resolving `--hook` names to lifecycle hooks (docs/writing-a-runtime.md, "Lifecycle hooks")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.errors import UsageError
from wt_git.plugins.loading import FOREIGN_FAILURES, describe, entry_points_of, load_failure
from wt_git.runner.lifecycle_hooks import check_hook_names, is_hook
from wt_git.text import did_you_mean, near_matches, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from wt_git.errors import LoadError

HOOK_GROUP = "windtunnel.hooks"


def resolve_hooks(names: Sequence[str]) -> list[Any]:
    """Return the hook objects for `names`, in order. Installing a package activates none.

    Raises `UsageError` for an unknown hook, and `LoadError` for one that does not load or whose own
    name could not be part of a file name, is taken, or would overwrite a score.
    """
    hooks = [_resolve(name) for name in names]
    check_hook_names(hooks)
    return hooks


def _resolve(name: str) -> Any:
    points = {point.name: point for point in entry_points_of(HOOK_GROUP)}
    point = points.get(name)
    if point is None:
        available = sorted(points)
        raise UsageError(
            f"unknown hook '{one_line(name)}'{did_you_mean(name, available)}"
            f"; installed hooks: {', '.join(available) or 'none'}",
            code="unknown-hook",
            facts={"hook": name, "near": list(near_matches(name, available)), "known": available},
        )
    try:
        loaded = point.load()
        hook = loaded() if isinstance(loaded, type) else loaded
    except FOREIGN_FAILURES as error:
        raise _unusable(point, describe(error)) from error
    if not is_hook(hook):
        problem = (
            f"it is a {type(hook).__name__} without any of the methods of a hook, on_run_scored "
            "for one"
        )
        raise _unusable(point, problem)
    return hook


def _unusable(point: EntryPoint, problem: str) -> LoadError:
    message = f"could not load hook '{point.name}' ({point.value}): {problem}"
    return load_failure(message, what="hook", source=point.value, problem=problem)
