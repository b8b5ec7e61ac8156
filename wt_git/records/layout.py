"""Every file name under a runs directory, the versions of lines, and the errors of what cannot be read.

See docs/files.md, "Map".
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git import files
from wt_git.errors import UsageError, os_reason

if TYPE_CHECKING:
    from collections.abc import Iterator

LEDGER, LEDGER_VERSION = "ledger.ndjsonl", 1
EXPERIMENTS, EXPERIMENT_VERSION = "experiments.ndjsonl", 1
EVENTS = "events.ndjsonl"
OUTPUTS = ".wt-outputs"
LEDGER_INDEX = ".ledger-index"

IGNORE_FILE = ".gitignore"
LISTINGS = ".fingerprints"
SIDECAR_SUFFIX = ".score.json"
RUN_FOLDERS = 5
"""Folders that a run is stored below: `<scenario>/<agent>/<label>/<model>/<quant>`."""

_OWN_FILES = {
    LEDGER,
    EXPERIMENTS,
    EVENTS,
    OUTPUTS,
    LEDGER_INDEX,
    IGNORE_FILE,
}
_LONGEST_PART = 70
_NOT_IN_A_COMPONENT = re.compile(r"[^A-Za-z0-9_-]")


def sidecar_path(trace_path: Path) -> Path:
    """Return the path of the score of the trace at `trace_path`: beside it."""
    return Path(sidecar_name(str(trace_path)))


def sidecar_name(trace_name: str) -> str:
    """Return the same for a name, for the hot path of a sweep: a Path costs as much as a write."""
    return trace_name.removesuffix(".json") + SIDECAR_SUFFIX


def is_kept_place(inside: Path) -> bool:
    """Say whether `inside`, a path relative to a runs directory, is a place of its own records."""
    return len(inside.parts) != 1 or inside.name in _OWN_FILES


def is_ours(inside: Path) -> bool:
    """Say whether `inside`, a path relative to a runs directory, is one that `wt` writes."""
    if len(inside.parts) == 1:
        return inside.name in _OWN_FILES or inside.name.endswith((".pack.json", ".html"))
    is_run = inside.suffix == ".json" and len(inside.parts) == RUN_FOLDERS + 1
    return is_run or inside.parts[0] in {LISTINGS, "selftest"}


def component(text: str) -> str:
    """Return `text` as one part of an artifact's file name."""
    return _NOT_IN_A_COMPONENT.sub("_", text) or "artifact"


def run_artifact_name(trace_stem: str, hook: str, label: str | None, number: int = 1) -> str:
    """Return the name of a run-scoped hook artifact, beside its trace."""
    parts = [component(part) for part in (hook, label) if part is not None]
    return _artifact_name(trace_stem, parts, _numbered(number) + ".json")


def pack_artifact_name(
    stamp: str, hook: str, scenario: str | None, label: str | None, number: int = 1
) -> str:
    """Return the name of a scenario- or pack-scoped hook artifact, in the runs directory."""
    parts = [component(part) for part in (hook, scenario, label) if part is not None]
    return _artifact_name(stamp, parts, _numbered(number) + ".pack.json")


def _artifact_name(begin: str, parts: list[str], end: str) -> str:
    """Return the joined name, its parts cut if a folder could not hold it otherwise."""
    name = ".".join([begin, *parts]) + end
    if len(name) <= files.LONGEST_NAME:
        return name
    return ".".join([begin, *(files.short_name(part, _LONGEST_PART) for part in parts)]) + end


def _numbered(number: int) -> str:
    return "" if number == 1 else f"-{number}"


def missing_directory(runs_dir: Path) -> str:
    """Return the sentence for a `--runs` that names no directory.

    `--runs` of `wt run` is a number, so people write a number elsewhere by mistake.
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
    """Return the remark about lines of a file that hold no record; empty without any."""
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
            f"'{error.filename}' cannot be read: {os_reason(error)}",
            code="records-unreadable",
            facts={"path": str(error.filename)},
        ) from error
