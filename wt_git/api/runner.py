"""Running scenarios: the public names of `wt_git.runner`."""

from __future__ import annotations

from wt_git.runner.batch import ScenarioResult, run_matrix, run_scenario

__all__ = ["ScenarioResult", "run_matrix", "run_scenario"]
