"""Noticing that a fresh runs directory stands beside one with history (docs/ladder.md, "The gate").

It starts a baseline of its own, which is allowed, and easily done by mistake.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from wt_git import json_lines
from wt_git.records import layout
from wt_git.records.gate_rows import gate_row

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from pathlib import Path

_LATEST = 50


def history_elsewhere(
    runs_dir: Path, places: Iterable[Path], targets: Container[str]
) -> Path | None:
    """Return a folder in one of `places` whose latest rows are about `targets`; None without one.

    Only the folders directly in a place are looked at, and only the end of their ledgers.
    """
    own = runs_dir.resolve()
    for place in places:
        for ledger in sorted(place.glob(f"*/{layout.LEDGER}")):
            if ledger.parent.resolve() != own and ledger.is_file() and _is_about(ledger, targets):
                return ledger.parent
    return None


def _is_about(ledger: Path, targets: Container[str]) -> bool:
    try:
        lines = itertools.islice(json_lines.read_lines_backwards(ledger), _LATEST)
        rows = [gate_row(line.record) for line in lines]
    except OSError:
        return False
    return any(row is not None and row.target in targets for row in rows)
