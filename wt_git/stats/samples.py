"""What all of this is about: how many runs of a scenario passed."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Sample(NamedTuple):
    """`runs` valid runs of one scenario under one label, at least one, of which `passed` passed."""

    passed: int
    runs: int

    @property
    def rate(self) -> float:
        """The share that passed."""
        return self.passed / self.runs

    @property
    def exact_rate(self) -> Fraction:
        """The share that passed, without rounding."""
        return Fraction(self.passed, self.runs)
