"""Resolving `--runtime` and `--hook` to plugins, and reading what a runtime plugin declares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wt_git.errors import UsageError
from wt_git.evidence.targets import normalise_key
from wt_git.plugins.loading import (
    FOREIGN_FAILURES,
    Loaded,
    Source,
    describe,
    entry_points_of,
    is_path_module,
    load,
    load_failure,
    parse_source,
)
from wt_git.runner.lifecycle_hooks import check_hook_names, is_hook
from wt_git.runner.safe_values import safe_repr
from wt_git.text import did_you_mean, near_matches, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.metadata import EntryPoint

    from wt_git.errors import LoadError
    from wt_git.spi.runtime_plugin import RuntimePlugin

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
        raise _unusable_hook(point, describe(error)) from error
    if not is_hook(hook):
        problem = (
            f"it is a {type(hook).__name__} without any of the methods of a hook, on_run_scored "
            "for one"
        )
        raise _unusable_hook(point, problem)
    return hook


def _unusable_hook(point: EntryPoint, problem: str) -> LoadError:
    message = f"could not load hook '{point.name}' ({point.value}): {problem}"
    return load_failure(message, what="hook", source=point.value, problem=problem)


RUNTIME_GROUP = "windtunnel.runtimes"
BUILTIN_RUNTIMES = {
    "in_memory": "wt_git.runtimes.in_memory",
    "http_inject": "wt_git.runtimes.http_inject.runtime",
}
"""Each name with the module that has its `PLUGIN`; loaded by name, so that nothing imports them."""


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """A resolved runtime: its plugin, and the answers that the plugin gave once.

    `limit` is how many jobs may overlap (None: any number, and no run lock). `lock_key` names the
    backend for the run lock, `raw_key` as the plugin said it. `model` is the label of the model
    that will answer, or None.
    """

    name: str
    plugin: RuntimePlugin
    file: Path | None
    limit: int | None
    lock_key: str
    model: str | None
    raw_key: str = ""

    @property
    def is_builtin(self) -> bool:
        """Whether it ships with Wind Tunnel, so that our version says all about it."""
        return self.name in BUILTIN_RUNTIMES

    def identity(self, top: Path | None) -> str:
        """Return who the plugin is, the same on every machine and however it was named.

        A built-in is its name, so that moving our code voids no evidence; a plugin that was loaded
        from a file is that file's path from the `top` of the repository.
        """
        if self.is_builtin:
            return self.name
        made = type(self.plugin)
        if self.file is None or not is_path_module(made.__module__):
            return f"{made.__module__}.{made.__qualname__}"
        inside = top is not None and self.file.is_relative_to(top)
        place = self.file.relative_to(top).as_posix() if top and inside else self.file.name
        return f"{place}:{made.__qualname__}"

    def other_identities(self, top: Path | None) -> list[str]:
        """Return the identities that the plugin's class has when it is named in other ways.

        A file in the repository can be named by its path, and as a module from each folder that
        holds it: all these names mean the same backend.
        """
        made, base = type(self.plugin), top or Path.cwd()
        written = getattr(sys.modules.get(made.__module__), "__file__", None)
        file = None if self.is_builtin or written is None else Path(written).resolve()
        if file is None or not file.is_relative_to(base) or "site-packages" in file.parts:
            return []
        place = file.relative_to(base)
        path = place.as_posix() if top else file.name
        parts = place.with_suffix("").parts
        modules = [".".join(parts[at:]) for at in range(len(parts))]
        others = [f"{path}:{made.__qualname__}", *(f"{one}.{made.__qualname__}" for one in modules)]
        return [one for one in others if one != self.identity(top)]


class Plugin(NamedTuple):
    """A plugin that was found under `name`, and the file it came from; asked nothing yet."""

    name: str
    value: RuntimePlugin
    file: Path | None


def find_plugin(name: str, say: Callable[[str], None]) -> Plugin:
    """Return the plugin that `--runtime name` means; `say` receives notes for people.

    Raises `LoadError` or `UsageError` when there is none and when loading it fails.
    """
    loaded = _load(name, say)
    return Plugin(name, _as_plugin(name, loaded.value), loaded.file)


def resolve_runtime(found: Plugin, say: Callable[[str], None]) -> Runtime:
    """Return the runtime of a plugin, with the declarations of the plugin; `say` as above.

    Raises `UsageError` when it says something that it may not.
    """
    name, plugin, file = found
    model = _model_label(name, plugin, say)
    key = _lock_key(name, plugin)
    return Runtime(
        name=name,
        plugin=plugin,
        file=file,
        limit=_limit(name, plugin),
        lock_key=_normalised(name, key),
        model=model,
        raw_key=key,
    )


def _load(name: str, say: Callable[[str], None]) -> Loaded:
    points = [point for point in entry_points_of(RUNTIME_GROUP) if point.name == name]
    if name in BUILTIN_RUNTIMES:
        for point in points:
            say(f"note: the built-in runtime '{name}' is used, not the installed {point.value}")
        return load(Source(BUILTIN_RUNTIMES[name], "PLUGIN", is_path=False), "runtime plugin")
    if points:
        for other in points[1:]:
            say(f"note: runtime '{name}' is {points[0].value}; {other.value} has the same name")
        try:
            return Loaded(points[0].load(), None)
        except FOREIGN_FAILURES as error:
            raise load_failure(
                f"could not load runtime plugin '{name}' ({points[0].value}): {describe(error)}",
                what="runtime plugin",
                source=points[0].value,
                problem=describe(error),
            ) from error
    source = parse_source(name)
    if source is None:
        raise _unknown(name)
    return load(source, "runtime plugin")


def _unknown(name: str) -> UsageError:
    names = sorted({*BUILTIN_RUNTIMES, *(point.name for point in entry_points_of(RUNTIME_GROUP))})
    return UsageError(
        f"unknown runtime '{one_line(name)}'{did_you_mean(name, names)}\n"
        f"known runtimes: {', '.join(names)}\n"
        "a plugin of your own is named as package.module:PLUGIN or path/to/file.py:PLUGIN",
        code="unknown-runtime",
        facts={"runtime": name, "near": list(near_matches(name, names)), "known": names},
    )


def _as_plugin(name: str, value: Any) -> RuntimePlugin:
    if isinstance(value, type):
        try:
            value = value()
        except FOREIGN_FAILURES as error:
            problem = f"creating {value.__qualname__}() raised {describe(error)}"
            raise _unusable(name, problem) from error
    try:
        builds = callable(getattr(value, "build", None))
    except FOREIGN_FAILURES as error:
        raise _unusable(name, f"its build raised {describe(error)}") from error
    if not builds:
        found = f"it is a {type(value).__name__}"
        problem = f"{found} without a build(runtime_name, label, soul_path) method"
        raise _unusable(name, problem)
    plugin: RuntimePlugin = value
    return plugin


def _unusable(name: str, problem: str) -> LoadError:
    message = f"could not load runtime plugin '{one_line(name)}': {problem}"
    return load_failure(message, what="runtime plugin", source=name, problem=problem)


def _limit(name: str, plugin: RuntimePlugin) -> int | None:
    try:
        limit = getattr(plugin, "max_concurrency", 1)
    except FOREIGN_FAILURES as error:
        raise _bad(
            f"max_concurrency of runtime '{one_line(name)}' failed: {describe(error)}",
            runtime=name,
            field="max_concurrency",
            problem=describe(error),
        ) from error
    if limit is None or (type(limit) is int and limit >= 1):
        return limit
    expected = "expected an int of at least 1, or None for no limit"
    raise _bad(
        f"runtime '{one_line(name)}' declares max_concurrency={safe_repr(limit)}; {expected}",
        runtime=name,
        field="max_concurrency",
        value=safe_repr(limit),
        problem=expected,
    )


def _bad(message: str, **facts: str) -> UsageError:
    return UsageError(message, code="bad-plugin", facts=facts)


def _lock_key(name: str, plugin: RuntimePlugin) -> str:
    try:
        ask = getattr(plugin, "lock_key", None)
        key = name if ask is None else ask(name)
    except FOREIGN_FAILURES as error:
        raise _bad(
            f"lock_key of runtime '{one_line(name)}' failed: {describe(error)}",
            runtime=name,
            field="lock_key",
            problem=describe(error),
        ) from error
    if not isinstance(key, str) or not key.strip():
        expected = "expected a non-blank string"
        raise _bad(
            f"lock_key of runtime '{one_line(name)}' returned {safe_repr(key)}; {expected}",
            runtime=name,
            field="lock_key",
            value=safe_repr(key),
            problem=expected,
        )
    return key


def _normalised(name: str, key: str) -> str:
    """Return the key of the run lock: an address is one backend however it is spelt.

    Any other key is the plugin's own word and stays as it is, its runtime's name included: two
    plugins may both call a backend `default`.
    """
    normalised = normalise_key(name, key)
    return normalised if "://" in normalised else key.strip()


def _model_label(name: str, plugin: RuntimePlugin, say: Callable[[str], None]) -> str | None:
    try:
        ask = getattr(plugin, "model_label", None)
        label = None if ask is None else ask(name)
        return str(label) if label else None
    except FOREIGN_FAILURES as error:
        # An unknown model is recorded as unknown; it stops nothing.
        say(f"note: model_label of runtime '{one_line(name)}' failed: {describe(error)}")
        return None
