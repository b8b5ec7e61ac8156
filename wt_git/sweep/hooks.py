"""Resolving `--hook` names to lifecycle hooks (docs/writing-a-runtime.md, "Lifecycle hooks")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wt_git.errors import LoadError, UsageError
from wt_git.sweep.entry_points import installed
from wt_git.sweep.loading import describe
from wt_git.sweep.selection import near_matches
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

HOOK_GROUP = "windtunnel.hooks"
_NAME = re.compile(r"[a-z0-9_-]+")


def resolve_hooks(names: Sequence[str]) -> list[Any]:
    """Return the hook objects for `names`, in order. Installing a package activates none.

    Raises `UsageError` for an unknown hook, for a hook whose own name could not be part of a file
    name, twice the same name, and the name `score`, whose artifacts would replace the score.
    """
    hooks = [_resolve(name) for name in names]
    seen: set[str] = set()
    for hook in hooks:
        name = _name_of(hook)
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"hook name {name!r} may only hold a-z, 0-9, '_' and '-'", code="bad-hook"
            )
        if name == "score":
            raise UsageError(
                "a hook may not be named 'score': its artifact would replace the score of a run",
                code="bad-hook",
            )
        if name in seen:
            raise UsageError(f"hook '{name}' is named twice; name it once", code="bad-hook")
        seen.add(name)
    return hooks


def _name_of(hook: Any) -> str:
    return str(getattr(hook, "name", type(hook).__name__))


def _resolve(name: str) -> Any:
    points = {point.name: point for point in installed(HOOK_GROUP)}
    point = points.get(name)
    if point is None:
        available = sorted(points)
        near = near_matches(name, available)
        raise UsageError(
            f"unknown hook '{one_line(name)}'"
            + (f"; did you mean {' or '.join(near)}?" if near else "")
            + f"; installed hooks: {', '.join(available) or 'none'}",
            code="unknown-hook",
        )
    try:
        loaded = point.load()
        return loaded() if isinstance(loaded, type) else loaded
    except Exception as error:  # whatever foreign code raises
        raise LoadError(
            f"could not load hook '{name}' ({point.value}): {describe(error)}", code="load-failed"
        ) from error
