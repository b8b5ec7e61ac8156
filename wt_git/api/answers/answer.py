"""An answer, and the questions that scoring asks of it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.answers.facts import Reading, Span, continues_word, fact_places, fact_spans
from wt_git.api.answers.normalise import normalised, normalised_fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wt_git.api.answers.stated_numbers import StatedNumbers
    from wt_git.api.scenario import NumberFact


NEGATION_CUES: tuple[str, ...] = (
    "no ", "not ", "n't", "without", "invalid", "unknown", "no such", "non-existent", "nonexistent",
    "never", "none", "neither", "nor", "cannot",
)  # fmt: skip
"""The most common English words that make a mention a denial; `languages` has all."""


class Finding(NamedTuple):
    """Whether an answer states a fact, whether it asserts it, and the reason for people."""

    stated: bool
    asserted: bool
    detail: str


_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")


class Answer:
    """One answer; what several facts need of it is read once."""

    def __init__(self, text: str) -> None:
        self.plain = normalised(text)

    @cached_property
    def language(self) -> str:
        """The code of the language of the answer."""
        from wt_git.api.answers.polarity import language_of  # noqa: PLC0415 - as in `_reads`

        return language_of(self.plain)

    @cached_property
    def stated_numbers(self) -> StatedNumbers:
        """The numbers of the answer; their tables are loaded for the first fact that is a number."""
        from wt_git.api.answers.stated_numbers import (  # noqa: PLC0415 - slow
            StatedNumbers,
        )

        return StatedNumbers(self.plain, self.language)

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
        counted, detail = self.stated_numbers.counting(fact)
        if not counted:
            return Finding(stated=False, asserted=False, detail=detail)
        places = (Span(one.start, one.end) for one in counted)
        if any(self._reads(place, is_number=True) is Reading.ASSERTED for place in places):
            return Finding(stated=True, asserted=True, detail=detail)
        return Finding(stated=True, asserted=False, detail=f"{fact.value} is only denied")

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
            for number in self.stated_numbers.forbidden(int(fact)):
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

    def _reads(self, span: Span, *, is_number: bool = False) -> Reading:
        text = self.plain
        if span == (0, len(text)):  # nothing around it denies it
            return Reading.ASSERTED
        # Words of sixteen languages, which an answer that states no fact does not need.
        from wt_git.api.answers.polarity import language_of, read  # noqa: PLC0415

        if text.isascii():
            language = self.language
        else:  # a name in another script says nothing about the sentence around it
            language = language_of(f"{text[: span.start]} {text[span.end :]}")
        return read(text, span, language, is_number=is_number)


def has_any_forbidden(text: str, forbidden: Iterable[str]) -> bool:
    """Say whether `text` asserts one of the `forbidden` facts, in any case.

    Numbers are found as numbers, identifiers as whole words, other facts anywhere but in a longer
    number. Spaces around a fact do not count, and a blank fact is never asserted.
    """
    answer = Answer(text)
    return any(answer.asserts(fact) for fact in forbidden)
