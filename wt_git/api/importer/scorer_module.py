"""The module of an import in which its author writes what facts cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.importer.python_text import listing

if TYPE_CHECKING:
    from wt_git.api.importer.plan import ImportPlan

_MODULE = '''\
"""What the recorded answer said, and a place for a scorer of your own.

Nothing here takes part in a run yet. Facts that hold belong into `target_facts` of scenario.py,
reworded so that every right answer has them and no wrong one. Where facts are not enough, write
`outcome_fn`, move it to scenario.py and pass it as `outcome_fn=outcome_fn`.
"""

from __future__ import annotations

from windtunnel.api import LayerResult, Trace

{facts}


def outcome_fn(trace: Trace) -> LayerResult:
    """Judge what the agent achieved in `trace`. Until this is written, every run fails."""
    del trace
    return LayerResult(
        passed=False,
        detail="outcome_fn of this import is not written yet: see scorer.py and IMPORTED.md",
    )
'''


def scorer_module(plan: ImportPlan) -> str:
    """Return the source of the module."""
    name = "SUGGESTED_TARGET_FACTS: list[list[str]] = "
    if not plan.suggestions:
        return _MODULE.format(facts=f"{name}[]")
    groups = [listing([fact], "    ") for fact in plan.suggestions]
    return _MODULE.format(facts="\n".join([f"{name}[", *groups, "]"]))
