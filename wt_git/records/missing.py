"""Saying that a runs directory is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def missing_directory(runs_dir: Path) -> str:
    """Return the sentence for a `--runs` that names no directory.

    `--runs` of `wt run` is a number, so a number is what people write elsewhere by mistake.
    """
    said = f"runs directory not found: '{runs_dir}'"
    if str(runs_dir).isdigit():
        return f"{said}; --runs names a directory here, its number of runs is an option of `wt run`"
    return said
