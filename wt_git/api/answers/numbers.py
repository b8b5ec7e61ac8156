"""The numbers of a text, each with its class, its sign, its scale and its unit.

A number that the text does not decide, such as `1.200` alone, has several readings. Texts here are
`normalised`.
"""

# ruff: noqa: PLR2004, RUF001 - figures have lengths; other scripts have letters like Latin ones

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.answers import number_tables as tables
from wt_git.api.answers.facts import continues_word, is_spaceless
from wt_git.api.answers.figures import certain_mark, is_code, is_version, part_values, values_of
from wt_git.api.answers.measures import (
    CURRENCIES,
    LETTER,
    NEAR,
    WORD_BEFORE,
    measure_after,
    measure_before,
    scale_after,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal


class Kind(Enum):
    """What a number is in its text."""

    QUANTITY = "a quantity"
    PERCENTAGE = "a percentage"
    MONEY = "an amount of money"
    ORDINAL = "an ordinal"
    LIST_MARKER = "a list marker"
    DATE = "a date"
    TIME = "a time of day"
    IDENTIFIER = "an identifier"
    RANGE = "an end of a range"


class Number(NamedTuple):
    """One number of a text: its place, its class, the values that it may have, and its measure.

    `measure` is the name of a measure or currency, or a joined word that is neither.
    """

    start: int
    end: int
    kind: Kind
    values: frozenset[Decimal]
    measure: str | None = None


_CHAIN = re.compile(
    r"(?<![0-9])(?:"
    r"[0-9]{1,3}(?:[ '][0-9]{3})+(?![0-9])(?:[.,][0-9]++)?"  # grouped with spaces or apostrophes
    r"|[0-9]++(?:[.,:/-][0-9]++)*+"
    r")"
)
_NEXT_WORD = re.compile(rf"\.?[ ]?(?:de |of )?({LETTER}+(?:\.{LETTER})*)")
_DATE_MARK = re.compile(r" ?(?:月|日|월|일)(?!間)")
_HOUR_BEFORE = re.compile(r"[0-9] ?h ?\Z")
_STREET = re.compile(
    r"(?: [^\W\d_]+){1,2} (?:street|st|avenue|ave|road|rd|lane|drive|boulevard|blvd)(?!\w)"
)
_NEXT_TWO_WORDS = re.compile(r" ((?!(?:of|de|der|des|di|van|do|da)\b)[^\W\d_]+)(?: ([^\W\d_]+))?")
_SUFFIX = re.compile(r"['-]?([^\W\d_]+)")
_LINE_MARKER = re.compile(r"^[ \t]*(?:[-+•][ ]+)?\(?([0-9]{1,3})[.)](?=[ \t]+\S)", re.MULTILINE)
_BRACKET_MARKER = re.compile(r"(?<![\w(])\(?([0-9]{1,2})\)(?=\s)")
_ADDRESS = re.compile(r"\b[a-z]{2,8}://\S+|[\w.+-]{1,64}@[\w.-]{1,255}")

_MOST_HOURS, _MOST_DAYS = 24, 31
_YEARS = range(1900, 2101)


class Tokenizer:
    """Classifies the numbers of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._addresses = (
            [found.span() for found in _ADDRESS.finditer(text)]
            if "://" in text or "@" in text
            else []
        )
        self._chains = list(_CHAIN.finditer(text))
        self._decimal = self._shown_decimal_mark() if len(self._chains) > 1 else None
        self._markers = self._marker_places() if ")" in text or "." in text else frozenset()

    def numbers(self) -> list[Number]:
        """Return the numbers in order."""
        found = [
            number for chain in self._chains for number in self._read(chain.group(), *chain.span())
        ]
        return self._with_ranges(found)

    def _shown_decimal_mark(self) -> str | None:
        """Return the decimal mark that the numbers show beyond doubt, None where they differ."""
        marks = {mark for chain in self._chains if (mark := certain_mark(chain.group()))}
        return marks.pop() if len(marks) == 1 else None

    def _marker_places(self) -> frozenset[int]:
        """Return the places of numbers that count the entries of a list: each has a neighbour."""
        lines = [(found.start(1), int(found[1])) for found in _LINE_MARKER.finditer(self._text)]
        brackets = [
            (found.start(1), int(found[1])) for found in _BRACKET_MARKER.finditer(self._text)
        ]
        places = set(_neighbours(lines))
        if any(number == 1 for _, number in brackets):
            places.update(_neighbours(brackets))
        return frozenset(places)

    def _read(self, digits: str, start: int, end: int) -> Iterator[Number]:
        """Yield the numbers of one chain of figures."""
        before = self._text[start - 1 : start]
        if self._is_name(start, before) or self._is_in_address(start):
            yield Number(start, end, Kind.IDENTIFIER, part_values(digits))
        elif ":" in digits:
            yield from self._colons(digits, start, end)
        elif "/" in digits:
            yield from self._slashes(digits, start, end)
        elif "-" in digits:
            yield from self._hyphens(digits, start, end)
        else:
            yield self._single(digits, start, end)

    def _is_in_address(self, start: int) -> bool:
        at = bisect_right(self._addresses, (start, len(self._text)))
        return at > 0 and start < self._addresses[at - 1][1]

    def _is_name(self, start: int, before: str) -> bool:
        """Say whether the text before a number makes both one name, as in `b003` and `ord-1001`."""
        text = self._text
        if before in {"_", "^", "\\"} or (
            before == "-" and continues_word(text[start - 2 : start - 1])
        ):
            return True
        if not continues_word(before):
            return False
        word = WORD_BEFORE.search(text, max(start - 16, 0), start)
        return word is None or word[1] not in tables.MONEY

    def _colons(self, digits: str, start: int, end: int) -> Iterator[Number]:
        if re.fullmatch(r"[0-9]{1,2}(:[0-5][0-9]){1,2}([.,][0-9]+)?", digits):
            hour = int(digits.partition(":")[0])
            if hour <= _MOST_HOURS:
                yield Number(start, end, Kind.TIME, part_values(digits))
                return
        yield Number(start, end, Kind.IDENTIFIER, part_values(digits))

    def _slashes(self, digits: str, start: int, end: int) -> Iterator[Number]:
        parts = digits.split("/")
        if len(parts) == 3 or (len(parts) == 2 and len(parts[1]) == 4):
            yield Number(start, end, Kind.DATE, part_values(digits))
            return
        yield from self._parts(parts, start, Kind.QUANTITY)

    def _hyphens(self, digits: str, start: int, end: int) -> Iterator[Number]:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?|[0-9]{1,2}-[0-9]{1,2}-[0-9]{2,4}", digits):
            yield Number(start, end, Kind.DATE, part_values(digits))
            return
        parts = digits.split("-")
        if len(parts) == 2 and not any(is_code(part) for part in parts):
            yield from self._parts(parts, start, Kind.RANGE)
        else:
            yield Number(start, end, Kind.IDENTIFIER, part_values(digits))

    def _parts(self, parts: list[str], start: int, kind: Kind) -> Iterator[Number]:
        for part in parts:
            end = start + len(part)
            one = self._single(part, start, end)
            yield one if one.kind is not Kind.QUANTITY else one._replace(kind=kind)
            start = end + 1

    def _single(self, digits: str, start: int, end: int) -> Number:
        """Return a number without joints: the rules in the order in which they decide."""
        values = values_of(digits, self._decimal)
        kind = self._named_kind(digits, start, end) or self._dated_kind(digits, start, end)
        if kind is not None:
            return Number(start, end, kind, values)
        return self._measured(start, end, values)

    def _named_kind(self, digits: str, start: int, end: int) -> Kind | None:
        """Return the class of a number that names or counts off something."""
        text = self._text
        if start in self._markers:
            return Kind.LIST_MARKER
        if is_code(digits) or is_version(digits):
            return (
                Kind.DATE if re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{2,4}", digits) else Kind.IDENTIFIER
            )
        mark = text[start - 1 : start]
        if mark == "#" or (mark == "[" and text[end : end + 1] == "]"):
            # A number with such a mark alone may be anything.
            before = text[max(start - NEAR, 0) : start - 1].rstrip()
            is_alone = before.endswith(":") if mark == "[" else text[:NEAR].strip(" #.") == digits
            return None if is_alone or (mark == "[" and not before) else Kind.IDENTIFIER
        if self._is_numbered(start, end):
            return Kind.IDENTIFIER
        return self._ordinal(start, end)

    def _is_numbered(self, start: int, end: int) -> bool:
        """Say whether the words before a number make it the name of one thing: `order 75`."""
        before = self._text[max(start - NEAR, 0) : start].rstrip(" #")
        if before.endswith(_NAMES_WITHOUT_SPACES) or _STREET.match(self._text, end):
            return True
        if before.endswith(_AFTER_LABELS):
            stem = before.rstrip(":= ")
            return _ends_with_label(stem if stem != before else before.rpartition(" ")[0])
        words = before.rstrip(".").split()[-2:]
        return bool(words) and self._is_name_of_one(words, end)

    def _is_name_of_one(self, words: list[str], end: int) -> bool:
        """Say whether the last of `words`, directly before a number, names a thing by it."""
        name = words[-1].strip("([\"'").rpartition("'")[2]
        if " ".join([*words[:-1], name]) in tables.LABELS:
            return True
        owner = words[0] if len(words) > 1 else ""
        if name in tables.NUMBER_WORD:
            return owner in tables.NUMBERED
        if name == "no":
            return owner.isalpha()
        return name in tables.NUMBERED and not self._has_thing_after(end)

    def _has_thing_after(self, end: int) -> bool:
        """Say whether a thing that is counted follows: in `this week 75 orders` the week is no name."""
        after = _NEXT_TWO_WORDS.match(self._text, end)
        return after is not None and any(one in tables.THINGS for one in after.groups() if one)

    def _ordinal(self, start: int, end: int) -> Kind | None:
        text = self._text
        before = text[max(start - NEAR, 0) : start].rstrip()
        if before.endswith(tables.ORDINAL_BEFORE) or text.startswith(tables.ORDINAL_AFTER, end):
            return Kind.ORDINAL
        suffix = _SUFFIX.match(text, end)
        if suffix is not None and text[end] != " " and suffix[1] in tables.ORDINAL_SUFFIXES:
            joined = suffix.group()
            if joined.isascii() or not is_spaceless(joined[0]):
                return Kind.ORDINAL
        if text.startswith(". ", end):
            article = WORD_BEFORE.search(text, max(start - 12, 0), start)
            if article is not None and article[1] in tables.ORDINAL_ARTICLES:
                return Kind.ORDINAL
        return None

    def _dated_kind(self, digits: str, start: int, end: int) -> Kind | None:
        """Return the class of a number in a date or time of day."""
        if not digits.isdecimal() or len(digits) > 4:
            return None
        text, value = self._text, int(digits)
        before = WORD_BEFORE.search(text, max(start - 16, 0), start)
        word_before = before[1] if before is not None else ""
        after = _NEXT_WORD.match(text, end)
        word_after = after[1] if after is not None else ""
        if value in _YEARS and len(digits) == 4:
            if word_before in tables.MONTHS or text.startswith(("年", "년"), end):
                return Kind.DATE
            nothing_counted = word_after not in tables.THINGS and word_after not in tables.MEASURES
            return Kind.DATE if word_before in tables.YEAR_BEFORE and nothing_counted else None
        if value <= _MOST_DAYS and (
            word_before in tables.MONTHS_BEFORE_DAYS
            or word_after in tables.MONTHS
            or _DATE_MARK.match(text, end)
        ):
            return Kind.DATE
        joined = word_after in tables.STRICT_CLOCK_WORDS or _clock_mark(text, end)
        if len(digits) == 2 and _HOUR_BEFORE.search(text, max(start - 5, 0), start):
            return Kind.TIME
        return Kind.TIME if value <= _MOST_HOURS and joined else None

    def _measured(self, start: int, end: int, values: frozenset[Decimal]) -> Number:
        """Return a quantity, percentage or amount with its sign, scale and measure."""
        text = self._text
        start, negative = self._signed(start)
        end, factor = scale_after(text, end)
        if factor != 1:
            values = frozenset(value * factor for value in values)
        if negative:
            values = frozenset(-value for value in values)
        measure, end, is_word = measure_after(text, end)
        if is_word:
            return Number(start, end, Kind.IDENTIFIER, values, measure)
        measure = measure or measure_before(text, start)
        kind = Kind.QUANTITY
        if measure == "%":
            kind = Kind.PERCENTAGE
        elif measure in CURRENCIES:
            kind = Kind.MONEY
        return Number(start, end, kind, values, measure)

    def _signed(self, start: int) -> tuple[int, bool]:
        """Return where a number begins with its currency and sign, and whether it is negative."""
        text = self._text
        if text[start - 1 : start] == "." and text[start - 2 : start - 1] in {"", " ", "(", "-"}:
            start -= 1  # a fraction without a zero; `values_of` does not see the dot
        if start and text[start - 1] in tables.CURRENCY_SYMBOLS:
            start -= 1
        at = start - 1
        if at >= 0 and text[at] == "-":
            earlier = text[at - 1 : at]
            if not continues_word(earlier) and earlier not in {")", "]", "-"}:
                return at, True
        word = WORD_BEFORE.search(text, max(start - 12, 0), start)
        return start, word is not None and word[1] in tables.MINUS_WORDS and word[1] != "min"

    def _with_ranges(self, numbers: list[Number]) -> list[Number]:
        """Return the numbers, where two that words join to a range are its ends."""
        for at, (one, other) in enumerate(pairwise(numbers)):
            joined = self._joined(one, other)
            if joined is None:
                continue
            if Kind.QUANTITY in {one.kind, other.kind} or other.kind in _AMOUNTS:
                numbers[at] = one._replace(kind=Kind.RANGE)
                if joined is Kind.RANGE:
                    numbers[at + 1] = other._replace(kind=Kind.RANGE)
        return numbers

    def _joined(self, one: Number, other: Number) -> Kind | None:
        """Return the class of the second number where both are joined: a change ends in a quantity."""
        gap = self._text[one.end : other.start].strip(" " + tables.CURRENCY_SYMBOLS)
        if not gap or len(gap) > 12:
            return None
        before = self._text[max(one.start - NEAR, 0) : one.start]
        if gap in tables.BETWEEN_JOINS:
            known = any(
                re.search(rf"(?<!\w){re.escape(word)}\s", before) for word in tables.BETWEEN
            )
            after = self._text[other.end : other.end + 12]
            return (
                Kind.RANGE
                if known or re.match(r"\s*(?:arasında|के बीच|之间|사이|の間)", after)
                else None
            )
        if gap not in tables.RANGE_JOINS or gap in {"or", "oder"}:
            return None
        changed = any(word in tables.CHANGES for word in re.findall(r"[^\W\d_]+", before)[-5:])
        return Kind.QUANTITY if changed else Kind.RANGE


_AMOUNTS = (Kind.PERCENTAGE, Kind.MONEY, Kind.RANGE)


def _neighbours(marked: list[tuple[int, int]]) -> Iterator[int]:
    numbers = {number for _, number in marked}
    return (at for at, number in marked if numbers & {number - 1, number + 1})


_NAMES_WITHOUT_SPACES = ("n°", "n.°", *(name for name in tables.NUMBERED if is_spaceless(name[0])))
_AFTER_LABELS = (":", "=", " is", " ist", " est", " es")


def _ends_with_label(text: str) -> bool:
    words = text.split()[-3:]
    return bool(words) and (
        words[-1] in tables.LABELS or text in tables.LABELS or " ".join(words[-2:]) in tables.LABELS
    )


def _clock_mark(text: str, end: int) -> bool:
    return (
        re.match(
            r" ?(?:h ?[0-5][0-9]\b|heures? [0-5][0-9]\b|[ap]\.m\.|o'clock|[時点點时시])",
            text[end : end + 12],
        )
        is not None
    )


def numbers_in(text: str) -> list[Number]:
    """Return the numbers of `text` in order."""
    return Tokenizer(text).numbers()


def spelled_number(text: str, start: int, end: int, value: Decimal) -> Number:
    """Return a number that is written in words, with the measure behind it."""
    measure, _, _ = measure_after(text, end)
    kind = Kind.QUANTITY
    if measure == "%":
        kind = Kind.PERCENTAGE
    elif measure in CURRENCIES:
        kind = Kind.MONEY
    if text[:start].endswith(tables.ORDINAL_BEFORE):
        kind = Kind.ORDINAL
    return Number(start, end, kind, frozenset({value}), measure)


def number_at(numbers: list[Number], place: int) -> Number | None:
    """Return the last number that begins at or before `place`."""
    at = bisect_right(numbers, place, key=lambda one: one.start)
    return numbers[at - 1] if at else None
