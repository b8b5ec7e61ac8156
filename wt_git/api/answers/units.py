"""Which number a unit belongs to.

A number without a unit near it may count anything. It counts something else only where the text says
so: by a measure, by the thing that it counts, by its label, or by the heading of its column. Texts
here are `normalised`.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from wt_git.api.answers import number_tables as tables
from wt_git.api.answers.facts import fact_spans, is_spaceless
from wt_git.api.answers.numbers import Number, number_at

if TYPE_CHECKING:
    from wt_git.api.answers.facts import Span

UNIT_REACH = 30
"""The largest distance, in characters, between a label and its number."""


class Ownership(Enum):
    """Whether the text gives a number the wanted unit, another one, or none."""

    WANTED = "wanted"
    OTHER = "other"
    NONE = "none"


_ENDS_PHRASE = re.compile(r"[.;:!?|\n,]")
# Words between a number and a unit after which the unit is no longer counted by the number.
_LINK = re.compile(
    r"(?<!\w)(?:with|who|that|which|have|has|had|placed|made|for|from|by|in|without|and|or|whose|mit|von|für|und|haben|die|"
    r"avec|pour|par|et|ont|dans|con|por|para|y|e|tienen|per|hanno|com|têm|met|en|hebben|z|dla|i|mają|с|для|и|у|ile|ve|为|有)(?!\w)"  # noqa: RUF001
)
_ENGLISH_PLURAL = re.compile(r"[a-z]{3,}(?<![sui])s\Z")
_NO_PLURALS = tables.words(
    "sales|goods|express|overseas|always|perhaps|others|totals|yours|ours|does|times"
)
_ANYTHING = tables.words("results|units|items|pieces|entries|records|ones")
_SEPARATOR_ROW = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*")


class UnitReader:
    """The uses of one unit in one text with its numbers."""

    def __init__(self, text: str, numbers: list[Number], unit: str) -> None:
        self._text = text
        self._numbers = numbers
        self._unit = unit
        self._measure = tables.MEASURES.get(unit)
        self._thing = _thing(unit) or self._measure
        self._places = list(_unit_places(text, unit))
        self._owned = {
            owner.start for place in self._places if (owner := self._owner(place)) is not None
        }

    @property
    def is_used(self) -> bool:
        """Whether the text has the unit at all."""
        return bool(self._places)

    def of(self, number: Number) -> Ownership:
        """Return whether `number` has the unit."""
        if number.measure is not None:
            same = number.measure in {self._measure, self._unit}
            same = same or {number.measure, self._unit} <= {"$", "usd"}
            return Ownership.WANTED if same else Ownership.OTHER
        if number.start in self._owned:
            return Ownership.WANTED
        heading = self._heading(number)
        if heading is not None:
            return heading
        if self._counts_another(number) or self._has_another_label(number):
            return Ownership.OTHER
        return Ownership.NONE

    def _owner(self, place: Span) -> Number | None:
        """Return the number that a use of the unit belongs to: the one before it, else after it."""
        before = number_at(self._numbers, place.start)
        if before is not None and before.end <= place.start:
            gap = self._text[before.end : place.start]
            if self._is_phrase(gap):
                return before
        at = self._numbers.index(before) + 1 if before is not None else 0
        following = self._numbers[at] if at < len(self._numbers) else None
        if following is None or following.start - place.end > UNIT_REACH:
            return None
        gap = self._text[place.end : following.start]
        return None if re.search(r"[.;!?\n](?:\s|$)|\n", gap) else following

    def _is_phrase(self, gap: str) -> bool:
        """Say whether the words between a number and a unit leave the unit to the number."""
        if _ENDS_PHRASE.search(gap) or len(gap) > UNIT_REACH:
            return False
        words = gap.split()
        if len(words) > 4 or _LINK.search(gap):  # noqa: PLR2004
            return False
        return not any(_is_plural(word) or _is_other(word, self._thing) for word in words)

    def _heading(self, number: Number) -> Ownership | None:
        """Return whether the heading of a number's column in a table is the unit; None elsewhere."""
        line_start = self._text.rfind("\n", 0, number.start) + 1
        line_end = self._text.find("\n", number.start)
        line = self._text[line_start : line_end if line_end >= 0 else None]
        if "|" not in line:
            return None
        cells = _cells(self._text[:line_start], line)
        column = _column(line, number.start - line_start)
        if not cells or column >= len(cells):
            return None
        places = [at for at, cell in enumerate(cells) if any(_unit_places(cell, self._unit))]
        if column in places:
            return Ownership.WANTED
        other = _thing_in(cells[column])
        measure = _measure_in(cells[column])
        if measure is not None and self._measure is not None and measure != self._measure:
            return Ownership.OTHER
        if places or (other is not None and self._thing is not None and other != self._thing):
            return Ownership.OTHER
        return None

    def _counts_another(self, number: Number) -> bool:
        """Say whether the words behind a number are another thing than the unit."""
        after = re.split(
            r"[.;:!?|\n,()]", self._text[number.end : number.end + UNIT_REACH], maxsplit=1
        )[0]
        if after[:1] and is_spaceless(after.strip()[:1] or "x"):
            return _is_other(after.strip().lstrip(tables.COUNTERS + " "), self._thing, begins=True)
        words = after.split()[:3]
        for at, word in enumerate(words):
            if _LINK.search(word):
                return False
            # Where the unit is nowhere, or nobody's, `items` may stand for it.
            is_noun = at == 0 and self.is_used and _is_plural(word)
            if _is_other(word, self._thing) or (is_noun and (self._owned or word not in _ANYTHING)):
                return True
        return False

    def _has_another_label(self, number: Number) -> bool:
        """Say whether a number has a label such as `customers: 75` that is not the unit."""
        line_start = self._text.rfind("\n", 0, number.start) + 1
        label = re.search(r"([^\W\d_]+)\s*[:=|(]\s*\Z", self._text[line_start : number.start])
        if label is None:
            return False
        return _is_other(label[1], self._thing) or (self.is_used and _is_plural(label[1]))


