"""Saying that a runs directory, or a file in it, cannot be read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from wt_git.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def missing_directory(runs_dir: Path) -> str:
    """Return the sentence for a `--runs` that names no directory.

    `--runs` of `wt run` is a number, so a number is what people write elsewhere by mistake.
    """
    said = f"runs directory not found: '{runs_dir}'"
    if str(runs_dir).isdigit():
        return f"{said}; --runs names a directory here, its number of runs is an option of `wt run`"
    return said


def check_directory(runs_dir: Path) -> None:
    """Raise `UsageError` for a `--runs` that is no directory, or cannot be looked at."""
    with readable_records():
        if runs_dir.is_dir():
            return
    raise UsageError(
        missing_directory(runs_dir), code="runs-dir-missing", facts={"runs_dir": str(runs_dir)}
    )


def passed_over(lines: int, file_name: str) -> tuple[str, ...]:
    """Return what to say about lines of a file that hold no record, where there are any."""
    if not lines:
        return ()
    said = f"{lines} line(s) of {file_name} were passed over"
    return (f"{said}: broken, or written by another version",)


@contextmanager
def readable_records() -> Iterator[None]:
    """Turn an `OSError` of the block, which reads records, into a `UsageError` that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"'{error.filename}' cannot be read: {error.strerror or error}",
            code="records-unreadable",
            facts={"path": str(error.filename)},
        ) from error
