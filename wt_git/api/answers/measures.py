"""What stands beside a number: its scale, its measure, its currency."""

# ruff: noqa: PLR2004, RUF001 - words have lengths; other scripts have letters like Latin ones

from __future__ import annotations

import re

from wt_git.api.answers import number_tables as tables
from wt_git.api.answers.facts import is_spaceless

NEAR = 40
# A letter; in the scripts of India and Thailand its vowel signs are characters of their own.
LETTER = r"(?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f\u0962\u0963\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])"
WORD_BEFORE = re.compile(rf"({LETTER}+(?:['.]{LETTER}+)*)[.°]?[ ]?\Z")
CURRENCIES = frozenset(tables.MONEY.values())
_SCALE = re.compile(r" ?([^\W\d_]+)\.?")
_JOINED_AFTER = re.compile(rf"{LETTER}+")


def scale_after(text: str, end: int) -> tuple[int, int]:
    """Return the end of a number with the scale words behind it, and their product."""
    factor = 1
    while True:
        found = _SCALE.match(text, end)
        if found is None:
            return end, factor
        word = found[1]
        if is_spaceless(word[0]):
            known = next((word[:n] for n in (4, 3, 2, 1) if word[:n] in tables.SCALES), None)
            if known is None:
                return end, factor
            end = found.start(1) + len(known)
        elif word in tables.SCALES and not (word == "bin" and not text[end].isspace()):
            known, end = word, found.end(1)
        else:
            return end, factor
        factor *= tables.SCALES[known]


def measure_after(text: str, end: int) -> tuple[str | None, int, bool]:
    """Return the measure behind a number, the number's end, and whether it is part of a word."""
    symbol = _SYMBOL_AFTER.match(text, end)
    if symbol is not None:
        return tables.MEASURES.get(symbol[1], symbol[1]), end, False
    joined = _JOINED_AFTER.match(text, end)
    if joined is not None and not is_spaceless(text[end]):
        word = joined.group()
        measure = tables.MEASURES.get(word)
        if measure is not None or word in tables.THINGS or ord(word[0]) >= _AFTER_LATIN:
            return measure, end, False
        return word, joined.end(), True
    if _NAME_GOES_ON.match(text, end):
        return None, end, True
    return _measure_beside(text, end), end, False


_SYMBOL_AFTER = re.compile(r" ?(°[cf]?|[%$€£¥₩₹₽₺฿])")
_NAME_GOES_ON = re.compile(r"_|[-.]?[^\W\d_][0-9]|-[a-z]\b")
_NEXT_WORDS = re.compile(rf"[ -]?({LETTER}+(?: {LETTER}+)?)")
_AFTER_LATIN = 0x250


def _measure_beside(text: str, end: int) -> str | None:
    """Return the measure that the next words of a text are."""
    found = _NEXT_WORDS.match(text, end)
    if found is None:
        return None
    phrase = found[1]
    if is_spaceless(phrase[0]):
        return _measure_in_script(phrase)
    word = phrase.split()[0]
    word_end = found.start(1) + len(word)
    if text[word_end : word_end + 1] == "'" or (len(word) == 1 and text[end] == "-"):
        return None
    if len(word) <= 2 and word not in _SAFE_SHORT and text[end] == " ":
        return tables.MEASURES.get(phrase)
    measure = tables.MEASURES.get(phrase) or tables.MEASURES.get(word)
    return (
        f"{measure}/" if measure is not None and text[word_end : word_end + 1] == "/" else measure
    )


# Short words that are measures even after a space; others, such as `an`, are mostly something else.
_SAFE_SHORT = tables.words(
    "kg|km|cm|mm|ml|gb|mb|kb|tb|lb|oz|h|l|g|m|t|s|kr|tl|rs|zł|hr|ms|mi|ft|кг|км|см|г|ч|м|л"
)


def _measure_in_script(phrase: str) -> str | None:
    """Return the measure at the beginning of text in a script without spaces."""
    for length in range(min(len(phrase), 8), 0, -1):
        measure = tables.MEASURES.get(phrase[:length])
        if measure is not None and phrase[:length] not in tables.COUNTERS:
            return measure
    return None


def measure_before(text: str, start: int) -> str | None:
    """Return the currency or percent sign before a number that begins at `start`, or inside it."""
    own = _OWN_SYMBOL.match(text, start)
    if own is not None:
        return tables.MEASURES.get(own[1])
    before = text[max(start - NEAR, 0) : start].rstrip()
    # One that closes an earlier number, as in `5 € 75`, is not this one's.
    symbol = _SYMBOL_BEFORE.search(before)
    if symbol is not None:
        return tables.MEASURES.get(symbol[1])
    if before.endswith("百分之"):
        return "%"
    word = WORD_BEFORE.search(text, max(start - 16, 0), start)
    if word is None:
        return None
    measure = tables.MEASURES.get(word[1])
    return measure if measure in CURRENCIES or word[1] == "yüzde" else None


_OWN_SYMBOL = re.compile(r"-?([$€£¥₩₹₽₺฿])")
_SYMBOL_BEFORE = re.compile(r"(?<![0-9])(?<![0-9] )([$€£¥₩₹₽₺฿%])\Z")
