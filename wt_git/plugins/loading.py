"""Loading code of others: `package.module:attr`, `path/to/file.py:attr`, and entry points.

A file is executed once, under whichever form it is named first, so that a pack, a runtime and a
scheduler in one file share their module-level state (docs/writing-a-runtime.md, "Naming a
runtime").

A source file is loaded as it is now, also right after an edit. Python uses compiled code while the
source has the same size and was changed in the same second, so the second of two edits within a
second would be ignored. Compiled code from the second in which its source changed is not used.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from functools import cache
from hashlib import sha256
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.errors import LoadError, author_place, exception_text, innermost
from wt_git.runner.safe_values import safe_repr
from wt_git.text import did_you_mean, one_line

if TYPE_CHECKING:
    from importlib.abc import PathEntryFinder
    from importlib.metadata import EntryPoint

_INSTALLED = ("site-packages", "dist-packages")
_STANDARD_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120 - as sys.path has it


class FreshSourceLoader(SourceFileLoader):
    """Loads a source file; compiles it again where the compiled code may be of an earlier edit."""

    def get_data(self, path: str) -> bytes:
        """Return the content of a file. Raises `OSError` for compiled code that may be outdated."""
        if path != self.path and _mtime_second(path) <= _mtime_second(self.path):
            raise OSError("compiled in the second in which the source was changed")
        return super().get_data(path)


def load_source_anew(spec: ModuleSpec) -> None:
    """Use `FreshSourceLoader` for `spec`, if it is a source file."""
    if type(spec.loader) is SourceFileLoader:
        spec.loader = FreshSourceLoader(spec.name, spec.loader.path)


def install_fresh_loader() -> None:
    """Use `FreshSourceLoader` for all modules that are not installed; later calls do nothing."""
    if _find_fresh in sys.path_hooks:
        return
    sys.path_hooks.insert(0, _find_fresh)
    for folder in list(sys.path_importer_cache):
        if not _is_installed(folder):
            del sys.path_importer_cache[folder]


_make_finder = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (FreshSourceLoader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)


def _find_fresh(folder: str) -> PathEntryFinder:
    if _is_installed(folder):
        raise ImportError("what is installed is not edited")
    return _make_finder(folder)


def _is_installed(folder: str) -> bool:
    return folder.startswith(_STANDARD_LIBRARY) or any(name in folder for name in _INSTALLED)


def _mtime_second(path: str) -> int:
    return int(os.stat(path).st_mtime)  # noqa: PTH116 - hot: for each module


FOREIGN_FAILURES = (Exception, SystemExit)
"""Exceptions of foreign code that we report. An `exit(0)` in a plugin must not end a sweep
as if everything had passed."""


class Source(NamedTuple):
    """A name that was typed, taken apart: `place` is a dotted module or a path to a file."""

    place: str
    attribute: str
    is_path: bool


class Loaded(NamedTuple):
    """The value of a source, and the file that it came from (None without a single file)."""

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
        install_fresh_loader()
        _make_importable(Path.cwd())
        module = _module_at(Path(source.place)) if source.is_path else _module_named(source.place)
        value = _attribute(module, source)
    except FOREIGN_FAILURES as error:
        raise load_failure(
            f"could not load {what} '{shown}': {describe(error)}{_at(error)}",
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
    """Return an exception as one line for people: its type, and the first line of its text.

    Of a group that is the first of the innermost causes. A keyword that no class of the public API takes has the near one beside it.
    """
    if isinstance(error, SystemExit):
        return f"it called exit({safe_repr(error.code)})"
    first, *others = innermost(error)
    more = f" and {len(others)} more" if others else ""
    text = one_line(exception_text(first).split("\n")[0], 300)
    return f"{text}{_near_keyword(first)}{more}"


def _at(error: BaseException) -> str:
    place = author_place(innermost(error)[0])
    return "" if place is None else f" (at {place})"


def _near_keyword(error: BaseException) -> str:
    """Return `; did you mean X?` for a keyword that a public class does not take, or nothing."""
    found = _WRONG_KEYWORD.search(str(error)) if isinstance(error, TypeError) else None
    if found is None or "Did you mean" in str(error):
        return ""
    kinds = (getattr(module, found["kind"], None) for module in map(sys.modules.get, _PUBLIC))
    kind = next((one for one in kinds if one is not None), None)
    known = list(getattr(kind, "__dataclass_fields__", ()))
    return did_you_mean(found["keyword"], known)


_WRONG_KEYWORD = re.compile(
    r"(?P<kind>\w+)\.__init__\(\) got an unexpected keyword argument '(?P<keyword>\w+)'"
)
_PUBLIC = ("wt_git.api.scenario", "wt_git.api.pack", "wt_git.api.preconditions", "wt_git.api.score")


def _attribute(module: ModuleType, source: Source) -> Any:
    first, *rest = source.attribute.split(".")
    # A module with `__getattr__`, or an object in place of a module, reports a missing name itself.
    names = vars(module) if type(module) is ModuleType else {"__getattr__": None}
    if first not in names and "__getattr__" not in names:
        # Python would mention the name that was generated here for the module of a file.
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
    load_source_anew(spec)
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
    """Say whether the name of a module was generated here for a file that was named by its path."""
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


def entry_points_of(group: str) -> list[EntryPoint]:
    """Return the entry points of `group`, one for each (name, value), in a stable order."""
    if not _may_be_named(group):
        return []
    # Costs more to import than a bare interpreter takes to start, so only when it is needed.
    from importlib.metadata import entry_points  # noqa: PLC0415

    unique = {(point.name, point.value): point for point in entry_points(group=group)}
    return [unique[key] for key in sorted(unique)]


def _may_be_named(group: str) -> bool:
    """Say whether any installed package may name `group`: False only where that is certain."""
    if any(hasattr(one, "find_distributions") and one is not PathFinder for one in sys.meta_path):
        return True  # packages may be anywhere
    named = group.encode()
    return any(found is None or named in found for found in map(_declarations, sys.path))


@cache
def _declarations(place: str) -> bytes | None:
    """Return the entry points that packages in a folder declare; None for an archive."""
    place = place or "."
    try:
        names = os.listdir(place)  # noqa: PTH208 - a few thousand names, and a Path for each costs most
    except OSError:
        return None if os.path.isfile(place) else b""  # noqa: PTH113
    texts = []
    for name in names:
        if name.lower().endswith((".dist-info", ".egg-info")) or name.lower() == "egg-info":
            try:
                with open(f"{place}/{name}/entry_points.txt", "rb") as stream:  # noqa: PTH123
                    texts.append(stream.read())
            except OSError:
                continue
    return b"\n".join(texts)
