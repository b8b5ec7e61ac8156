"""Naming what was seen: names rather than counts, and not too many of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

_SHOWN = 5
_NAME_LIMIT = 120
_MOST_OF_A_KIND = 40
_MOST_EXAMPLES = 3
_TELLING = 3
"""A shorter fragment is part of too many names to suggest them."""


def listed(names: Sequence[str], *, most: int = _SHOWN, between: str = ", ") -> str:
    """Return names, which are inert already: the first `most`, and how many more there are.

    What stands `between` names separates their number too, where it is more than a comma.
    """
    shown = between.join(names[:most])
    before = " " if between == ", " else between
    return f"{shown}{before}and {len(names) - most} more" if len(names) > most else shown


def named(names: Collection[str], *, most: int = _SHOWN) -> str:
    """Return foreign names in quotes, made inert: the first `most`, and how many more there are."""
    return listed([f"'{one_line(name, _NAME_LIMIT)}'" for name in names], most=most)


def inventory(names: Iterable[str]) -> str:
    """Return all that there is of a kind: foreign names in order, made inert; `none` of none."""
    return listed([one_line(name) for name in sorted(names)], most=_MOST_OF_A_KIND) or "none"


class Examples:
    """How many there are of what is told in one sentence, and the first names of them."""

    def __init__(self) -> None:
        self.number = 0
        self._first: list[str] = []

    def add(self, name: str) -> None:
        """Count one of them. Of its name, which is foreign, no more is kept than is shown."""
        self.number += 1
        if len(self._first) < _MOST_EXAMPLES:
            self._first.append(one_line(name))

    def __str__(self) -> str:
        """Return the names, and how many more there are."""
        more = self.number - len(self._first)
        return ", ".join([*self._first, *([f"and {more} more"] if more else [])])


def scenario_name(pack: str | None, scenario: str) -> str:
    """Return a scenario as people name it; names of scenarios are only unique in their pack."""
    return f"{pack}/{scenario}" if pack else scenario


def told_apart(scenarios: Iterable[str]) -> Callable[[str, str | None], str]:
    """Return what names a scenario and its pack: with the pack where `scenarios` has it twice."""
    owners = Counter(scenarios)
    return lambda scenario, pack: scenario_name(pack if owners[scenario] > 1 else None, scenario)


def near_matches(value: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """Return up to three of `candidates` that `value` may have meant, best first."""
    import difflib  # noqa: PLC0415 - only where a name is unknown

    plain = value.strip("*?").lower()
    by_case = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(plain, by_case, n=3, cutoff=0.6)
    inside = [
        low for low in by_case if len(plain) >= _TELLING and plain in low and low not in close
    ]
    return tuple(by_case[low] for low in [*close, *inside][:3])


def did_you_mean(value: str, candidates: Sequence[str]) -> str:
    """Return `; did you mean X or Y?` for a name that is not among `candidates`, or nothing."""
    near = " or ".join(map(one_line, near_matches(value, candidates)))
    return f"; did you mean {near}?" if near else ""
