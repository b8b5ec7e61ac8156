"""Whose file a document may be written to: `wt` never takes the place of what somebody else made.

What `wt` wrote is left out of what is under test (docs/files.md, "Outputs"), so it must never be a
source file, nor a record.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from wt_git import files
from wt_git.errors import StorageError, UsageError
from wt_git.git import paths
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wt_git.records.store import RunsDir


def check_output(
    out: Path,
    runs_dir: RunsDir,
    *,
    named: str = "--out",
    is_ours: Callable[[Path], bool] = lambda _out: False,
) -> None:
    """Raise `UsageError` unless `out` may be written: it is new, or `wt` wrote it before.

    `named` is how messages call the file. `is_ours` says of a file that no record names whether it
    can be told to be of `wt` by looking at it.
    """
    if "\n" in str(out) or "\r" in str(out):
        raise _not_ours(f"{named} may not hold a line break", out, "line-break")
    try:
        _check_place(out, runs_dir, f"{named} '{out}'", is_ours)
    except (OSError, RuntimeError) as error:  # a link to itself is no OSError before Python 3.13
        reason = getattr(error, "strerror", None) or str(error)
        raise _not_ours(f"{named} '{out}' cannot be written: {reason}", out, reason) from error


@contextmanager
def writing_output(
    out: Path,
    runs_dir: RunsDir,
    *,
    named: str,
    is_ours: Callable[[Path], bool],
    say: Callable[[str], None] = lambda _sentence: None,
) -> Iterator[TextIO]:
    """Yield a stream whose text becomes the file `out`, which is remembered as an output of `wt`.

    See `check_output`. Nothing is written, and nothing remembered, for a file that is refused. Where
    it cannot be remembered, `say` is told what follows from that. Raises `UsageError`.
    """
    check_output(out, runs_dir, named=named, is_ours=is_ours)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            runs_dir.register_output(out)
        except StorageError as error:
            say(f"note: {error.message}; '{out}' will be part of what is under test")
        with files.writing_whole(out) as stream:
            yield stream
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"could not write {named} '{out}': {reason}",
            code="output-unwritable",
            facts={"out": str(out), "reason": reason},
        ) from error


def _check_place(
    out: Path, runs_dir: RunsDir, called: str, is_ours: Callable[[Path], bool]
) -> None:
    if _is_a_record_of_ours(out, runs_dir.path):
        raise _not_ours(
            f"{called} is where wt keeps its records; name a file outside of '{runs_dir.path}'",
            out,
            "record",
        )
    if out.is_dir():
        raise _not_ours(f"{called} is a folder; name a file in it", out, "folder")
    if paths.is_tracked(out):
        raise _not_ours(
            f"{called} is a file that git tracks; name one that is not part of the repository",
            out,
            "tracked",
        )
    # A link that leads nowhere is somebody's too.
    if os.path.lexists(out) and not _is_registered(out, runs_dir) and not is_ours(out):
        raise _not_ours(
            f"{called} exists and no earlier wt command with the runs directory "
            f"'{runs_dir.path}' wrote it; remove it or name another file",
            out,
            "exists",
        )
    if _is_a_place_of_code(out):
        raise _not_ours(
            f"{called} is where code or its configuration belongs: what is put there later would "
            "never be under test; name a document, such as out.json",
            out,
            "code",
        )


def _is_registered(out: Path, runs_dir: RunsDir) -> bool:
    return out.resolve() in runs_dir.registered_outputs(paths.top_level(out))


def _not_ours(message: str, out: Path, reason: str) -> UsageError:
    return UsageError(message, code="out-not-ours", facts={"out": str(out), "reason": reason})


def _is_a_record_of_ours(out: Path, runs_dir: Path) -> bool:
    """Say whether writing `out` could replace a ledger, a trace or the like, here or later."""
    place, home = out.resolve(), runs_dir.resolve()
    return place.is_relative_to(home) and layout.is_kept_place(place.relative_to(home))


def _is_a_place_of_code(out: Path) -> bool:
    """Say whether the place is of a file that decides what runs, though there is none now."""
    place = out.resolve()
    return place.suffix.lower() == ".py" or place.name == "pyproject.toml" or ".git" in place.parts
