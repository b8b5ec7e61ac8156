"""How big an experiment is (docs/ladder.md, "Tiers")."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.records.rows import Tier


def tier_of(selected: int, *, is_probe: bool = False) -> Tier:
    """Return the tier of a sweep that runs `selected` scenarios; nothing else decides it.

    A replay from a recorded point is a probe.
    """
    if is_probe:
        return "probe"
    return "focused" if selected == 1 else "regression"


def queue_priority(tier: Tier) -> int:
    """Return the tier's place in the queue for a runtime: the smaller experiment goes first."""
    return {"probe": 0, "focused": 1, "regression": 2}[tier]
