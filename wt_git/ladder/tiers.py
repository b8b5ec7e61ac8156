"""The tier of an experiment, and the models that it may use (docs/ladder.md, "Tiers", "Models")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError

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
