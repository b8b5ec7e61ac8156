"""Recorded conversations on the command line: importing one, checking many."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wt_git.api.importer.writing import run_command, write_imported_scenario
from wt_git.api.interchange.conversation import (
    InterchangeFormatError,
    lint_interchange,
    load_interchange,
)
from wt_git.api.universe.document import UniverseFormatError
from wt_git.cli import printing
from wt_git.errors import UsageError, os_reason
from wt_git.text import one_line, quoted_list

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.api.importer.writing import ImportResult
    from wt_git.api.interchange.conversation import InterchangeTrace


def import_conversation(path: Path, folder: Path, *, force: bool) -> None:
    """Write the scenario of the conversation at `path` into `folder` and print the next step.

    Raises `UsageError` where it cannot be written; nothing is made then.
    """
    _refuse_missing([str(path)])
    _check_folder(folder, force=force)
    result = _write(_load(path), path, folder)
    printing.talk("import", f"wrote: {one_line(str(folder))}")
    printing.talk(
        "import",
        f"the scenario fails until it is reviewed: see {one_line(str(result.imported_path))};"
        f" then add --runtime to\n  {run_command(result.scenario_path)}",
    )


def _load(path: Path) -> InterchangeTrace:
    try:
        return load_interchange(path)
    except InterchangeFormatError as error:
        raise UsageError(
            f"no usable conversation: {one_line(str(error))}",
            code="conversation-unusable",
            facts={"path": str(path), "problem": str(error)},
        ) from error
    except OSError as error:
        reason = os_reason(error)
        raise UsageError(
            f"--trace file '{one_line(str(path))}' cannot be read: {reason}",
            code="file-unreadable",
            facts={"option": "--trace", "path": str(path), "reason": reason},
        ) from error


def _check_folder(folder: Path, *, force: bool) -> None:
    shown, facts = f"'{one_line(str(folder))}'", {"path": str(folder)}
    is_folder = os.path.isdir(folder)  # noqa: PTH112 - Path's own raises for a name too long
    if os.path.lexists(folder) and not is_folder:
        raise UsageError(
            f"--out {shown} exists and is not a folder", code="out-not-a-folder", facts=facts
        )
    try:
        has_content = is_folder and any(folder.iterdir())
    except OSError as error:
        raise _unwritable(folder, error) from error
    if has_content and not force:
        raise UsageError(
            f"--out {shown} is not empty; --force replaces the four files that an import writes"
            " and leaves the others",
            code="out-not-empty",
            facts=facts,
        )


def _write(trace: InterchangeTrace, path: Path, folder: Path) -> ImportResult:
    try:
        return write_imported_scenario(trace, folder)
    except UniverseFormatError as error:
        raise UsageError(
            f"no usable conversation: {one_line(str(path))}: its tools cannot be served:"
            f" {one_line(str(error))}",
            code="conversation-unusable",
            facts={"path": str(path), "problem": str(error)},
        ) from error
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> UsageError:
    reason = os_reason(error)
    place = f" ('{one_line(str(error.filename))}')" if error.filename else ""
    return UsageError(
        f"--out '{one_line(str(folder))}' cannot be written: {reason}{place}",
        code="out-folder-unwritable",
        facts={"path": str(folder), "reason": reason},
    )


def check_conversations(paths: Sequence[str], *, strict: bool) -> bool:
    """Print the problems of each file, in order, and return whether all are valid.

    `strict`: a file with a warning is not valid. Raises `UsageError` when a file is missing.
    """
    _refuse_missing(paths)
    invalid = warned = 0
    for path in paths:
        try:
            warnings = lint_interchange(load_interchange(path))
        except InterchangeFormatError as error:
            invalid += 1
            _print("INVALID", str(error))
        except OSError as error:
            invalid += 1
            _print("INVALID", f"{path}: it cannot be read: {os_reason(error)}")
        else:
            warned += len(warnings)
            _print("OK", path)
            for warning in warnings:
                _print("WARN", f"{path}: {warning}")
    return not invalid and not (strict and warned)


def _print(word: str, text: str) -> None:
    printing.data(f"{word} {one_line(text)}")


def _refuse_missing(paths: Sequence[str]) -> None:
    missing = [path for path in paths if not _is_readable_kind(path)]
    if missing:
        raise UsageError(
            f"file not found: {quoted_list(missing, most=len(missing))}",
            code="file-not-found",
            facts={"paths": missing},
        )


def _is_readable_kind(path: str) -> bool:
    """Return whether `path` can be read: a folder cannot, a pipe can."""
    # Not Path's own, which raise for a name that is too long.
    return os.path.exists(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112
