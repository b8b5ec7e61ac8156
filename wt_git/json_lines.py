"""Reading files with one JSON object per line, forwards or from the end.

Lines are split at LF only. A line that cannot be decoded is skipped; the others are read.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from wt_git.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class ReadLine(NamedTuple):
    """One usable line: its object, and its text in the file."""

    record: dict[str, Any]
    text: str


class LineReport:
    """The number of lines that a reader skipped; commands that decide on a file report it once."""

    def __init__(self) -> None:
        self.skipped = 0


def read_lines(path: Path, report: LineReport | None = None) -> Iterator[ReadLine]:
    """Yield every line of `path` that holds a JSON object, in file order.

    Lines are split at LF only; a CR before it is dropped. A missing file is an empty one. Lines
    that are not UTF-8, not JSON or not objects are counted in `report`, blank ones are not. Raises
    `OSError` as `open_regular` does.
    """
    descriptor = open_regular(path)
    if descriptor is None:
        return
    with os.fdopen(descriptor, "rb") as stream:
        lines = (line.removesuffix(b"\n").removesuffix(b"\r") for line in stream)
        yield from _usable(lines, report)


def _usable(lines: Iterable[bytes], report: LineReport | None) -> Iterator[ReadLine]:
    """Yield the lines that hold an object; count the others, except blank ones, in `report`."""
    for data in lines:
        line = parse_line(data)
        if line is not None:
            yield line
        elif report is not None and data.strip():
            report.skipped += 1


def read_lines_backwards(
    path: Path, report: LineReport | None = None, *, block: int = 1 << 16
) -> Iterator[ReadLine]:
    """Yield the lines of `read_lines`, the last one first, and read only as far as needed.

    So reading the latest records takes no longer after years of history. `block` is the number of
    bytes that are read at a time.
    """
    yield from _usable(raw_lines_backwards(path, block), report)


def raw_lines_backwards(path: Path, block: int = 1 << 16) -> Iterator[bytes]:
    """Yield the bytes of each line of `path`, the last one first; none of a missing file."""
    descriptor = open_regular(path)
    if descriptor is None:
        return
    with os.fdopen(descriptor, "rb") as stream:
        for line in lines_before(stream, stream.seek(0, os.SEEK_END), block=block):
            yield line.data


class PlacedLine(NamedTuple):
    """A line of a file, without its line break, and the offset at which it begins."""

    start: int
    data: bytes


def lines_before(stream: BinaryIO, end: int, *, block: int = 1 << 16) -> Iterator[PlacedLine]:
    """Yield the lines in front of the offset `end`, the last one first, `block` bytes at a time.

    A line break right before `end` is followed by an empty line.
    """
    parts: list[bytes] = []  # of the line that is still incomplete, its last part first
    while end:
        start = max(end - block, 0)
        stream.seek(start)
        data = stream.read(end - start)
        for after_break in _after_breaks(data):
            parts.append(data[after_break : end - start])
            yield _placed(start + after_break, parts)
            parts, end = [], start + after_break - 1
        parts.append(data[: end - start])
        end = start
    yield _placed(0, parts)


def _placed(start: int, parts: list[bytes]) -> PlacedLine:
    return PlacedLine(start, b"".join(reversed(parts)).removesuffix(b"\r"))


def _after_breaks(data: bytes) -> Iterator[int]:
    """Yield the offset behind each line break, from the last to the first."""
    found = data.rfind(b"\n")
    while found >= 0:
        yield found + 1
        found = data.rfind(b"\n", 0, found)


def parse_line(data: bytes) -> ReadLine | None:
    """Return the content of a line, None unless it is a JSON object in UTF-8."""
    try:
        text = data.decode("utf-8")
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return ReadLine(record, text) if isinstance(record, dict) else None
