"""Refusing a runs directory that would hide what is under test (docs/files.md, "Fingerprint")."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import GitError, UsageError
from wt_git.git.paths import tracked_below
from wt_git.records import layout

if TYPE_CHECKING:
    from wt_git.evidence.fingerprint import Fingerprinter, Subject
    from wt_git.git.repository import Repository


def check_runs_dir(fingerprinter: Fingerprinter) -> None:
    """Raise `UsageError` for a runs directory that would hide what is under test.

    Everything in it is left out of the tree. So it may not be the repository or hold it, be a link
    that leads out of it, or hold files that git tracks and no sweep wrote.
    """
    try:
        repository = fingerprinter.repository()
        if repository is not None:
            _check(fingerprinter.subject, repository)
    except GitError:
        return  # said when the snapshot is taken


def _check(subject: Subject, repository: Repository) -> None:
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
    message: str, subject: Subject, repository: Repository, **more: str
) -> UsageError:
    facts = {"runs_dir": str(subject.runs_dir), "repository": str(repository.top), **more}
    return UsageError(message, code="runs-dir-hides-source", facts=facts)


def _tracked_source(repository: Repository, runs: Path) -> str | None:
    """Return a tracked file below `runs` that no sweep wrote."""
    for path in tracked_below(runs):
        if not layout.is_ours(Path(path)):
            return f"{runs.relative_to(repository.top.resolve()).as_posix()}/{path}"
    return None
