"""An answer, and the questions that scoring asks of it."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.answers.facts import Span, continues_word, fact_places, fact_spans
from wt_git.api.answers.normalise import normalised, normalised_fact
from wt_git.api.answers.number_words import AMBIGUOUS, spelled_numbers
from wt_git.api.answers.numbers import Kind, Number, numbers_in, spelled_number
from wt_git.api.answers.polarity import Reading, language_of, read
from wt_git.api.answers.units import Ownership, UnitReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wt_git.api.scenario import NumberFact


class Finding(NamedTuple):
    """Whether an answer states a fact, whether it asserts it, and the reason for people."""

    stated: bool
    asserted: bool
    detail: str


_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")
_COUNTING = (Kind.QUANTITY, Kind.PERCENTAGE, Kind.MONEY)
_PRONOUN_BEFORE = re.compile(
    r"(?:no|any|which|this|that|the|each|every|some|another|other|only the) \Z"
)
_PRONOUN_AFTER = re.compile(r" (?:of|another|or|by one|more thing|thing|moment|second)(?!\w)|-")
_MOST_DAYS = 31


class Answer:
    """One answer; what several facts need of it is read once."""

    def __init__(self, text: str) -> None:
        self.plain = normalised(text)

    @cached_property
    def language(self) -> str:
        """The code of the language of the answer."""
        return language_of(self.plain)

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers of the answer in figures, in order."""
        return numbers_in(self.plain)

    def find_fact(self, group: Iterable[str], *, substring: bool = False) -> Finding:
        """Return whether the answer has a member of `group`, as whole words and numbers.

        With `substring`, a member also counts inside words and numbers.
        """
        members = list(group)
        stated = False
        for member in members:
            if not member.strip():
                return Finding(stated=True, asserted=True, detail="")
            fact = normalised_fact(member)
            for span in (fact_places if substring else fact_spans)(self.plain, fact):
                stated = True
                if self._reads(span) is Reading.ASSERTED:
                    return Finding(stated=True, asserted=True, detail="")
        detail = f"{members!r} is only denied" if stated else f"{members!r} is not stated"
        return Finding(stated, asserted=False, detail=detail)

    def find_number(self, fact: NumberFact) -> Finding:
        """Return whether the answer states `fact`, with its unit where it has one."""
        found = list(self._candidates(Decimal(int(fact.value))))
        if not found:
            return Finding(stated=False, asserted=False, detail=f"{fact.value} is not stated")
        counted = [one for one in found if one.kind in _COUNTING]
        if not counted:
            kinds = ", ".join(dict.fromkeys(one.kind.value for one in found))
            detail = f"{fact.value} is only stated as {kinds}"
            return Finding(stated=False, asserted=False, detail=detail)
        counted, detail = self._with_unit(counted, fact)
        if not counted:
            return Finding(stated=False, asserted=False, detail=detail)
        places = (Span(one.start, one.end) for one in counted)
        if any(self._reads(place, is_number=True) is Reading.ASSERTED for place in places):
            return Finding(stated=True, asserted=True, detail=detail)
        return Finding(stated=True, asserted=False, detail=f"{fact.value} is only denied")

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
        for one in self.numbers:
            if value in one.values:
                counts = counts or one.kind in _COUNTING
                yield one
        for code in dict.fromkeys((self.language, "en")) if not counts else ():
            for word in spelled_numbers(self.plain, code):
                if word.value == value:
                    yield spelled_number(self.plain, word.start, word.end, value)

    def asserts(self, fact: str) -> bool:
        """Say whether the answer asserts the forbidden `fact`; a guess asserts it, too."""
        plain = normalised_fact(fact)
        return any(
            self._reads(span, is_number=is_number) is not Reading.DENIED
            for span, is_number in self._forbidden_spans(plain)
        )

    def _forbidden_spans(self, fact: str) -> Iterator[tuple[Span, bool]]:
        """Yield the places of a forbidden fact: a number, an identifier, or any other text."""
        if fact.isdecimal() and not (len(fact) > 1 and fact[0] == "0"):
            for number in self._candidates(Decimal(fact)):
                if self._may_be_forbidden(number, int(fact)):
                    yield Span(number.start, number.end), True
            return
        is_word = fact.isdecimal() or _IDENTIFIER.fullmatch(fact) is not None
        for span in fact_spans(self.plain, fact, words=is_word, plural=False):
            before, after = (
                self.plain[span.start - 1 : span.start],
                self.plain[span.end : span.end + 1],
            )
            if not (is_word and (continues_word(before) or continues_word(after))):
                yield span, False

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

    def _reads(self, span: Span, *, is_number: bool = False) -> Reading:
        return read(self.plain, span, self.language, is_number=is_number)


def has_any_forbidden(text: str, forbidden: Iterable[str]) -> bool:
    """Say whether `text` asserts one of the `forbidden` facts, in any case.

    Numbers are found as numbers, identifiers as whole words, other facts anywhere but in a longer
    number. Spaces around a fact do not count, and a blank fact is never asserted.
    """
    answer = Answer(text)
    return any(answer.asserts(fact) for fact in forbidden)
