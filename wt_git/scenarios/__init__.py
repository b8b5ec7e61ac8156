"""The scenario packs that ship with the product; docs/writing-a-scenario.md, "Dimensions"."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.pack import ScenarioPack

_DIMENSIONS = ("tool_affordance",)


def builtin_packs() -> list[ScenarioPack]:
    """Return the built-in packs in the order in which they are listed and run."""
    return [importlib.import_module(f"{__name__}.dim_{name}").PACK for name in _DIMENSIONS]
