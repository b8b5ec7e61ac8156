"""Which paths wt may write to: output files, and the runs directory.

Outputs and the runs directory are not part of the tree under test (docs/files.md, "Outputs" and
"Fingerprint"). So neither may replace or hide a file that somebody else made.
"""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from wt_git import files
from wt_git.errors import GitError, StorageError, UsageError, os_reason
from wt_git.git.repository import is_tracked, top_level, tracked_below
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.evidence.fingerprint import Fingerprinter
    from wt_git.records.runs_dir import RunsDir


def check_output(
    out: Path,
    runs_dir: RunsDir,
    *,
    named: str = "--out",
    is_ours: Callable[[Path], bool] = lambda _out: False,
) -> None:
    """Raise `UsageError` unless `out` is a new file, or one that wt wrote before.

    `named` is the file's name in messages. `is_ours(out)` may recognise a file of wt that is not
    registered.
    """
    if "\n" in str(out) or "\r" in str(out):
        raise _not_ours(f"{named} may not hold a line break", out, "line-break")
    try:
        if out.is_symlink():
            with contextlib.suppress(FileNotFoundError):
                out.stat()  # `resolve` accepts a link to itself since Python 3.13
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
    """Yield a stream whose text becomes the file `out`, and register it as an output of wt.

    See `check_output`. A refused file is neither written nor registered. `say` gets a note if
    registering fails. Raises `UsageError`.
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
        reason = os_reason(error)
        raise UsageError(
            f"could not write {named} '{out}': {reason}",
            code="output-unwritable",
            facts={"out": str(out), "reason": reason},
        ) from error


def _check_place(
    out: Path, runs_dir: RunsDir, called: str, is_ours: Callable[[Path], bool]
) -> None:
    place, home = out.resolve(), runs_dir.path.resolve()
    if place.is_relative_to(home) and layout.is_kept_place(place.relative_to(home)):
        raise _not_ours(
            f"{called} is where wt keeps its records; name a file outside of '{runs_dir.path}'",
            out,
            "record",
        )
    if out.is_dir():
        raise _not_ours(f"{called} is a folder; name a file in it", out, "folder")
    if is_tracked(out):
        raise _not_ours(
            f"{called} is a file that git tracks; name one that is not part of the repository",
            out,
            "tracked",
        )
    # `lexists`, because a link to a missing file is a file of another owner too.
    exists = os.path.lexists(out)
    if exists and place not in runs_dir.registered_outputs(top_level(out)) and not is_ours(out):
        raise _not_ours(
            f"{called} exists and no earlier wt command with the runs directory "
            f"'{runs_dir.path}' wrote it; remove it or name another file",
            out,
            "exists",
        )
    is_code = place.suffix.lower() == ".py" or place.name == "pyproject.toml"
    if is_code or ".git" in place.parts:
        raise _not_ours(
            f"{called} is where code or its configuration belongs: what is put there later would "
            "never be under test; name a document, such as out.json",
            out,
            "code",
        )


def _not_ours(message: str, out: Path, reason: str) -> UsageError:
    return UsageError(message, code="out-not-ours", facts={"out": str(out), "reason": reason})


def check_runs_dir(fingerprinter: Fingerprinter) -> None:
    """Raise `UsageError` for a runs directory that would hide files under test.

    Everything in it is left out of the tree. So it may not be the repository or contain it, be a
    link out of it, or hold tracked files that no sweep wrote.
    """
    try:
        repository = fingerprinter.repository()
        if repository is not None:
            _check_runs_dir(
                fingerprinter.inputs.folder, fingerprinter.inputs.runs_dir, repository.top
            )
    except GitError:
        return  # reported when the snapshot is taken


def _check_runs_dir(folder: Path, runs_dir: Path, repository: Path) -> None:
    top, runs = repository.resolve(), runs_dir.resolve()

    def hides(problem: str, **facts: str) -> UsageError:
        return UsageError(
            f"the runs directory '{runs_dir}' {problem}; name a folder of its own with --runs-dir",
            code="runs-dir-hides-source",
            facts={"runs_dir": str(runs_dir), "repository": str(repository), **facts},
        )

    if runs == top or runs in top.parents:
        raise hides("is the repository itself, or holds it: nothing would be under test")
    if not runs.is_relative_to(top):
        if (folder.absolute() / runs_dir).is_symlink():
            raise hides(
                "is a link that leads out of the repository: the link itself would be under test",
                leads_to=str(runs),
            )
        return
    if runs.is_file():
        return  # refused when the first record is written
    for path in tracked_below(runs):
        if not layout.is_ours(Path(path)):
            tracked = f"{runs.relative_to(top).as_posix()}/{path}"
            raise hides(
                f"holds '{tracked}', which git tracks and no sweep wrote: edits to it would never "
                "make evidence stale",
                tracked=tracked,
            )
