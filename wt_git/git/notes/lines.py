"""A note as a set of lines, and the union of such sets (docs/files.md).

There are two kinds of note. A *record* note has opaque lines, kept byte for byte. A *text* note is
shown by `git log` and has one line for each sweep, `<time> <sweep id> <finding>`: of two lines about
one sweep the greater stays. Characters that control a terminal are escaped when a line is added.

Pruned lines are remembered by a hash: of the record line, or of the sweep id of a text line.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

TEXT_LINE_LIMIT = 400
"""The most characters of a text line, as `git log` shows them."""

_HASH = re.compile(rb"[0-9a-f]{64}")
_SWEEP_ID = re.compile(rb"[0-9a-f]{12}")


def split_lines(blob: bytes) -> list[bytes]:
    """Return the lines of `blob`, split at LF or CRLF, without blank ones."""
    lines = (line.removesuffix(b"\r") for line in blob.split(b"\n"))
    return [line for line in lines if line.strip()]


def line_hash(line: bytes) -> str:
    """Return the hash that marks `line` as pruned."""
    return hashlib.sha256(line).hexdigest()


def union_records(blobs: Iterable[bytes], pruned: AbstractSet[str] = frozenset()) -> bytes:
    """Return the lines of all `blobs`, each once, sorted, without those with a `pruned` hash."""
    lines = {line for blob in blobs for line in split_lines(blob)}
    return _joined(line for line in lines if not pruned or line_hash(line) not in pruned)


def union_text(blobs: Iterable[bytes], pruned: AbstractSet[str] = frozenset()) -> bytes:
    """Return the text lines of all `blobs`: escaped, sorted, one for each sweep."""
    greatest: dict[bytes, bytes] = {}
    for line in (inert_line(line) for blob in blobs for line in split_lines(blob)):
        sweep = line_sweep(line)
        greatest[sweep] = max(line, greatest.get(sweep, line))
    return _joined(
        line for sweep, line in greatest.items() if not pruned or line_hash(sweep) not in pruned
    )


def union_hashes(blobs: Iterable[bytes]) -> bytes:
    """Return the hashes of several `PRUNED` files; other lines are left out."""
    return _joined({h for blob in blobs for h in split_lines(blob) if _HASH.fullmatch(h)})


def parse_hashes(blob: bytes) -> frozenset[str]:
    """Return the hashes in a `PRUNED` file."""
    return frozenset(h.decode("ascii") for h in split_lines(blob) if _HASH.fullmatch(h))


def inert_line(line: bytes) -> bytes:
    """Return a text line with control characters escaped; repeating this changes nothing."""
    return one_line(line.decode("utf-8", "backslashreplace"), TEXT_LINE_LIMIT).encode()


def line_sweep(line: bytes) -> bytes:
    """Return the sweep id of a text line, else the whole line."""
    words = line.split(b" ", 2)
    return words[1] if len(words) > 1 and _SWEEP_ID.fullmatch(words[1]) else line


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in sorted(lines))
