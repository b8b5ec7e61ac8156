"""Combining scorers, and tool results as the text that scorers read. docs/writing-a-scenario.md, "Scorers"."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from wt_git.api.evaluators.layers import run_scorer
from wt_git.api.json_values import json_value
from wt_git.api.score import LayerResult, merged_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.api.trace import Trace

_SHOWN = 200


def as_json(value: object) -> str:
    """Return any `value` as JSON with sorted keys and real Unicode; other types as their repr."""
    return json.dumps(json_value(value), sort_keys=True, ensure_ascii=False)


def excerpt(value: object) -> str:
    """Return `value` as JSON of at most 200 characters, with `...` where it was cut."""
    text = as_json(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def searchable(item: object) -> str:
    """Return a tool's result as text to search for claims: strings unchanged, others as JSON.

    JSON writes some characters with a backslash: a line break before `75` would read `n75`. Where
    there is a backslash, the strings inside the result are therefore added unescaped.
    """
    text = item if isinstance(item, str) else as_json(item)
    if "\\" not in text:
        return text
    return "\n".join([text, *_strings(json_value(item))])


def _strings(value: object) -> Iterator[str]:
    """Yield the strings inside `value`, and those inside a string that is a JSON document."""
    if isinstance(value, str):
        inner = _document(value)
        if inner is None:
            yield value
        else:
            yield from _strings(inner)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _document(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json_value(json.loads(text))
    except (ValueError, RecursionError):
        return None


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
