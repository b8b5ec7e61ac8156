"""Patterns for paths, with the meaning of git's `:(top,glob)` pathspecs.

A pattern is matched against the whole path from the top of the repository, case-sensitively: `*`,
`?` and `[...]` stop at `/`; `**/` stands for any folders, `/**` for everything below. A pattern
without any of these that names a folder takes all that is in it. (docs/architecture.md)
"""

from __future__ import annotations

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
    """A set of patterns; `match` says whether any of them takes a path.

    Raises `ValueError` for a pattern that is empty, absolute, or climbs out with `..`.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._expressions = [re.compile(_expression(one), re.DOTALL) for one in self.patterns]
        self._starts = [_encoded(one) for one in self.patterns]
        self._starts += [_literal_start(one) for one in self.patterns if _MAGIC.search(one)]

    def match(self, path: bytes) -> bool:
        """Say whether a pattern takes `path`, which is a file's."""
        return any(expression.fullmatch(path) for expression in self._expressions)

    def may_match_below(self, folder: bytes) -> bool:
        """Say whether anything in `folder` can match: False only where that is certain."""
        inside = folder + b"/"
        return any(start.startswith(inside) or inside.startswith(start) for start in self._starts)


def _literal_start(pattern: str) -> bytes:
    """Return the folders that all matches of a pattern with magic are in, up to the last `/`."""
    magic = _MAGIC.search(pattern)
    literal = pattern[: magic.start()] if magic else pattern
    return _encoded(literal[: literal.rfind("/") + 1])


def _expression(pattern: str) -> bytes:
    """Return `pattern` as a regular expression over bytes, for a full match."""
    parts = pattern.split("/")
    if not pattern.strip("/") or ".." in parts or pattern.startswith("/"):
        raise ValueError(f"not a path from the top of the repository: {pattern!r}")
    # Git first takes a pattern at its word, magic or not: a folder may well be called `[a]`.
    literal = re.escape(_encoded(pattern.rstrip("/")))
    literal += b"/.*" if pattern.endswith("/") else b"(?:/.*)?"
    if not _MAGIC.search(pattern):
        return literal
    made = [literal, b"|"]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            made.append(b".*" if last else b"(?:[^/]+/)*")
        else:
            made.append(_part(_encoded(part)) + (b"" if last else b"/"))
    return b"".join(made)


def _part(part: bytes) -> bytes:
    """Return one name of a pattern as a regular expression that never crosses a `/`."""
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
    """Return the set that begins after `[` as an expression, and where it ends.

    A set that never ends matches nothing, as in git.
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
    """Return one member of a set, a class, a range or a byte, and where the next begins."""
    if part[at : at + 2] == b"[:" and (end := part.find(b":]", at + 2)) > 0:
        return _CLASSES.get(part[at + 2 : end], b""), end + 2
    low, at = _byte(part, at)
    if part[at : at + 1] != b"-" or part[at + 1 : at + 2] in {b"]", b""}:
        return _hex(low), at
    high, at = _byte(part, at + 1)
    # Git takes the lower end by itself first, so a range that runs backwards still holds it.
    return (_hex(low) + b"-" + _hex(high) if low <= high else _hex(low)), at


def _byte(part: bytes, at: int) -> tuple[bytes, int]:
    if part[at : at + 1] == b"\\" and at + 1 < len(part):
        at += 1
    return part[at : at + 1], at + 1


def _hex(byte: bytes) -> bytes:
    return b"\\x%02x" % ord(byte)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
