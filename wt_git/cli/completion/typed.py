"""What was typed before the cursor, as shells hand it over: words with their quotes still on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ONLY_BREAKS = re.compile(r"[=:]+")
_ESCAPED_IN_DOUBLE_QUOTES = '"\\$`'


class Typed(NamedTuple):
    """A command line up to the cursor.

    `words` are the finished words behind the program's name, `current` is the one at the cursor up to
    there, possibly empty. `kept` is the beginning of `current` that the shell leaves as it is, so
    that an answer must not repeat it. `is_quoted`: an opening quote begins what is replaced.
    """

    words: tuple[str, ...]
    current: str
    kept: str = ""
    is_quoted: bool = False


def read_words(words: Sequence[str], cursor: int) -> Typed:
    """Return what was typed for a shell whose words are whole. `words[0]` is the program."""
    given = _up_to(words, cursor)
    return Typed(tuple(map(unquoted, given[1:-1])), unquoted(given[-1]))


def read_bash(words: Sequence[str], cursor: int) -> Typed:
    """Return the same for bash, which makes words of their own of `=` and `:` and replaces the last.

    So `--label=one` arrives as three words, of which an answer is to replace `one`.
    """
    given = _up_to(words, cursor)
    joined: list[str] = []
    kept = ""
    joins = False
    for word in given:
        is_break = bool(_ONLY_BREAKS.fullmatch(word)) and bool(joined)
        if joined and (is_break or joins):
            kept = joined[-1] + (word if is_break else "")
            joined[-1] += word
        else:
            kept = ""
            joined.append(word)
        joins = is_break
    quoted = given[-1][:1] in {"'", '"'}
    return Typed(
        tuple(map(unquoted, joined[1:-1])),
        unquoted(joined[-1]),
        kept=unquoted(kept),
        is_quoted=quoted,
    )


def _up_to(words: Sequence[str], cursor: int) -> list[str]:
    """Return the program, the words behind it and the one at the cursor, empty where there is none."""
    given = list(words[: cursor + 1])
    return given + [""] * (max(cursor, 1) + 1 - len(given))


def unquoted(word: str) -> str:
    """Return a word of a POSIX shell without its quotes and backslashes; a quote may be left open."""
    return "".join(_characters(word))


def _characters(word: str) -> Iterable[str]:
    quote = ""
    at = 0
    while at < len(word):
        char, following = word[at], word[at + 1 : at + 2]
        at += 1
        if quote == "'":
            if char == "'":
                quote = ""
            else:
                yield char
        elif char == "\\" and (not quote or following in _ESCAPED_IN_DOUBLE_QUOTES):
            yield following
            at += 1
        elif char == quote:
            quote = ""
        elif not quote and char in {"'", '"'}:
            quote = char
        else:
            yield char
