"""What a failure of a built-in scenario would cost if it happened in production."""

from __future__ import annotations

from typing import Final

from wt_git.api.score import FailureCost

LOW_VISIBLE: Final = FailureCost(severity="low", customer_visible=True)
MEDIUM_VISIBLE: Final = FailureCost(severity="medium", customer_visible=True)
