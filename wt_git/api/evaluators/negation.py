"""Forbidden facts: was one asserted, or only denied? docs/writing-a-scenario.md, "Forbidden facts"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wt_git.api.evaluators.numerals import numerals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
# These are whole words: `nonetheless` and `nevertheless` deny nothing.
_LATER_CUES = ("never", "none", "neither", "nor", "cannot")

NEGATION_CUES: tuple[str, ...] = _FIRST_CUES + _LATER_CUES
"""What, standing near a forbidden fact, makes its mention a denial.

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

    A mention is no assertion when a negation cue stands in the same sentence, at most 30 characters
    before or 40 after it. Numbers are found as numbers, identifiers as whole words, everything else
    anywhere. Spaces around a fact do not count, and a blank fact is never asserted.
    """
    # Models write the typographic apostrophe as often as the plain one.
    lowered = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return any(
        not _is_disclaimed(lowered, start, end)
        for fact in forbidden
        for start, end in _occurrences(lowered, _plain(fact))
    )


def _plain(fact: str) -> str:
    return fact.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()


def _occurrences(text: str, fact: str) -> Iterator[tuple[int, int]]:
    """Yield where `fact` stands in `text`, from left to right, without overlaps."""
    if not fact:
        return
    if fact.isascii() and fact.isdecimal():
        yield from ((found.start, found.end) for found in numerals(text) if found.key == fact)
        return
    pattern = re.escape(fact)
    if fact.isdecimal() or _IDENTIFIER.fullmatch(fact):
        pattern = rf"(?<!\w){pattern}(?!\w)"
    yield from (found.span() for found in re.finditer(pattern, text))


def _is_disclaimed(text: str, start: int, end: int) -> bool:
    """Say whether a cue stands in the sentence around the mention from `start` to `end`."""
    first = max(start - _REACH_BEFORE, 0)
    first = max(first, *(text.rfind(mark, first, start) + 1 for mark in _ENDS_BEFORE))
    last = min(end + _REACH_AFTER, len(text))
    stop = _ENDS_AFTER.search(text, end, last)
    if stop is not None:
        last = stop.start()
    # Both searches can see one character beyond their reach: what the reach cuts out of a longer
    # word is no cue. The space stands for the mention, so that a "no" right before it counts.
    seen = max(first - 1, 0)
    if _CUE.search(f"{text[seen:start]} ", first - seen):
        return True
    cue = _CUE.search(text, end, last + 1)
    return cue is not None and cue.end() <= last
