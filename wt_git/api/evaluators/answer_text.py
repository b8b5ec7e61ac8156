"""Numbers in the results of tools, and identifiers that hold digits.

`1,000` is one number and so is `3.5`; `-5` is not `5`; `B003`, `3rd` and `1.2.3` contain none. A
leading zero makes a code, not a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHAIN = re.compile(r"[0-9]++(?:[.,][0-9]++)*+")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_PIECE = re.compile(r"[0-9]++(?:\.[0-9]++)*+")
_MINUS = "-\N{MINUS SIGN}"
_CURRENCY = "$€£¥"
# After one of these a hyphen is a dash, or belongs to an expression or a name.
_NO_SIGN_AFTER = _MINUS + ")]"

_HYPHENATED = re.compile(r"(?<!\w)\w++(?:-\w++)++(?:[.,][0-9]++)*+")
_MEASURE = re.compile(r"[0-9]+(?:-[0-9]+)*(?:-[a-z]+)+")


class StatedNumber(NamedTuple):
    """One number in a text.

    `key` is the canonical form: sign, digits, and a fraction only when it is not zero. `text` is the
    number as written, from `start` to `end`.
    """

    key: str
    text: str
    start: int
    end: int


def stated_numbers(text: str, *, ascii_words: bool = False) -> Iterator[StatedNumber]:
    """Yield the numbers of `text` in order.

    A number next to a letter, a digit or an underscore is part of a word and not counted. With
    `ascii_words` only ASCII letters make words, for scripts without spaces.
    """
    for chain in _CHAIN.finditer(text):
        if _GROUPED.fullmatch(chain.group()):
            pieces = iter((chain,))
        else:
            pieces = _PIECE.finditer(text, chain.start(), chain.end())
        for piece in pieces:
            start, end = piece.span()
            before, after = text[start - 1 : start], text[end : end + 1]
            if not any(_is_word_character(c, ascii_only=ascii_words) for c in (before, after)):
                yield _stated_number(text, start, end)


def _is_word_character(character: str, *, ascii_only: bool = False) -> bool:
    # The empty string, beyond an edge of the text, is none.
    if ascii_only and not character.isascii():
        return False
    return character.isalnum() or character == "_"


def canonical_number(digits: str) -> str:
    """Return the canonical form of a number: `1,000.50` becomes `1000.5`."""
    plain = digits.replace(",", "")
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else plain


def _stated_number(text: str, start: int, end: int) -> StatedNumber:
    digits = text[start:end]
    if _begins_fraction(text, start):
        digits = f"0.{digits}"
        start -= 1
    sign = start - 2 if start and text[start - 1] in _CURRENCY else start - 1
    if _is_sign(text, sign):
        digits = f"-{digits}"
        start = sign
    return StatedNumber(canonical_number(digits), text[start:end], start, end)


def _begins_fraction(text: str, start: int) -> bool:
    """Say whether the dot before `start` is a decimal point without a digit before it."""
    if text[start - 1 : start] != ".":
        return False
    before = text[start - 2 : start - 1]
    return before != "." and not _is_word_character(before)


def _is_sign(text: str, at: int) -> bool:
    if at < 0 or text[at] not in _MINUS:
        return False
    before = text[at - 1 : at]
    return not before or (before not in _NO_SIGN_AFTER and not _is_word_character(before))


def split_identifiers(text: str) -> tuple[str, str]:
    """Return `text` without its hyphenated identifiers, and the identifiers alone.

    `ORD-1001` and `1001-A` are identifiers; `10-20`, `2026-05-01` and `10-day` are not. In the first
    text each identifier is replaced by as many letters.
    """
    found: list[str] = []

    def hide(match: re.Match[str]) -> str:
        name = match.group()
        if not any(map(str.isalpha, name)) or _MEASURE.fullmatch(name):
            return name
        found.append(name)
        return "x" * len(name)

    return _HYPHENATED.sub(hide, text), "\n".join(found)
