"""Facts, forbidden facts and numbers in the text of an answer.

docs/writing-a-scenario.md, "Numbers" and "Forbidden facts". `1,000` is one number and so is
`3.5`; `-5` is not `5`; `B003`, `3rd` and `1.2.3` contain none. A leading zero makes a code, not a
number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wt_git.api.scenario import NumberFact

_CHAIN = re.compile(r"[0-9]++(?:[.,][0-9]++)*+")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_PIECE = re.compile(r"[0-9]++(?:\.[0-9]++)*+")
_MINUS = "-\N{MINUS SIGN}"
_CURRENCY = "$€£¥"
# After one of these a hyphen is a dash, or belongs to an expression or a name.
_NO_SIGN_AFTER = _MINUS + ")]"

_HYPHENATED = re.compile(r"(?<!\w)\w++(?:-\w++)++(?:[.,][0-9]++)*+")
_MEASURE = re.compile(r"[0-9]+(?:-[0-9]+)*(?:-[a-z]+)+")


def states_fact(lowered: str, group: Iterable[str]) -> bool:
    """Say whether text in lower case has a member of `group`, in any case, also inside a word."""
    return any(member.lower() in lowered for member in group)


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


UNIT_REACH = 30
"""The largest distance, in characters, between a number and its unit."""


class NumberMatch(NamedTuple):
    """Whether a number is stated, and the reason."""

    stated: bool
    detail: str


def find_number(text: str, fact: NumberFact) -> NumberMatch:
    """Say whether `text` states `fact`.

    Where the text uses the unit at all, one use must be within 30 characters of one occurrence of
    the number; where it does not, the number alone is enough.
    """
    wanted = canonical_number(str(fact.value))
    spans = [(found.start, found.end) for found in stated_numbers(text) if found.key == wanted]
    if not spans:
        return NumberMatch(stated=False, detail=f"{fact.value} is not stated")
    unit = (fact.unit or "").strip()
    if not unit:
        return NumberMatch(stated=True, detail=f"{fact.value} is stated")
    pattern = _whole(unit)
    if pattern.search(text) is None:
        return NumberMatch(
            stated=True, detail=f"{fact.value} is stated, the unit {unit!r} appears nowhere"
        )
    if any(_near(pattern, text, start, end) for start, end in spans):
        return NumberMatch(stated=True, detail=f"{fact.value} is stated with its unit {unit!r}")
    return NumberMatch(
        stated=False,
        detail=f"{fact.value} is stated, but its unit {unit!r} is never within"
        f" {UNIT_REACH} characters of it",
    )


def _whole(unit: str) -> re.Pattern[str]:
    """Return a pattern for `unit` as a whole word; a symbol such as `%` has no word to end."""
    before = r"(?<!\w)" if _is_word_character(unit[0]) else ""
    after = r"(?!\w)" if _is_word_character(unit[-1]) else ""
    return re.compile(before + re.escape(unit) + after, re.IGNORECASE)


def _near(unit: re.Pattern[str], text: str, start: int, end: int) -> bool:
    limit = end + UNIT_REACH
    # One character more, so that a unit cut by the limit is not taken for a whole word.
    found = unit.search(text, max(start - UNIT_REACH, 0), limit + 1)
    return found is not None and found.end() <= limit


_ANYWHERE_IN_A_WORD = "n't"
_FIRST_CUES = (
    "no ",
    "not ",
    _ANYWHERE_IN_A_WORD,
    "without",
    "invalid",
    "unknown",
    "no such",
    "non-existent",
    "nonexistent",
)
# Whole words only: `nonetheless` and `nevertheless` are no denials.
_LATER_CUES = ("never", "none", "neither", "nor", "cannot")

NEGATION_CUES: tuple[str, ...] = _FIRST_CUES + _LATER_CUES
"""The words that make a nearby mention of a forbidden fact a denial.

A cue counts at the beginning of a word, except `n't`, which ends one.
"""

_CUE = re.compile(
    r"(?<!\w)(?:{words}|(?:{whole})(?!\w))|{tail}".format(
        words="|".join(re.escape(cue) for cue in _FIRST_CUES if cue != _ANYWHERE_IN_A_WORD),
        whole="|".join(map(re.escape, _LATER_CUES)),
        tail=re.escape(_ANYWHERE_IN_A_WORD),
    )
)

_REACH_BEFORE = 30
_REACH_AFTER = 40
_ENDS_BEFORE = ".!?;\n"
# A semicolon does not close the side after a fact: "caching broke it; parsing is not at fault".
_ENDS_AFTER = re.compile(r"[.!?\n]")
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")


def has_any_forbidden(text: str, forbidden: Iterable[str]) -> bool:
    """Say whether `text` asserts one of the `forbidden` facts, in any case.

    A mention is no assertion when a negation cue is in the same sentence, at most 30 characters
    before or 40 after it. Numbers are found as numbers, identifiers as whole words, other facts
    anywhere. Spaces around a fact do not count, and a blank fact is never asserted.
    """
    plain = _plain(text)
    return any(
        not _is_disclaimed(plain, start, end)
        for fact in forbidden
        for start, end in _occurrences(plain, _plain(fact))
    )


def _plain(text: str) -> str:
    # Models write the typographic apostrophe as often as the plain one.
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()


def _occurrences(text: str, fact: str) -> Iterator[tuple[int, int]]:
    """Yield the places of `fact` in `text`, from left to right, without overlaps."""
    if not fact:
        return
    if fact.isascii() and fact.isdecimal():
        yield from ((found.start, found.end) for found in stated_numbers(text) if found.key == fact)
        return
    pattern = re.escape(fact)
    if fact.isdecimal() or _IDENTIFIER.fullmatch(fact):
        pattern = rf"(?<!\w){pattern}(?!\w)"
    yield from (found.span() for found in re.finditer(pattern, text))


def _is_disclaimed(text: str, start: int, end: int) -> bool:
    """Say whether a cue is in the sentence around the mention from `start` to `end`."""
    first = max(start - _REACH_BEFORE, 0)
    first = max(first, *(text.rfind(mark, first, start) + 1 for mark in _ENDS_BEFORE))
    last = min(end + _REACH_AFTER, len(text))
    stop = _ENDS_AFTER.search(text, end, last)
    if stop is not None:
        last = stop.start()
    # Both searches see one character beyond their reach, so that a cut word is no cue. The space
    # replaces the mention, so that a "no" right before it counts.
    seen = max(first - 1, 0)
    if _CUE.search(f"{text[seen:start]} ", first - seen):
        return True
    cue = _CUE.search(text, end, last + 1)
    return cue is not None and cue.end() <= last
