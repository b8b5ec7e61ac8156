"""Which models a tier may run on (docs/ladder.md, "Models")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError

if TYPE_CHECKING:
    from wt_git.config import Ladder
    from wt_git.records.rows import Tier


def check_model(tier: Tier, label: str | None, ladder: Ladder) -> None:
    """Raise `UsageError` when the model that will answer is not one that `tier` may run on.

    `label` is what the runtime's plugin says, compared exactly; None: it does not say.
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
