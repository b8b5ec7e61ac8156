"""Matching the names of tools. docs/writing-a-scenario.md, "Matching"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def tool_name_matches(canonical: str, full: str) -> bool:
    """Say whether `full`, a name as a platform shows it, means the tool named `canonical`.

    Platforms put a prefix before a tool's name, joined with an underscore or a dot: `client_lookup`
    is also `mcp_acme_client_lookup` and `ops.client_lookup`. Case counts. Since `client_lookup` also
    ends in `_lookup`, always write the whole bare name.
    """
    if full == canonical:
        return True
    return bool(canonical) and full.endswith((f"_{canonical}", f".{canonical}"))


def alternatives(entry: str | Sequence[str]) -> tuple[str, ...]:
    """Return the tools of one `must_call` entry, any of which satisfies it."""
    return (entry,) if isinstance(entry, str) else tuple(entry)


def matches_any(canonicals: Iterable[str], full: str) -> bool:
    """Say whether `full` means one of the tools in `canonicals`."""
    return any(tool_name_matches(canonical, full) for canonical in canonicals)
