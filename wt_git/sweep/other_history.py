"""Whether the history that gates a target is in another runs directory of the repository.

A fresh runs directory has none, so everything in it starts free (docs/ladder.md, "The gate"). That is
how it has to be; that nobody overlooks it is what this is for.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.records import layout
from wt_git.records.fields import as_recorded
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.sweep.gate_check import GateLedger

_MOST_LOOKED_AT = 50


def history_elsewhere(
    runs_dir: Path, fingerprint: Fingerprint, open_ledger: Callable[[Path], GateLedger]
) -> str | None:
    """Return a note that names another runs directory with rows against the target under test.

    For a sweep into a `runs_dir` that has none. Looked at are the repository's ignored and untracked
    folders and those beside `runs_dir`; None when there is no such history.
    """
    target = as_recorded(fingerprint.parts.target or "")
    own = runs_dir.resolve()
    for folder in itertools.islice(_others(own, fingerprint), _MOST_LOOKED_AT):
        if open_ledger(folder).has_target(target):
            return (
                f"note: '{one_line(str(runs_dir))}' has no history of this target, so nothing in it "
                f"has to be earned; '{one_line(os.path.relpath(folder))}' has: evidence is gated per "
                "runs directory"
            )
    return None


def _others(own: Path, fingerprint: Fingerprint) -> Iterator[Path]:
    seen = {own}
    for folder in _candidates(own, fingerprint):
        if folder not in seen:
            seen.add(folder)
            if (folder / layout.LEDGER).is_file():
                yield folder


def _candidates(own: Path, fingerprint: Fingerprint) -> Iterator[Path]:
    snapshot, repository = fingerprint.snapshot, fingerprint.repository
    if snapshot is None or repository is None:
        return
    top = repository.top.resolve()
    if own.is_relative_to(top):
        yield from _below(own.parent)
    for name in (*snapshot.ignored, *snapshot.changes):
        path = top / name
        if name.endswith("/"):
            yield path
            yield from _below(path)
        elif path.name == layout.LEDGER:
            yield path.parent


def _below(folder: Path) -> Iterator[Path]:
    try:
        found = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return
    yield from map(Path, found)
