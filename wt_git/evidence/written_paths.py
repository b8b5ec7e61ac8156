"""Which paths wt may write to: output files, and the runs directory.

Outputs and the runs directory are not part of the tree under test (docs/files.md, "Outputs" and
"Fingerprint"). So neither may replace or hide a file that somebody else made.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from wt_git import files
from wt_git.errors import GitError, StorageError, UsageError
from wt_git.git import repository
from wt_git.git.repository import tracked_below
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.evidence.fingerprint.fingerprinter import Fingerprinter, FingerprintInputs
    from wt_git.git.repository import Repository
    from wt_git.records.runs_dir import RunsDir


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
    if repository.is_tracked(out):
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
    return out.resolve() in runs_dir.registered_outputs(repository.top_level(out))


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


def check_runs_dir(fingerprinter: Fingerprinter) -> None:
    """Raise `UsageError` for a runs directory that would hide what is under test.

    Everything in it is left out of the tree. So it may not be the repository or hold it, be a link
    that leads out of it, or hold files that git tracks and no sweep wrote.
    """
    try:
        repository = fingerprinter.repository()
        if repository is not None:
            _check_runs_dir(fingerprinter.subject, repository)
    except GitError:
        return  # said when the snapshot is taken


def _check_runs_dir(subject: FingerprintInputs, repository: Repository) -> None:
    top, runs = repository.top.resolve(), subject.runs_dir.resolve()
    hint = "name a folder of its own with --runs-dir"
    if runs == top or runs in top.parents:
        raise _hides_source(
            f"the runs directory '{subject.runs_dir}' is the repository itself, or holds it: "
            f"nothing would be under test; {hint}",
            subject,
            repository,
        )
    typed = subject.folder.absolute() / subject.runs_dir
    if typed.is_symlink() and not runs.is_relative_to(top):
        raise _hides_source(
            f"the runs directory '{subject.runs_dir}' is a link that leads out of the repository: "
            f"the link itself would be under test; {hint}",
            subject,
            repository,
            leads_to=str(runs),
        )
    # A file in its place is refused by whoever wants to write there, as what it is.
    if runs.is_relative_to(top) and not runs.is_file():
        foreign = _tracked_source(repository, runs)
        if foreign is not None:
            raise _hides_source(
                f"the runs directory '{subject.runs_dir}' holds '{foreign}', which git tracks and "
                f"no sweep wrote: edits to it would never make evidence stale; {hint}",
                subject,
                repository,
                tracked=foreign,
            )


def _hides_source(
    message: str, subject: FingerprintInputs, repository: Repository, **more: str
) -> UsageError:
    facts = {"runs_dir": str(subject.runs_dir), "repository": str(repository.top), **more}
    return UsageError(message, code="runs-dir-hides-source", facts=facts)


def _tracked_source(repository: Repository, runs: Path) -> str | None:
    """Return a tracked file below `runs` that no sweep wrote."""
    for path in tracked_below(runs):
        if not layout.is_ours(Path(path)):
            return f"{runs.relative_to(repository.top.resolve()).as_posix()}/{path}"
    return None
