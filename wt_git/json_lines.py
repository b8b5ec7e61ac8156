"""Reading files that hold a JSON object a line: forgiving, forwards or from the end.

Lines are split at LF only, and an undecodable or broken line spoils only itself.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from wt_git.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class ReadLine(NamedTuple):
    """One usable line: the object it holds, and its text as it stands in the file."""

    record: dict[str, Any]
    text: str


class LineReport:
    """What a reader had to pass over; commands that decide on a file say so once."""

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
        for raw in stream:
            data = raw.removesuffix(b"\n").removesuffix(b"\r")
            if not data.strip():
                continue
            line = parse_line(data)
            if line is not None:
                yield line
            elif report is not None:
                report.skipped += 1


def read_lines_backwards(
    path: Path, report: LineReport | None = None, *, block: int = 1 << 16
) -> Iterator[ReadLine]:
    """Yield what `read_lines` yields, the last line first, reading only as far as it is asked.

    A question about the latest records costs the same after years of history. `block` is how many
    bytes are read at a time.
    """
    for data in raw_lines_backwards(path, block):
        if not data.strip():
            continue
        line = parse_line(data)
        if line is not None:
            yield line
        elif report is not None:
            report.skipped += 1


def raw_lines_backwards(path: Path, block: int = 1 << 16) -> Iterator[bytes]:
    """Yield the lines of `path` as they are, the last one first; none of a file that is missing."""
    descriptor = open_regular(path)
    if descriptor is None:
        return
    with os.fdopen(descriptor, "rb") as stream:
        for line in lines_before(stream, stream.seek(0, os.SEEK_END), block=block):
            yield line.data


class PlacedLine(NamedTuple):
    """A line as it stands in a file, without its line break, and the offset that it begins at."""

    start: int
    data: bytes


def lines_before(stream: BinaryIO, end: int, *, block: int = 1 << 16) -> Iterator[PlacedLine]:
    """Yield the lines in front of the offset `end`, the last one first, `block` bytes at a time.

    A line break right before `end` is followed by an empty line.
    """
    parts: list[bytes] = []  # of the line whose beginning has not been reached, last part first
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
    """Return what a line holds, None unless that is a JSON object in UTF-8."""
    try:
        text = data.decode("utf-8")
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return ReadLine(record, text) if isinstance(record, dict) else None
