"""Combining scorers. docs/writing-a-scenario.md, "Scorers"."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from wt_git.api.score import LayerResult, MetricValue, error_message, normalized_result

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
        results = [_run_scorer(fn, trace) for fn in fns]
        metrics = _merged(results)
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
            result = _run_scorer(fn, trace)
            results.append(result)
            if result.passed:
                detail = f"any_of: {result.detail or _name(fn)}"
                return LayerResult(passed=True, detail=detail, metrics=_merged(results))
        detail = "; ".join(result.detail for result in results) or "any_of: no scorer to pass"
        return LayerResult(passed=False, detail=detail, metrics=_merged(results))

    return any_of_scorer


def _run_scorer(fn: Scorer, trace: Trace) -> LayerResult:
    """Return the result of `fn`; an exception, or another type, is a failure that names `fn`."""
    try:
        answer: object = fn(trace)
        if isinstance(answer, LayerResult):
            result = normalized_result(answer)
            if result.passed or result.detail:
                return result
            return LayerResult(passed=False, detail=f"{_name(fn)} failed", metrics=result.metrics)
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return LayerResult(passed=False, detail=f"{_name(fn)} error: {error_message(error)}")
    kind = type(answer).__name__
    return LayerResult(
        passed=False, detail=f"{_name(fn)} error: returned {kind}, expected a LayerResult"
    )


def _name(fn: object) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))


def _merged(results: list[LayerResult]) -> dict[str, MetricValue]:
    return {name: value for result in results for name, value in result.metrics.items()}
