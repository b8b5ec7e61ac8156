"""Combining scorers. docs/writing-a-scenario.md, "Scorers"."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from wt_git.api.evaluators.layers import run_scorer
from wt_git.api.score import LayerResult, merged_metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.trace import Trace

Scorer: TypeAlias = "Callable[[Trace], LayerResult]"


def all_of(*fns: Scorer) -> Scorer:
    """Return a scorer that passes when every one of `fns` does; without any, it passes.

    All of them run. The detail of a failure joins the details of the failed ones. The metrics of all
    are merged, and a later one wins.
    """

    def all_of_scorer(trace: Trace) -> LayerResult:
        results = [_result(fn, trace) for fn in fns]
        metrics = merged_metrics(results)
        failures = [result.detail for result in results if not result.passed]
        if failures:
            return LayerResult(passed=False, detail="; ".join(failures), metrics=metrics)
        passed = "; ".join(result.detail for result in results if result.detail)
        return LayerResult(passed=True, detail=f"all_of: {passed or 'passed'}", metrics=metrics)

    return all_of_scorer


def any_of(*fns: Scorer) -> Scorer:
    """Return a scorer that passes when one of `fns` does; without any, it fails.

    Those after the first pass do not run. The detail is that of the pass, or all failures joined. The
    metrics of those that ran are merged, and a later one wins.
    """

    def any_of_scorer(trace: Trace) -> LayerResult:
        results: list[LayerResult] = []
        for fn in fns:
            result = _result(fn, trace)
            results.append(result)
            if result.passed:
                detail = f"any_of: {result.detail or _name(fn)}"
                return LayerResult(passed=True, detail=detail, metrics=merged_metrics(results))
        detail = "; ".join(result.detail for result in results) or "any_of: no scorer to pass"
        return LayerResult(passed=False, detail=detail, metrics=merged_metrics(results))

    return any_of_scorer


def _result(fn: Scorer, trace: Trace) -> LayerResult:
    """Return the result of `fn`; a failure has a detail."""
    result = run_scorer(fn, trace, _name(fn))
    if result.passed or result.detail:
        return result
    return LayerResult(passed=False, detail=f"{_name(fn)} failed", metrics=result.metrics)


def _name(fn: object) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))
