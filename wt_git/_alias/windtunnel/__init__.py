"""The import name `windtunnel`: the modules of `wt_git` under the name that packs are written to.

`windtunnel.api.Scenario is wt_git.api.Scenario`, and so for every module: each is loaded once,
whichever name asks first. The wheel carries this folder at its top level.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

import wt_git

TYPE_CHECKING = False  # type checkers take it for typing's, whose import would be the main cost
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType


class _AliasFinder:
    """Answers for every name below `windtunnel`."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, rest = fullname.partition(".")
        if root != "windtunnel":
            return None
        real = _find_real(f"wt_git.{rest}")
        if real is None:
            return None
        folders = real.submodule_search_locations
        spec = ModuleSpec(fullname, _AliasLoader(real), origin=real.origin)
        spec.submodule_search_locations = folders if folders is None else list(folders)
        return spec


def _find_real(name: str) -> ModuleSpec | None:
    """Return the spec of a module of `wt_git` without loading it; None when there is none.

    As `importlib.util.find_spec`, whose import alone takes as long as that of the API.
    """
    if name in sys.modules:
        return sys.modules[name].__spec__
    parent = import_module(name.rpartition(".")[0])
    specs = (finder.find_spec(name, parent.__path__) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)


class _AliasLoader:
    """Loads a module by importing the real one."""

    def __init__(self, real: ModuleSpec) -> None:
        self._real = real

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        module = import_module(self._real.name)
        assert module.__spec__ is not None
        self._real = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just written the alias's spec over the module's own. Reloading,
        # `python -m` and whoever asks where a module is from would then see the wrong name.
        module.__spec__ = self._real

    def get_code(self, _fullname: str) -> CodeType | None:
        """Return what `python -m windtunnel.cli` runs."""
        return self._real.loader.get_code(self._real.name)


# First, or the search along `wt_git.__path__` would load every module a second time.
sys.meta_path.insert(0, _AliasFinder())
sys.modules[__name__] = wt_git
