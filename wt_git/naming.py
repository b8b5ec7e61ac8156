"""Naming what was seen: names rather than counts, and not too many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_SHOWN = 5
_NAME_LIMIT = 120


def listed(names: Sequence[str], *, most: int = _SHOWN, between: str = ", ") -> str:
    """Return names, which are inert already: the first `most`, and how many more there are.

    What stands `between` names separates their number too, where it is more than a comma.
    """
    shown = between.join(names[:most])
    before = " " if between == ", " else between
    return f"{shown}{before}and {len(names) - most} more" if len(names) > most else shown


def named(names: Collection[str], *, most: int = _SHOWN) -> str:
    """Return foreign names in quotes, made inert: the first `most`, and how many more there are."""
    return listed([f"'{one_line(name, _NAME_LIMIT)}'" for name in names], most=most)


def scenario_name(pack: str | None, scenario: str) -> str:
    """Return a scenario as people name it; names of scenarios are only unique in their pack."""
    return f"{pack}/{scenario}" if pack else scenario
