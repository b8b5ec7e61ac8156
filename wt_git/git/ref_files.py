"""Whether a repository has refs of a kind, from its files alone: for hooks that have little time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def may_have_refs(common_dir: Path, prefix: str) -> bool:
    """Say whether any ref may begin with `prefix`: False only where that is certain."""
    if (common_dir / "reftable").exists():
        return True
    folder, _, start = prefix.rpartition("/")
    try:
        if any(path.name.startswith(start) for path in (common_dir / folder).iterdir()):
            return True
    except (FileNotFoundError, NotADirectoryError):
        pass
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return False
    return b" " + prefix.encode() in packed