def _is_plural(word: str) -> bool:
    return word.isascii() and word not in _NO_PLURALS and bool(_ENGLISH_PLURAL.match(word))


def _is_other(word: str, thing: str | None, *, begins: bool = False) -> bool:
    """Say whether `word` is a thing that is counted, and another one than `thing`."""
    found = _thing_at(word) if begins else _thing(word)
    return found is not None and thing is not None and found != thing


@lru_cache(maxsize=512)
def _thing(word: str) -> str | None:
    return tables.THINGS.get(word)


def _thing_at(text: str) -> str | None:
    return next(
        (tables.THINGS[text[:n]] for n in range(8, 0, -1) if text[:n] in tables.THINGS), None
    )


def _thing_in(text: str) -> str | None:
    return next((found for word in text.split() if (found := _thing(word)) is not None), None)


def _measure_in(heading: str) -> str | None:
    """Return the measure that a heading has in brackets: of `Weight (lb)`, the pound."""
    found = _IN_BRACKETS.search(heading)
    return None if found is None else tables.MEASURES.get(found[1].strip().lower())


_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")


def _unit_places(text: str, unit: str) -> list[Span]:
    """Return the places of a unit, in the singular and the plural."""
    forms = {unit}
    if unit.isascii() and len(unit) > 3 and unit.endswith("s"):  # noqa: PLR2004
        forms.add(f"{unit[:-3]}y" if unit.endswith("ies") else unit[:-1])
    return sorted({span for form in forms for span in fact_spans(text, form)})


def _cells(above: str, line: str) -> list[str] | None:
    """Return the headings of the table that `line` is a row of; None for the first row."""
    first = None
    for earlier in reversed(above.rstrip("\n").split("\n")):
        if "|" not in earlier:
            break
        first = earlier
    if first is None or _SEPARATOR_ROW.fullmatch(line):
        return None
    return [cell.strip() for cell in first.strip().strip("|").split("|")]


def _column(line: str, place: int) -> int:
    begin = len(line) - len(line.lstrip())
    skipped = 1 if line.lstrip().startswith("|") else 0
    return line.count("|", begin, place) - skipped
