"""Loading an object that somebody named: `package.module:attr` or `path/to/file.py:attr`.

One file is executed once, whichever form names it first, so that a pack, a runtime and a scheduler
defined in one file share their module-level state (docs/writing-a-runtime.md, "Naming a runtime").
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from wt_git.errors import LoadError
from wt_git.naming import did_you_mean
from wt_git.runner.foreign_values import safe_repr, safe_text
from wt_git.sweep import fresh_sources
from wt_git.text import one_line

FOREIGN_FAILURES = (Exception, SystemExit)
"""What code that is not ours may raise and we report. An `exit(0)` in a plugin must not end a sweep
as if everything had passed."""


class Source(NamedTuple):
    """A name that was typed, taken apart: `place` is a dotted module or a path to a file."""

    place: str
    attribute: str
    is_path: bool


class Loaded(NamedTuple):
    """What a source held, and the file it came from (None when no single file did)."""

    value: Any
    file: Path | None


def parse_source(spec: str) -> Source | None:
    """Take `spec` apart, or return None when a half of it is missing.

    It is split at the first colon, but a path may hold one (a drive letter), so for anything that
    looks like a path the last colon counts.
    """
    place, _, attribute = spec.rpartition(":")
    if _looks_like_path(place):
        return Source(place, attribute, is_path=True) if place and attribute else None
    place, _, attribute = spec.partition(":")
    return Source(place, attribute, is_path=False) if place and attribute else None


def _looks_like_path(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place


def load(source: Source, what: str) -> Loaded:
    """Import `source` and return its attribute. `what` names it in errors: "runtime plugin".

    Raises `LoadError` (token `could not load <what>`) for everything that goes wrong, also for what
    the loaded code itself raises, in one line that names the cause.
    """
    shown = f"{source.place}:{source.attribute}"
    try:
        fresh_sources.install()
        _make_importable(Path.cwd())
        module = _module_at(Path(source.place)) if source.is_path else _module_named(source.place)
        value = _attribute(module, source)
    except FOREIGN_FAILURES as error:
        raise load_failure(
            f"could not load {what} '{shown}': {describe(error)}",
            what=what,
            source=shown,
            problem=describe(error),
        ) from error
    file = getattr(module, "__file__", None)
    return Loaded(value, Path(file).resolve() if file else None)


def source_file(spec: str) -> Path | None:
    """Return the file behind a source that was loaded, None for a module without one."""
    source = parse_source(spec)
    if source is None:
        return None
    if source.is_path:
        return Path(source.place)
    file = getattr(sys.modules.get(source.place), "__file__", None)
    return Path(file) if file else None


def load_failure(message: str, *, what: str, source: str, problem: str) -> LoadError:
    """Return the error for foreign code, found at `source`, that is not usable as a `what`."""
    facts = {"what": what, "source": source, "problem": problem}
    return LoadError(message, code="load-failed", facts=facts)


def describe(error: BaseException) -> str:
    """Return an exception as one line for people: its type and the first line of its text."""
    if isinstance(error, SystemExit):
        return f"it called exit({safe_repr(error.code)})"
    name = type(error).__name__
    text = one_line(safe_text(error).strip().split("\n")[0], 300)
    return name if text in {"", name} else f"{name}: {text}"


def _attribute(module: ModuleType, source: Source) -> Any:
    first, *rest = source.attribute.split(".")
    # What makes its names itself, or stands in the place of a module, knows better.
    names = vars(module) if type(module) is ModuleType else {"__getattr__": None}
    if first not in names and "__getattr__" not in names:
        # Python would say it of the name that was made up here for the module of a file.
        near = did_you_mean(first, [name for name in names if not name.startswith("_")])
        raise AttributeError(f"'{one_line(source.place)}' has no '{one_line(first)}'{near}")
    value: Any = getattr(module, first)
    for name in rest:
        value = getattr(value, name)
    return value


_PREFIX = "wt_loaded_"
_modules_by_file: dict[Path, ModuleType] = {}


def _make_importable(folder: Path) -> None:
    """Put `folder` on the path: the installed command, unlike `python -m`, does not have it there."""
    if str(folder) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(folder))


def _module_named(name: str) -> ModuleType:
    # Our own modules came before the process did; from 3.12 on this call loads importlib.metadata.
    if name not in sys.modules and not name.startswith("wt_git."):
        importlib.invalidate_caches()
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin and (known := _known(Path(spec.origin))):
            sys.modules[name] = known
    return importlib.import_module(name)


def _module_at(path: Path) -> ModuleType:
    resolved = path.expanduser().resolve()
    if known := _known(resolved):
        return known
    if not resolved.is_file():
        raise FileNotFoundError(f"there is no file '{path}' (looked at {resolved})")
    # The digest keeps two files of one name apart; the stem keeps tracebacks readable.
    digest = sha256(str(resolved).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = f"{_PREFIX}{resolved.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise ImportError(f"'{path}' is not a Python file")
    fresh_sources.believe_sources(spec)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    _modules_by_file[resolved] = module
    return module


def is_path_module(name: str) -> bool:
    """Say whether a module's name was made up here for a file that was named by its path."""
    return name.startswith(_PREFIX)


def _known(resolved: Path) -> ModuleType | None:
    """Return the module that was already made from this file, by us or by an ordinary import."""
    if module := _modules_by_file.get(resolved):
        return module
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        # `python -m module` runs a file as __main__, which is another module object.
        if not file or module.__name__ == "__main__" or not file.endswith(resolved.name):
            continue
        if Path(file).resolve() == resolved:
            return module
    return None
