"""The numbers that an answer states, in figures and in words, and the things that they count."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from wt_git.api.answers.facts import continues_word
from wt_git.api.answers.normalise import normalised_fact
from wt_git.api.answers.number_words import AMBIGUOUS, Spelled, spelled_numbers
from wt_git.api.answers.numbers import Kind, Number, numbers_in, spelled_number
from wt_git.api.answers.units import Ownership, UnitReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.api.scenario import NumberFact

_COUNTING = (Kind.QUANTITY, Kind.PERCENTAGE, Kind.MONEY)
_PRONOUN_BEFORE = re.compile(
    r"(?:no|any|which|this|that|the|each|every|some|another|other|only the) \Z"
)
_PRONOUN_AFTER = re.compile(r" (?:of|another|or|by one|more thing|thing|moment|second)(?!\w)|-")
_MOST_DAYS = 31
_NO_FIGURE = re.compile(r"[^0-9]+")


class StatedNumbers:
    """The numbers of one answer, which is `normalised`, in the language with the code `language`."""

    def __init__(self, plain: str, language: str) -> None:
        self.plain = plain
        self.language = language
        self._figures = _NO_FIGURE.sub("", plain)

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers in figures, in order."""
        return numbers_in(self.plain)

    @cached_property
    def _spelled(self) -> list[Spelled]:
        """The numbers in words, of the language or English."""
        codes = dict.fromkeys((self.language, "en"))
        return [word for code in codes for word in spelled_numbers(self.plain, code)]

    def counting(self, fact: NumberFact) -> tuple[list[Number], str]:
        """Return the numbers that may be `fact`, and the reason for people."""
        found = list(self._candidates(Decimal(int(fact.value))))
        if not found:
            return [], f"{fact.value} is not stated"
        counted = [one for one in found if one.kind in _COUNTING]
        if not counted:
            kinds = ", ".join(dict.fromkeys(one.kind.value for one in found))
            return [], f"{fact.value} is only stated as {kinds}"
        return self._with_unit(counted, fact)

    def forbidden(self, value: int) -> Iterator[Number]:
        """Yield the places of a forbidden number that its author means."""
        for number in self._candidates(Decimal(value)):
            if self._may_be_forbidden(number, value):
                yield number

    def _with_unit(self, numbers: list[Number], fact: NumberFact) -> tuple[list[Number], str]:
        """Return the numbers that may have the unit of `fact`, and the reason for people."""
        unit = normalised_fact(fact.unit or "")
        if not unit:
            return [one for one in numbers if self._is_certain(one)], f"{fact.value} is stated"
        every = sorted({*self.numbers, *numbers}, key=lambda one: one.start)
        reader = UnitReader(self.plain, every, unit)
        owned = [(one, reader.of(one)) for one in numbers]
        wanted = [one for one, owner in owned if owner is Ownership.WANTED]
        possible = [
            one for one, owner in owned if owner is Ownership.NONE and self._is_certain(one)
        ]
        if wanted:
            return wanted + possible, f"{fact.value} is stated with its unit {fact.unit!r}"
        if not possible:
            return [], f"{fact.value} is stated, but not with its unit {fact.unit!r}"
        where = "is not near it" if reader.is_used else "appears nowhere"
        return possible, f"{fact.value} is stated, the unit {fact.unit!r} {where}"

    def _is_certain(self, number: Number) -> bool:
        """Say whether a number is one without a unit beside it: the word `one` is so only at times."""
        text = self.plain[number.start : number.end]
        if AMBIGUOUS not in number.values or any(map(str.isdigit, text)):
            return True
        before = self.plain[max(number.start - 12, 0) : number.start]
        after = self.plain[number.end : number.end + 20]
        pronoun = _PRONOUN_BEFORE.search(before) or _PRONOUN_AFTER.match(after)
        return text == "one" and pronoun is None

    def _candidates(self, value: Decimal) -> Iterator[Number]:
        """Yield the places of a number, in figures and, where it counts nothing there, in words."""
        counts = False
        # Few answers have the figures; only those are read number by number.
        for one in self.numbers if _significant(value) in self._figures else ():
            if value in one.values:
                counts = counts or one.kind in _COUNTING
                yield one
        for word in self._spelled if not counts else ():
            if word.value == value:
                yield spelled_number(self.plain, word.start, word.end, value)

    def _may_be_forbidden(self, number: Number, value: int) -> bool:
        """Say whether a number is one that an author means: no part of a word, version or list."""
        text = self.plain
        if number.kind in {Kind.LIST_MARKER, Kind.TIME}:
            return False
        if number.kind is Kind.DATE and len(number.values) > 1:
            return value > _MOST_DAYS
        if number.kind in {Kind.IDENTIFIER, Kind.ORDINAL}:
            before, after = text[number.start - 1 : number.start], text[number.end : number.end + 1]
            is_part = continues_word(before) or continues_word(after) or len(number.values) > 1
            return not is_part and text[number.start : number.end] == str(value)
        return self._is_certain(number)


def _significant(value: Decimal) -> str:
    """Return the figures that a number has in any notation: the zeros at its end may be a scale."""
    return str(abs(int(value))).rstrip("0") or "0"
