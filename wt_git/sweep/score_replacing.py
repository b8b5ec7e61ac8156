"""Replacing the score beside a trace, and saying in it who judged last."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records import layout
from wt_git.records.encoding import document
from wt_git.records.sidecars import NOT_FLIGHTS, RESCORED

if TYPE_CHECKING:
    from collections.abc import Mapping


class NotReplacedError(Exception):
    """A score cannot be replaced, or must not be."""


def origin_of_rescore(
    old: Mapping[str, Any], source_trace: str, rescored_at: str
) -> dict[str, Any]:
    """Return the origin of a score that replaces one of origin `old`.

    What is no flight stays none, whoever judged it last: its kind keeps it out of every table.
    """
    again = {"rescored_at": rescored_at, "trace_unchanged": True}
    if old.get("kind") in NOT_FLIGHTS:
        return {**old, **again}
    return {"kind": RESCORED, "source_trace": source_trace, **again}


def replace_score(trace_path: str, sidecar: Mapping[str, Any]) -> None:
    """Write `sidecar` beside the trace, whole or not at all. Raises `NotReplacedError`."""
    path = layout.sidecar_name(trace_path)
    try:
        _check_replaceable(path)
        files.write_whole(path, document(sidecar))
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotReplacedError(f"the score '{path}' was not written: {reason}") from error


def _check_replaceable(path: str) -> None:
    """Raise `OSError` for what a rename would silently do away with: a link, a pipe, a folder."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise OSError("it is a link, and what it leads to is not ours to replace")
    if not stat.S_ISREG(mode):
        raise OSError("it is not a regular file")
