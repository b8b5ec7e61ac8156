"""The request of a rescore, and its refusals before anything is scored; each exits with 2."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import UsageError
from wt_git.plugins.packs import discover_packs
from wt_git.records.layout import check_directory, readable_records
from wt_git.records.runs.run_files import RunFile, RunFilter, missing_labels, peek, run_files
from wt_git.sweep.selection import Definitions, Selectors, find_unmatched, unmatched_lines
from wt_git.sweep.trace_files import TRACE_FAILURES, looks_like_a_trace, read_trace
from wt_git.text import one_line, shortened_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_MOST_NAMED = 40


class RescoreRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The traces to score again: all below `runs_dir`, or else `traces`. Paths are as typed."""

    runs_dir: Path | None = None
    traces: tuple[Path, ...] = ()
    labels: tuple[str, ...] = ()
    selectors: Selectors = msgspec.field(default_factory=Selectors)
    pack_sources: tuple[str, ...] = ()
    write: bool = False

    def files(
        self, on_closed: Callable[[str, OSError], None] = lambda _path, _error: None
    ) -> Iterator[RunFile]:
        """Yield the files that are named as traces, or were given as traces.

        `on_closed` is told of folders that cannot be listed.
        """
        if self.runs_dir is None:
            for path in dict.fromkeys(map(str, self.traces)):
                yield RunFile(path, is_scored=True)
        else:
            with readable_records():
                yield from run_files(self.runs_dir, on_closed=on_closed)

    @property
    def asked(self) -> RunFilter:
        """Which traces were asked for."""
        return RunFilter(labels=frozenset(self.labels) or None, scenarios=self.selectors.scenarios)


def definitions_of(request: RescoreRequest, say: Callable[[str], None]) -> Definitions:
    """Return the definitions that `request` is judged by, once it is sure that it can be.

    `say` receives the selectors that match nothing, while others do. Raises `UsageError`, `LoadError`.
    """
    if request.runs_dir is None:
        _check_named(request.traces)
    else:
        _check_runs_dir(request, request.runs_dir)
    found = discover_packs(request.pack_sources)
    for line in unmatched_lines(find_unmatched(found.packs, request.selectors)):
        say(line)
    definitions = Definitions(found, request.selectors)
    if definitions.is_empty:
        raise UsageError(
            "no scenario definitions found: nothing that any pack has is left by --scenario, --tag, "
            "--pack and --owner",
            code="no-definitions",
            facts={"packs": [pack.name for pack in found.packs]},
        )
    definitions.check_unambiguous()
    if request.labels:
        _check_labels(request, say)
    return definitions


def _check_named(traces: Iterable[Path]) -> None:
    missing = {str(path): what for path in traces if (what := _not_there(path)) is not None}
    if missing:
        said = [f"'{one_line(path)}' ({what})" for path, what in missing.items()]
        raise UsageError(
            f"trace file not found: {shortened_list(said, most=_MOST_NAMED)}",
            code="trace-file-missing",
            facts={"missing": missing},
        )


def _not_there(path: Path) -> str | None:
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - a null byte is an error here
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return "it is a folder; --runs takes one" if is_folder else None


def _check_runs_dir(request: RescoreRequest, runs_dir: Path) -> None:
    check_directory(runs_dir)
    if not any(map(_may_be_a_trace, request.files())):
        raise UsageError(
            f"no trace files found under '{runs_dir}'",
            code="no-trace-files",
            facts={"runs_dir": str(runs_dir)},
        )


def _may_be_a_trace(file: RunFile) -> bool:
    return file.is_stamped or file.is_scored or looks_like_a_trace(file.path)


def _check_labels(request: RescoreRequest, say: Callable[[str], None]) -> None:
    """Refuse labels that no trace has, where that is all of them; else say which those are.

    Before anything is scored, for then nothing has been written or printed.
    """
    present = {label for file in request.files() if (label := _label(file.path)) is not None}
    missing = [label for label in dict.fromkeys(request.labels) if label not in present]
    if not missing:
        return
    said = missing_labels(missing, present, of="traces")
    if len(missing) < len(set(request.labels)):
        say(said)
        return
    raise UsageError(
        said, code="label-without-traces", facts={"missing": missing, "present": sorted(present)}
    )


def _label(path: str) -> str | None:
    said = peek(path)
    if said is not None:
        return said.label
    try:
        return read_trace(path).variant_id
    except TRACE_FAILURES:
        return None
