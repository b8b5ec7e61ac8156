"""Naming what was seen: names rather than counts, foreign ones inert, and not too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection

_SHOWN = 5
_NAME_LIMIT = 120


def named(names: Collection[str], *, most: int = _SHOWN) -> str:
    """Return the first `most` names in quotes, and how many more there are."""
    shown = ", ".join(f"'{one_line(name, _NAME_LIMIT)}'" for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
