"""Reading one saved trace, named by the user or found in a runs directory."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

from wt_git.api.trace import Trace, TraceFormatError, trace_from_dict
from wt_git.errors import os_reason

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_TRACE = 256 * 1024 * 1024
"""Bytes. A larger file is no trace, and parsing it could take all memory."""

TRACE_FAILURES = (OSError, ValueError, RecursionError)
"""What reading a trace may raise; `why` says it to people."""

_LOOKED_AT = 1 << 16
_SCORE_SUFFIX = ".score.json"
_KEYS_OF_A_TRACE = ("windtunnel_trace", "turns")


class ForeignFileError(TraceFormatError):
    """The file holds JSON, but not that of a trace."""


def read_trace(path: Path | str) -> Trace:
    """Return the trace at `path`.

    Raises `OSError`, `ValueError` (`ForeignFileError` for a file that is no trace) or
    `RecursionError`. A pipe is not waited for, and a huge file is not read into memory.
    """
    document = _json_document(os.fspath(path))
    try:
        return trace_from_dict(document)
    except TraceFormatError as problem:
        if isinstance(document, dict) and any(key in document for key in _KEYS_OF_A_TRACE):
            raise
        raise ForeignFileError(str(problem)) from problem


def _json_document(path: str) -> Any:
    # Looked at before it is opened: opening a pipe waits for its writer.
    found = os.stat(path)  # noqa: PTH116 - hot: a Path costs as much as the read
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"it is {_file_kind(found.st_mode)}, not a file")
    data = b""
    if found.st_size <= LARGEST_TRACE:
        with open(path, "rb") as stream:  # noqa: PTH123
            data = stream.read(LARGEST_TRACE + 1)
    if max(len(data), found.st_size) > LARGEST_TRACE:
        raise ValueError(f"it is larger than {LARGEST_TRACE // 1024**2} MiB, which no trace is")
    return json.loads(data.decode("utf-8"))


def _file_kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device"


def failure_reason(problem: BaseException) -> str:
    """Return why a trace could not be read."""
    if isinstance(problem, OSError):
        return os_reason(problem)
    if isinstance(problem, json.JSONDecodeError | UnicodeDecodeError):
        return f"it is not JSON: {problem}"
    return str(problem)


def trace_of_score(path: str) -> str | None:
    """Return the path of the trace, where `path` is that of a score; else None."""
    if not path.endswith(_SCORE_SUFFIX):
        return None
    return path.removesuffix(_SCORE_SUFFIX) + ".json"


def looks_like_a_trace(path: str) -> bool:
    """Say whether a file that may be broken was meant to be a trace; also of one that is closed."""
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            begin = stream.read(_LOOKED_AT)
    except OSError:
        return True
    return any(f'"{key}"'.encode() in begin for key in _KEYS_OF_A_TRACE)
