"""Which models a tier may run on."""

from __future__ import annotations

import pytest

from wt_git.config import Ladder
from wt_git.errors import UsageError
from wt_git.ladder.tiers_and_budgets import check_model

LADDER = Ladder(models={"focused": ("target-model", "other model")})


def test_a_tier_that_is_not_listed_runs_on_any_model() -> None:
    """Also on one that the runtime does not report."""
    check_model("probe", "small", LADDER)
    check_model("regression", None, LADDER)
    check_model("focused", "target-model", LADDER)


@pytest.mark.parametrize("label", ["small", "Target-Model", "target-model ", "target", ""])
def test_a_label_that_is_not_listed_is_refused(label: str) -> None:
    """Labels are opaque, and compared exactly."""
    with pytest.raises(UsageError) as caught:
        check_model("focused", label, LADDER)
    assert "must use one of: target-model, other model" in caught.value.message
    assert f"this runtime uses '{label}'" in caught.value.message
    assert caught.value.facts["model"] == label


def test_a_runtime_that_reports_no_model_is_refused_where_its_tier_is_listed() -> None:
    """Unknown is not allowed by accident."""
    with pytest.raises(UsageError, match="does not report which model"):
        check_model("focused", None, LADDER)
