"""Patterns for paths, with the meaning of git's `:(top,glob)` pathspecs.

A pattern is matched against the whole path from the top of the repository, case-sensitively. `*`, `?`
and `[...]` do not match `/`; `**/` matches any folders, `/**` everything below. A pattern without any of
these that names a folder matches everything in it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAGIC = re.compile(r"[*?\[\\]")
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": b"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": b"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb" \t\n\r\x0b\x0c",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


class PathPatterns:
    """A set of patterns for the paths of files.

    Raises `ValueError` for a pattern that is empty, absolute, or contains `..`.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._expressions = [re.compile(_expression(one), re.DOTALL) for one in self.patterns]
        self._starts = [os.fsencode(one) for one in self.patterns]
        self._starts += [_literal_start(one) for one in self.patterns if _MAGIC.search(one)]

    def match(self, path: bytes) -> bool:
        """Say whether a pattern matches the file `path`."""
        return any(expression.fullmatch(path) for expression in self._expressions)

    def may_match_below(self, folder: bytes) -> bool:
        """Say whether a file in `folder` may match. False is certain."""
        inside = folder + b"/"
        return any(start.startswith(inside) or inside.startswith(start) for start in self._starts)


def _literal_start(pattern: str) -> bytes:
    """Return the folder that has all matches of a pattern with wildcards, with its last `/`."""
    magic = _MAGIC.search(pattern)
    literal = pattern[: magic.start()] if magic else pattern
    return os.fsencode(literal[: literal.rfind("/") + 1])


def _expression(pattern: str) -> bytes:
    """Return `pattern` as a regular expression over bytes, for a full match."""
    parts = pattern.split("/")
    if not pattern.strip("/") or ".." in parts or pattern.startswith("/"):
        raise ValueError(f"not a path from the top of the repository: {pattern!r}")
    # Git compares a pattern literally first, also one with wildcards: a folder may be named `[a]`.
    literal = re.escape(os.fsencode(pattern.rstrip("/")))
    literal += b"/.*" if pattern.endswith("/") else b"(?:/.*)?"
    if not _MAGIC.search(pattern):
        return literal
    made = [literal, b"|"]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            made.append(b".*" if last else b"(?:[^/]+/)*")
        else:
            made.append(_part(os.fsencode(part)) + (b"" if last else b"/"))
    return b"".join(made)


def _part(part: bytes) -> bytes:
    """Return one name of a pattern as a regular expression that does not match `/`."""
    made: list[bytes] = []
    at = 0
    while at < len(part):
        char = part[at : at + 1]
        at += 1
        if char == b"*":
            if made[-1:] != [b"[^/]*"]:
                made.append(b"[^/]*")
        elif char == b"?":
            made.append(b"[^/]")
        elif char == b"\\":
            made.append(re.escape(part[at : at + 1]) or b"(?!)")
            at += 1
        elif char == b"[":
            expression, at = _bracket(part, at)
            made.append(expression)
        else:
            made.append(re.escape(char))
    return b"".join(made)


def _bracket(part: bytes, at: int) -> tuple[bytes, int]:
    """Return the set that begins after `[` as an expression, and its end.

    A set without an end matches nothing, as in git.
    """
    negated = part[at : at + 1] in {b"!", b"^"}
    at += negated
    members: list[bytes] = []
    first = True
    while first or part[at : at + 1] != b"]":
        first = False
        if at >= len(part):
            return b"(?!)", at
        member, at = _member(part, at)
        members.append(member)
    inside = b"".join(members)
    if negated:
        return b"(?![" + inside + b"])[^/]" if inside else b"[^/]", at + 1
    return (b"(?!/)[" + inside + b"]" if inside else b"(?!)"), at + 1


def _member(part: bytes, at: int) -> tuple[bytes, int]:
    """Return one member of a set (a class, a range or a byte), and its end."""
    if part[at : at + 2] == b"[:" and (end := part.find(b":]", at + 2)) > 0:
        return _CLASSES.get(part[at + 2 : end], b""), end + 2
    low, at = _byte(part, at)
    if part[at : at + 1] != b"-" or part[at + 1 : at + 2] in {b"]", b""}:
        return _hex(low), at
    high, at = _byte(part, at + 1)
    # Git compares the lower end first, so a reversed range still matches it.
    return (_hex(low) + b"-" + _hex(high) if low <= high else _hex(low)), at


def _byte(part: bytes, at: int) -> tuple[bytes, int]:
    if part[at : at + 1] == b"\\" and at + 1 < len(part):
        at += 1
    return part[at : at + 1], at + 1


def _hex(byte: bytes) -> bytes:
    return b"\\x%02x" % ord(byte)
