"""Where a fact stands in a text: whole words, whole numbers, in any typography.

Every text here is `normalised`.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Writing without spaces between words, and Hangul, whose particles follow a word without one.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x11FF),  # Myanmar, Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x9FFF),  # Kana, Han
    (0xAC00, 0xD7AF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def is_spaceless(character: str) -> bool:
    """Say whether `character` belongs to a script without spaces around words."""
    code = ord(character)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _WITHOUT_SPACES)  # noqa: PLR2004


def continues_word(character: str) -> bool:
    """Say whether `character` makes a word beside it longer; the empty string does not."""
    if not character:
        return False
    if character.isascii():
        return character.isalnum() or character == "_"
    if is_spaceless(character):
        return False
    return character.isalnum() or unicodedata.category(character).startswith("M")


class Reading(Enum):
    """What a text does with something that it mentions."""

    ASSERTED = "asserted"
    UNSURE = "a guess or a limit"
    DENIED = "denied"


class Span(NamedTuple):
    """A place in a text."""

    start: int
    end: int


# What may follow a word that is still the same fact, by its script: endings of plurals and cases.
_LATIN_PLURAL = re.compile(r"(?:'s|s'|e?s|x)(?!\w)")
_LONG_LATIN_PLURAL = re.compile(r"(?:'s|s'|e?s|x|e[nr]?|n|i|l[ae]r)(?!\w)")
_LONG_LATIN = 6
_CYRILLIC_PLURAL = re.compile(r"(?:[аяуюыиое]|о[мв]|е[мв]|ей|ам|ах|ами)(?!\w)")  # noqa: RUF001
_ARABIC_PLURAL = re.compile(r"(?:ات|ون|ين|ان|ه|ة)(?!\w)")  # noqa: RUF001
_ARABIC_PREFIX = re.compile(r"(?<!\w)(?:[وف]?(?:ال|[بلك](?:ال)?|لل)|[وف])\Z")

_CYRILLIC, _ARABIC = range(0x400, 0x530), range(0x600, 0x700)
_LETTER = re.compile(r"[^\W\d_]+\Z")


class _Pattern(NamedTuple):
    """The pattern of one fact, and the rules for its two edges."""

    regex: re.Pattern[str]
    first: str
    last: str
    last_word: int
    begins_with_number: bool
    ends_with_number: bool


@lru_cache(maxsize=1024)
def _pattern(fact: str) -> _Pattern:
    """Return the pattern of a `fact`; spaces are any spaces, and none beside a spaceless script."""
    parts: list[str] = []
    for word in fact.split():
        if parts:
            beside = is_spaceless(parts[-1][-1]) or is_spaceless(word[0])
            parts.append(r"\s*" if beside else r"\s+")
        for one, following in pairwise([*word, ""]):
            parts.append(re.escape(one))
            if following and (is_spaceless(one) or is_spaceless(following)):
                parts.append(r"\s*")
    word_at_end = _LETTER.search(fact)
    length = 0 if word_at_end is None else len(word_at_end.group())
    return _Pattern(
        re.compile("".join(parts)),
        fact[0],
        fact[-1],
        length,
        begins_with_number=_NUMBER_FIRST.match(fact) is not None,
        ends_with_number=_NUMBER_LAST.search(fact) is not None,
    )


# A number, and no code such as `b001`, which is a word.
_NUMBER_FIRST = re.compile(r"[0-9]++(?![a-z_])")
_NUMBER_LAST = re.compile(r"(?<![^\W\d])(?<![0-9])[0-9]++\Z")


def fact_spans(text: str, fact: str, *, words: bool = True, plural: bool = True) -> Iterator[Span]:
    """Yield the places of `fact` in `text`, from left to right.

    A fact is never part of a longer number. With `words` it is no part of a longer word either,
    apart from the endings of a plural, with `plural`. A blank fact is nowhere.
    """
    fact = fact.strip()
    if not fact:
        return
    pattern = _pattern(fact)
    found = pattern.regex.search(text)
    while found is not None:
        start, end = found.span()
        if (
            _begins(text, start, pattern, words=words)
            and _ends(text, end, pattern, words=words, plural=plural)
        ):  # fmt: skip
            yield Span(start, end)
            found = pattern.regex.search(text, end)
        else:
            found = pattern.regex.search(text, start + 1)


# A number that goes on over the beginning of a fact: figures, a sign, a fraction without a zero.
_CUT_BEFORE = re.compile(r"(?:[0-9][.,']?|(?<![\w)\]-])-|(?<![\w.])\.)\Z")
_GROUP_BEFORE = re.compile(r"(?<![0-9.,])[0-9]{1,3} \Z")
_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
_CUT_AFTER = re.compile(r"[.,']?[0-9]")
_GROUP_AFTER = re.compile(r" [0-9]{3}(?![0-9])")
_FIRST_GROUP = re.compile(r"(?<![0-9])[0-9]{1,3}\Z")


def fact_places(text: str, fact: str) -> Iterator[Span]:
    """Yield every place of `fact` in `text`, also inside words and numbers."""
    fact = fact.strip()
    for found in _pattern(fact).regex.finditer(text) if fact else ():
        yield Span(*found.span())


def _begins(text: str, start: int, pattern: _Pattern, *, words: bool) -> bool:
    near = max(start - 8, 0)
    if pattern.first.isdigit():
        if _CUT_BEFORE.search(text, near, start):
            return False
        if _GROUP.match(text, start) and _GROUP_BEFORE.search(text, near, start):
            return False
        if pattern.begins_with_number:
            return True
    if not words or not continues_word(pattern.first):
        return True
    before = text[start - 1 : start]
    if not continues_word(before):
        return True
    return ord(before) in _ARABIC and bool(_ARABIC_PREFIX.search(text, near, start))


def _ends(text: str, end: int, pattern: _Pattern, *, words: bool, plural: bool) -> bool:
    if pattern.last.isdigit():
        if _CUT_AFTER.match(text, end):
            return False
        if _GROUP_AFTER.match(text, end) and _FIRST_GROUP.search(text, max(end - 4, 0), end):
            return False
        if pattern.ends_with_number:
            return True
    if not words or not continues_word(pattern.last):
        return True
    after = text[end : end + 1]
    return not continues_word(after) or (plural and _is_plural(text, end, pattern))


def _is_plural(text: str, end: int, pattern: _Pattern) -> bool:
    code = ord(pattern.last)
    if code in _CYRILLIC:
        ending = _CYRILLIC_PLURAL
    elif code in _ARABIC:
        ending = _ARABIC_PLURAL
    else:
        ending = _LATIN_PLURAL if pattern.last_word < _LONG_LATIN else _LONG_LATIN_PLURAL
    return ending.match(text, end) is not None
