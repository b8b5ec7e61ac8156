"""The lines of a batch file: words as a POSIX shell would see them, one sweep a line."""

from __future__ import annotations

import io
import shlex
from typing import NamedTuple

_BLANKS = " \t\r\n"


class SpecLine(NamedTuple):
    """A line that asks for something: its number from 1, its text, and the words behind `wt run`."""

    number: int
    text: str
    words: list[str]


class BadLine(NamedTuple):
    """A line that is no list of words, and why."""

    number: int
    problem: str


def parse_batch(text: str) -> list[SpecLine | BadLine]:
    """Return the lines of a batch that are neither blank nor a comment."""
    found: list[SpecLine | BadLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        try:
            words = words_of(line)
        except ValueError as error:
            found.append(BadLine(number, str(error)))
            continue
        if "\0" in line:
            found.append(BadLine(number, "a NUL character cannot be part of a command"))
        elif words:
            found.append(SpecLine(number, line.strip(_BLANKS), _behind_the_command(words)))
    return found


def words_of(line: str) -> list[str]:
    """Return the words of a line, up to a `#` that begins one.

    Raises `ValueError` for a quote that is not closed, or a backslash at the end.
    """
    stream = io.StringIO(line)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""  # it would take the # in `--label try#2` for one
    words: list[str] = []
    while (rest := line[stream.tell() :].lstrip(_BLANKS)) and not rest.startswith("#"):
        words.append(lexer.get_token() or "")
    return words


def _behind_the_command(words: list[str]) -> list[str]:
    for command in (["wt", "run"], ["run"]):
        if words[: len(command)] == command:
            return words[len(command) :]
    return words
