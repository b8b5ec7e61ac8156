"""The scenario packs that ship with the product; docs/writing-a-scenario.md, "Dimensions"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.pack import ScenarioPack

__all__ = ["builtin_packs"]


def builtin_packs() -> list[ScenarioPack]:
    """Return the built-in packs in the order in which they are listed and run."""
    from wt_git.scenarios import dim_tool_affordance  # noqa: PLC0415 - importing the root stays cheap

    return [dim_tool_affordance.PACK]
