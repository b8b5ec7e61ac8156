"""Files written durably (a whole file, or a whole line, or nothing), and files of JSON lines read."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no flock; appends are still single writes
    fcntl = None  # type: ignore[assignment]

LONGEST_NAME = 255
"""Bytes that the name of a file or folder may have on the usual file systems."""

_numbers = itertools.count()
_READ_AT_ONCE = 1 << 15
_CREATING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_READING = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)
_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
# U+0085, U+2028 and U+2029 end a line for many readers, so records carry them escaped.
_LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def write_whole(path: Path | str, text: str | bytes, *, durable: bool = False) -> None:
    """Write `text` (as UTF-8) to `path` such that no reader ever sees half of it.

    The folder must exist. `durable` waits until the data has reached the disk; without it a power
    cut may lose the file, a killed process cannot. Raises `OSError`; the target is then unchanged
    and no temporary file stays behind.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with _replacing(path) as descriptor:
        try:
            _write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def writing_whole(path: Path | str) -> Iterator[TextIO]:
    """Yield a text stream; when the block ends, its text becomes the file `path` as a whole.

    As `write_whole`, for a text that is never held in memory. When the block raises, the target is
    unchanged and no temporary file stays behind. Half a surrogate pair is written as an escape.
    """
    with (
        _replacing(path) as descriptor,
        os.fdopen(
            descriptor, "w", encoding="utf-8", errors="backslashreplace", newline=""
        ) as stream,
    ):
        yield stream


@contextlib.contextmanager
def _replacing(path: Path | str) -> Iterator[int]:
    """Yield a new file beside `path`, which the block closes; it then takes the place of `path`."""
    target = os.fspath(path)
    folder, slash, name = target.rpartition("/")
    # The leading dot hides it from every reader of a runs directory. A character may take four bytes,
    # and a name 255.
    temporary = f"{folder}{slash}.{name[:50]}.{os.getpid()}-{next(_numbers)}.tmp"
    try:
        yield os.open(temporary, _CREATING, 0o666)
        os.replace(temporary, target)  # noqa: PTH105 - a Path costs more than the rename
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def short_name(name: str, most_bytes: int = LONGEST_NAME) -> str:
    """Return `name`, or its beginning and a digest where it is too long for a folder."""
    data = name.encode("utf-8", "surrogatepass")
    if len(data) <= most_bytes:
        return name
    import hashlib  # noqa: PLC0415 - for the rare name

    digest = hashlib.sha256(data).hexdigest()[:16]
    kept = data[: most_bytes - len(digest) - 1].decode("utf-8", "ignore")
    return f"{kept}-{digest}"


def append_line(path: Path | str, line: str, *, durable: bool) -> None:
    """Append `line` (without its LF) to `path` as one write, creating the file if needed.

    `durable` returns only once the line has reached the disk: for evidence, not for progress.
    Raises `OSError`, also when the disk took only part of the line; that part is then cut off.
    """
    with locked_for_append(path) as descriptor:
        append_to(descriptor, line)
        if durable:
            os.fsync(descriptor)


@contextlib.contextmanager
def locked_for_append(path: Path | str) -> Iterator[int]:
    """Open `path`, creating it if needed, and lock it against other appends until the end."""
    descriptor = os.open(path, _APPENDING, 0o666)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)  # and with it the lock


def append_to(descriptor: int, line: str) -> int:
    """Append `line` to a file of `locked_for_append`; return the offset at which it begins.

    Raises `OSError` as `append_line` does.
    """
    end = _append(descriptor, line)
    return end - len(line.encode("utf-8", "surrogatepass")) - 1


def check_takes_lines(path: Path | str) -> None:
    """Raise `OSError` for a file that cannot be appended to; nothing is written, nor created."""
    no_waiting = getattr(os, "O_NONBLOCK", 0)  # for a reader of a pipe
    with contextlib.suppress(FileNotFoundError):
        os.close(os.open(path, _APPENDING & ~os.O_CREAT | no_waiting))


def open_regular(path: Path | str) -> int | None:
    """Open a file for reading; None when there is none.

    Raises `OSError` for a folder, a pipe, a device; a pipe without a writer does not block.
    """
    try:
        descriptor = os.open(path, _READING)
    except FileNotFoundError:
        return None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", os.fspath(path))
    raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))


def read_regular(path: Path | str) -> bytes:
    """Return the content of a file; raises `OSError` as `open_regular`, and when there is none."""
    descriptor = open_regular(path)
    if descriptor is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    # Not through a stream of Python's, which costs as much as opening and reading a small file.
    try:
        parts = []
        while part := os.read(descriptor, _READ_AT_ONCE):
            parts.append(part)
    finally:
        os.close(descriptor)
    return b"".join(parts)


def read_beginning(path: Path | str, most: int) -> bytes:
    """Return up to `most` bytes of a file; none when it cannot be read, or is a pipe.

    It makes one call less than `read_regular`, for callers that read thousands of files.
    """
    try:
        descriptor = os.open(path, _READING)
    except OSError:
        return b""
    try:
        return os.read(descriptor, most)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def write_over(path: Path | str, data: bytes) -> None:
    """Write over the first bytes of a file that is there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    try:
        os.pwrite(descriptor, data, 0)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the lock for appending, until the descriptor is closed, unless it is taken.

    Raises `OSError` where a system or a file system has no locks.
    """
    if fcntl is None:  # pragma: no cover - Windows
        raise OSError(errno.ENOLCK, "no locks here")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class LineFile:
    """A line file that is held open because many lines follow; otherwise as `append_line`."""

    def __init__(self, path: Path | str) -> None:
        self._path = os.fspath(path)
        self._descriptor: int | None = None
        self._end = 0

    def append(self, line: str) -> None:
        """Append `line` as one write; other processes may append in between. Raises `OSError`."""
        if self._descriptor is None:
            self._descriptor = os.open(self._path, _APPENDING, 0o666)
            self._end = 0
        try:
            self._end = _append(self._descriptor, line, known_end=self._end)
        finally:
            if fcntl is not None:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; a later `append` opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _append(descriptor: int, line: str, *, known_end: int = 0) -> int:
    """Lock the file, append one line, and return the new size of the file; it stays locked.

    At size `known_end` the file ends in a line break; at any other size its last byte is read.
    """
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    size = os.fstat(descriptor).st_size
    data = line.encode("utf-8", "surrogatepass") + b"\n"
    if size != known_end and os.pread(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data
    try:
        _write_all(descriptor, data)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise
    return size + len(data)


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`; the kernel may accept only a part, for example on a full disk."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def json_line(record: object, *, sort_keys: bool = True) -> str:
    """Return `record` as one line of JSON, safe for readers that split lines eagerly.

    Raises `ValueError` for NaN and infinities, `TypeError` for values that JSON cannot hold.
    """
    text = json.dumps(record, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() else _escape_lone_surrogates(text.translate(_LINE_BREAKS))


def json_document(value: object) -> str:
    """Return `value` as two-space indented JSON with real Unicode, without a final newline.

    Raises `ValueError` for NaN and infinities, `TypeError` for values that JSON cannot hold.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() else _escape_lone_surrogates(text)


def _escape_lone_surrogates(text: str) -> str:
    """Return `text` with surrogates escaped: they have no UTF-8 form, but agents emit them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


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
