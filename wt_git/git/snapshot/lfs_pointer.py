"""Computes Git LFS pointers from content, as a filter process of git; stores nothing.

Git starts this file by its path (`filter.<driver>.process`), so it uses only the standard library. The
protocol is git's long-running filter process, version 2, with the capability `clean`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

# git-lfs keeps smaller content that looks like a pointer.
POINTER_LIMIT = 1024
_POINTER = re.compile(
    rb"version (?:https://git-lfs\.github\.com/spec/v1|https://hawser\.github\.com/spec/v1"
    rb"|http://git-media\.io/v/2)\r?\n(?:ext-\d-\S+ sha256:[0-9a-f]{64}\r?\n)*"
    rb"oid sha256:[0-9a-f]{64}\r?\nsize \d+"
)


def is_pointer(content: bytes) -> bool:
    """Say whether `content` is a Git LFS pointer."""
    return len(content) < POINTER_LIMIT and bool(_POINTER.fullmatch(content.strip()))


def pointer(chunks: Iterable[bytes]) -> bytes:
    """Return the pointer for the content in `chunks`; empty content and a pointer stay unchanged."""
    digest, size, start = hashlib.sha256(), 0, b""
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
        if len(start) < POINTER_LIMIT:
            start += chunk
    if size == 0 or (size == len(start) and is_pointer(start)):
        return start
    oid = digest.hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n".encode()


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer git until it closes `source`."""
    list(_lines(source))  # git-filter-client, version=2
    _send(sink, [b"git-filter-server\n", b"version=2\n"])
    list(_lines(source))  # the capabilities of git
    _send(sink, [b"capability=clean\n"])
    while list(_lines(source)):  # command=clean, pathname=...
        answer = pointer(_lines(source))
        _send(sink, [b"status=success\n"])
        _send(sink, [answer] if answer else [])
        _send(sink, [])


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield packets up to the next flush packet, or the end."""
    while (head := source.read(4)) and (size := int(head, 16)):
        yield source.read(size - 4)


def _send(sink: BinaryIO, packets: list[bytes]) -> None:
    sink.writelines(b"%04x" % (len(packet) + 4) + packet for packet in packets)
    sink.write(b"0000")
    sink.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
