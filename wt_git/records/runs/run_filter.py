"""The filter of a command over saved runs: labels and scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from wt_git.text import sorted_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """What was asked for: exact labels (None: all), and patterns for scenarios (none: all)."""

    labels: AbstractSet[str] | None = None
    scenarios: Sequence[str] = ()

    def label(self, label: str) -> bool:
        """Say whether runs under `label` were asked for."""
        return self.labels is None or label in self.labels

    def scenario(self, name: str) -> bool:
        """Say whether a scenario of this name was asked for."""
        return not self.scenarios or any(fnmatchcase(name, glob) for glob in self.scenarios)

    def run(self, scenario: str, label: str) -> bool:
        """Say whether runs of `scenario` under `label` were asked for."""
        return self.label(label) and self.scenario(scenario)

    def unmatched(self, names: Iterable[str]) -> list[str]:
        """Return the patterns, each once, that none of the scenarios `names` matches."""
        there = list(names)
        return [
            glob
            for glob in dict.fromkeys(self.scenarios)
            if not any(fnmatchcase(name, glob) for name in there)
        ]


def missing_labels(missing: Iterable[str], present: Iterable[str], *, of: str = "runs") -> str:
    """Return the sentence for labels that nothing was recorded under, with those that there are."""
    return (
        f"no {of} with label(s): {sorted_names(missing)}; labels present: {sorted_names(present)}"
    )


def missing_scenarios(patterns: Iterable[str], present: Iterable[str]) -> str:
    """Return the sentence for patterns that match no scenario, with the scenarios that there are."""
    return f"no scenario matched {sorted_names(patterns)}; there is: {sorted_names(present)}"
