"""`RunsDir` owns a runs directory and writes into it; its JSON files are indented by two spaces."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import stat
from json.encoder import encode_basestring
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.api.json_values import json_value
from wt_git.api.trace import storage_name, trace_to_dict
from wt_git.errors import StorageError, UsageError, os_reason
from wt_git.records import layout
from wt_git.records.ledger import index

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.trace import Trace
    from wt_git.records.events import Event
    from wt_git.records.experiments import ReviewRecord
    from wt_git.records.sweep_records import LedgerRow, SweepRecord

_DEEPEST = 200


def indented_json(value: object) -> bytes:
    """Return `value` as two-space indented JSON with real Unicode as UTF-8, without a final newline.

    The standard library's writer is a chain of generators, one for each level, and took half the time
    of a run. A value that JSON cannot hold (an agent may send NaN as an argument, or half a surrogate
    pair) is written as its `repr`, so that the run is not lost.
    """
    try:
        return _written(value, "\n").encode()
    except (TypeError, ValueError):
        return files.json_document(json_value(value)).encode()


def _written(value: object, line: str) -> str:
    """Return `value` as JSON; `line` is a line break and its indentation."""
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return scalar(value)
    inside = line + "  "
    if len(inside) > _DEEPEST:
        raise ValueError("nested deeper than a reader could follow")
    if type(value) is dict:
        items = [
            f"{inside}{encode_basestring(key)}: {_written(item, inside)}"
            for key, item in value.items()
        ]
        return f"{{{','.join(items)}{line}}}" if items else "{}"
    if type(value) is list or type(value) is tuple:
        items = [inside + _written(item, inside) for item in value]
        return f"[{','.join(items)}{line}]" if items else "[]"
    raise TypeError(f"JSON has no {type(value).__name__}")


def _finite(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    return repr(value)


_SCALARS: dict[type, Callable[[Any], str]] = {
    NoneType: lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: repr,
    float: _finite,
    str: encode_basestring,
}


class RunsDir:
    """A runs directory, addressed as the caller typed it so that printed paths can be pasted."""

    def __init__(self, path: Path, *, say: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._say = say
        self._name = str(path)
        self._events: files.LineFile | None = None

    def close(self) -> None:
        """Let go of the files that are held open between writes."""
        if self._events is not None:
            self._events.close()
            self._events = None

    def check(self) -> None:
        """Raise `UsageError` for a path that cannot be a runs directory; writes nothing."""
        try:
            is_folder = stat.S_ISDIR(self.path.stat().st_mode)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unusable(error) from error
        if not is_folder:
            raise self._unusable(OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))

    def _unusable(self, error: OSError) -> UsageError:
        return self._refused(
            f"the runs directory '{self.path}'", error, "make it a writable folder"
        )

    def _refused(self, what: str, error: OSError, remedy: str) -> UsageError:
        return UsageError(
            f"cannot write to {what}: {os_reason(error)}; {remedy} or name another with --runs-dir",
            code="runs-dir-unwritable",
            facts={"runs_dir": str(self.path), "reason": os_reason(error)},
        )

    def prepare(self) -> None:
        """Create the directory if it is missing and make sure that it can be written to.

        A directory that is created ignores itself: a `.gitignore` inside it keeps traces out of
        commits and out of the code under test. Raises `UsageError` when it cannot be used.
        """
        try:
            created = not self.path.exists()
            self.path.mkdir(parents=True, exist_ok=True)
            if created:
                files.write_whole(self.path / layout.IGNORE_FILE, "*\n")
            probe = self.path / ".wt-write-check"
            files.write_whole(probe, "")
            probe.unlink(missing_ok=True)  # another sweep may have begun in this instant
        except OSError as error:
            raise self._unusable(error) from error
        ledger = self.path / layout.LEDGER
        try:
            files.check_takes_lines(ledger)  # else its runs would count for nothing
        except OSError as error:
            raise self._refused(f"the ledger '{ledger}'", error, "make it writable") from error

    def write_run(self, trace: Trace, sidecar: dict[str, Any]) -> str:
        """Write a scored run, trace first, and return the trace's path."""
        path = storage_name(trace, self._name)
        try:
            _write_making_folders(path, indented_json(trace_to_dict(trace)))
            files.write_whole(layout.sidecar_name(path), indented_json(sidecar))
        except OSError as error:
            raise StorageError(
                f"could not write run '{path}': {error}",
                code="run-unwritable",
                facts=_about(path, error),
            ) from error
        return path

    def write_run_artifact(
        self, trace_path: Path, hook: str, label: str | None, payload: Any
    ) -> Path:
        """Write a hook artifact beside its trace, under the first name that is free."""

        def name(number: int) -> Path:
            stem = trace_path.stem
            return trace_path.with_name(layout.run_artifact_name(stem, hook, label, number))

        return self._write_numbered(name, payload)

    def write_pack_artifact(
        self, stamp: str, hook: str, scenario: str | None, label: str | None, payload: Any
    ) -> Path:
        """Write a scenario- or pack-scoped hook artifact under the first name that is free."""

        def name(number: int) -> Path:
            return self.path / layout.pack_artifact_name(stamp, hook, scenario, label, number)

        return self._write_numbered(name, payload)

    def append_row(self, row: LedgerRow) -> str:
        """Append a ledger row, wait until it is on disk, and return its line. `StorageError`."""
        line = files.json_line(row.as_document())
        try:
            index.append_row(self.path, line)
        except OSError as error:
            raise _unwritable(self.path / layout.LEDGER, error) from error
        return line

    def append_experiment(self, record: SweepRecord | ReviewRecord) -> str:
        """Append a sweep record or a review, wait until it is on disk, and return its line.

        Raises `StorageError`.
        """
        line = files.json_line(record.as_document())
        self._append_text(layout.EXPERIMENTS, line, durable=True)
        return line

    def append_event(self, event: Event) -> None:
        """Append a progress event. Raises `StorageError`."""
        if self._events is None:
            self._events = files.LineFile(self.path / layout.EVENTS)
        try:
            self._events.append(files.json_line(event.as_document(), sort_keys=False))
        except OSError as error:
            raise _unwritable(self.path / layout.EVENTS, error) from error

    def registered_outputs(self, top: Path | None = None) -> frozenset[Path]:
        """Return the files outside this directory that `wt` said it wrote.

        Other writers name a file of the repository from its top folder, which is `top`, with `./` in
        front; outside of one that names nothing.
        """
        with contextlib.suppress(OSError):
            data = files.read_regular(self.path / layout.OUTPUTS)
            lines = data.decode("utf-8", "surrogateescape").split("\n")
            places = [_output(line, top) for line in lines if line.strip()]
            return frozenset(place for place in places if place is not None)
        return frozenset()

    def register_output(self, path: Path) -> None:
        """Remember, once, that `path` is a file that `wt` writes.

        Call it immediately before writing: a registered file is not part of the code under test.
        """
        resolved = path.resolve()
        if resolved not in self.registered_outputs():
            self._append_text(layout.OUTPUTS, str(resolved), durable=False)

    def _write_numbered(self, name: Callable[[int], Path], payload: Any) -> Path:
        number = 1
        while (path := name(number)).exists():
            number += 1
        try:
            files.write_whole(path, indented_json(payload))
        except OSError as error:
            raise StorageError(
                f"could not write hook artifact '{path}': {error}",
                code="artifact-unwritable",
                facts=_about(path, error),
            ) from error
        if number > 1 and self._say is not None:
            self._say(f"warning: hook artifact target exists: '{name(1)}'; wrote '{path}' instead")
        return path

    def _append_text(self, name: str, line: str, *, durable: bool) -> None:
        try:
            files.append_line(self.path / name, line, durable=durable)
        except OSError as error:
            raise _unwritable(self.path / name, error) from error


def _output(line: str, top: Path | None) -> Path | None:
    if line.startswith("./"):
        return None if top is None else top / line
    return Path(line) if Path(line).is_absolute() else None


def _unwritable(path: Path, error: OSError) -> StorageError:
    message = f"could not write '{path}': {os_reason(error)}"
    return StorageError(message, code="record-unwritable", facts=_about(path, error))


def _about(path: Path | str, error: OSError) -> dict[str, object]:
    return {"path": str(path), "reason": os_reason(error)}


def _write_making_folders(path: str, text: bytes) -> None:
    try:
        files.write_whole(path, text)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(path, text)
