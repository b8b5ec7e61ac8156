"""Saying which files decide a sweep and are in no tree (docs/ladder.md, "Stale passes").

Whoever edits one of them changes what is under test, and no pass becomes stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wt_git import config
from wt_git.evidence.fingerprint import place_in_tree
from wt_git.records.fingerprint import OUTSIDE
from wt_git.text import one_line

if TYPE_CHECKING:
    from wt_git.evidence.fingerprint import Fingerprint, Subject

_HASHED = {"soul", "agents"}
"""Sources whose content is a part of the fingerprint, wherever they are."""


def about_what_is_outside(subject: Subject, fingerprint: Fingerprint) -> str | None:
    """Return a note that names these files; None where there are none, or no tree either.

    What is installed is not edited in passing, and is left out.
    """
    if fingerprint.repository is None or fingerprint.snapshot is None:
        return None
    named = [path for name, path in subject.sources.items() if name not in _HASHED]
    outside = [
        f"'{one_line(str(as_typed(path)))}'"
        for path in dict.fromkeys([*named, *config.files_with_settings(subject.folder)])
        if place_in_tree(path, fingerprint.repository, fingerprint.snapshot) == OUTSIDE
        and "site-packages" not in path.resolve().parts
    ]
    if not outside:
        return None
    return (
        f"note: outside of the tree under test: {', '.join(outside)}; edits there make no pass stale, "
        "and `wt verify` does not count such a pack. Put what decides an experiment into the repository"
    )


def as_typed(path: Path) -> Path:
    """Return `path` as somebody here would type it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
