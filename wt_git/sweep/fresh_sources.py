"""Importing source as it stands in the tree, also right after an edit.

Python keeps compiled code beside its source and believes it while the source has the same size and
was changed in the same second. An agent that edits a pack twice within a second would fly the first
edit under the tree of the second. So compiled code from the very second in which its source was
changed is not believed, as git does not believe its index about such a file.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import PathEntryFinder

_INSTALLED = ("site-packages", "dist-packages")
_STANDARD_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120 - as sys.path has it


class FreshSourceLoader(SourceFileLoader):
    """Loads a source file; compiles it anew where what was compiled may be of an earlier edit."""

    def get_data(self, path: str) -> bytes:
        """Return what a file holds. Raises `OSError` for compiled code that is not to be believed."""
        if path != self.path and _second(path) <= _second(self.path):
            raise OSError("compiled in the second in which the source was changed")
        return super().get_data(path)


def believe_sources(spec: ModuleSpec) -> None:
    """Let the source file of `spec`, if that is what it is made of, be loaded as it stands."""
    if type(spec.loader) is SourceFileLoader:
        spec.loader = FreshSourceLoader(spec.name, spec.loader.path)


def install() -> None:
    """Let all modules that are not installed ones be loaded as they stand; once is enough."""
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


def _second(path: str) -> int:
    return int(os.stat(path).st_mtime)  # noqa: PTH116 - hot: for each module
