"""The tier of an experiment, its models, and its budget (docs/ladder.md, "Tiers" and "Budgets")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError
from wt_git.text import plain_seconds

if TYPE_CHECKING:
    from wt_git.config import Ladder
    from wt_git.records.sweep_records import Tier


def tier_of(selected: int, *, is_probe: bool) -> Tier:
    """Return the tier of a sweep of `selected` scenarios; a replay from a recorded point is a probe."""
    if is_probe:
        return "probe"
    return "focused" if selected == 1 else "regression"


def queue_priority(tier: Tier) -> int:
    """Return the tier's place in the queue for a runtime: smaller experiments go first."""
    return {"probe": 0, "focused": 1, "regression": 2}[tier]


def check_model(tier: Tier, label: str | None, ladder: Ladder) -> None:
    """Raise `UsageError` unless `tier` may run on the model.

    `label` is the plugin's name for the model, compared exactly; None if it does not say.
    """
    allowed = ladder.models.get(tier)
    if allowed is None or label in allowed:
        return
    found = "does not report which model" if label is None else f"uses '{label}'"
    raise UsageError(
        f"{tier} sweeps must use one of: {', '.join(allowed)}; this runtime {found} "
        "([tool.windtunnel.ladder.models] says so)",
        code="model-not-allowed",
        facts={"tier": tier, "model": label, "allowed": list(allowed)},
    )


def tier_cap_s(tier: Tier, ladder: Ladder) -> float | None:
    """Return the most seconds that a sweep of `tier` may take, None for no cap."""
    return {
        "probe": ladder.probe_budget_s,
        "focused": ladder.focused_budget_s,
        "regression": None,
    }[tier]


def sweep_budget_s(tier: Tier, asked_s: float | None, ladder: Ladder) -> float | None:
    """Return the seconds that a sweep may take: `asked_s`, else the cap; None for no limit.

    Raises `UsageError` for more than the cap: an option may only make an experiment smaller.
    """
    cap_s = tier_cap_s(tier, ladder)
    if asked_s is None or cap_s is None:
        return asked_s if asked_s is not None else cap_s
    if asked_s > cap_s:
        raise UsageError(
            f"--budget {plain_seconds(asked_s)} exceeds the {tier} tier cap of {plain_seconds(cap_s)} "
            "seconds; --budget may lower it, and a sweep that needs more is too big for its tier: "
            "run a smaller experiment, or set "
            f"{tier}_budget_s in [tool.windtunnel.ladder] for this repository",
            code="budget-above-cap",
            facts={"tier": tier, "budget_s": asked_s, "cap_s": cap_s},
        )
    return asked_s


class Budget:
    """The time budget of a sweep, checked before each start. Nothing that runs is interrupted.

    Times are seconds of one monotonic clock. Not thread-safe.
    """

    def __init__(self, budget_s: float | None) -> None:
        self._budget_s = budget_s
        self._began: float | None = None
        self.spent_after_s: float | None = None

    def start(self, now: float) -> None:
        """Start the clock, once the sweep has the runtime's lock."""
        self._began = now

    def allows(self, now: float) -> bool:
        """Say whether something may start. After the first refusal, nothing may.

        A last run that takes longer than the budget is no refusal.
        """
        if self._budget_s is not None and self._began is not None and not self.is_spent:
            elapsed = now - self._began
            if elapsed >= self._budget_s:
                self.spent_after_s = elapsed
        return not self.is_spent

    @property
    def is_spent(self) -> bool:
        """Whether a start was refused, so that the sweep was cut short."""
        return self.spent_after_s is not None
