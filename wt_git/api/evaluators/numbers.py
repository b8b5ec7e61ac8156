"""Deciding whether a text states a number. docs/writing-a-scenario.md, "Numbers"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.evaluators.numerals import canonical, is_word, numerals

if TYPE_CHECKING:
    from wt_git.api.scenario import NumberFact

UNIT_REACH = 30
"""How many characters a unit may stand away from its number, on either side."""


class NumberFinding(NamedTuple):
    """Whether a number is stated, and in words which of the cases held."""

    stated: bool
    detail: str


def find_number(text: str, fact: NumberFact) -> NumberFinding:
    """Say whether `text` states `fact`.

    A unit tightens and never blocks: where the text uses the unit at all, one use must stand within
    30 characters of one occurrence of the number; where it does not, the number alone is enough.
    """
    wanted = canonical(str(fact.value))
    spans = [(found.start, found.end) for found in numerals(text) if found.key == wanted]
    if not spans:
        return NumberFinding(stated=False, detail=f"{fact.value} is not stated")
    unit = (fact.unit or "").strip()
    if not unit:
        return NumberFinding(stated=True, detail=f"{fact.value} is stated")
    pattern = _whole(unit)
    if pattern.search(text) is None:
        return NumberFinding(
            stated=True, detail=f"{fact.value} is stated, the unit {unit!r} appears nowhere"
        )
    if any(_near(pattern, text, start, end) for start, end in spans):
        return NumberFinding(stated=True, detail=f"{fact.value} is stated with its unit {unit!r}")
    return NumberFinding(
        stated=False,
        detail=f"{fact.value} is stated, but its unit {unit!r} is never within"
        f" {UNIT_REACH} characters of it",
    )


def _whole(unit: str) -> re.Pattern[str]:
    """Return a pattern for `unit` as a whole word; a symbol such as `%` has no word to end."""
    before = r"(?<!\w)" if is_word(unit[0]) else ""
    after = r"(?!\w)" if is_word(unit[-1]) else ""
    return re.compile(before + re.escape(unit) + after, re.IGNORECASE)


def _near(unit: re.Pattern[str], text: str, start: int, end: int) -> bool:
    limit = end + UNIT_REACH
    # One character more, so that a unit cut by the limit is not taken for a whole word.
    found = unit.search(text, max(start - UNIT_REACH, 0), limit + 1)
    return found is not None and found.end() <= limit
