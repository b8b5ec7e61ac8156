"""What a scenario author's own code did: its exception or odd result, in words for a detail."""

from __future__ import annotations

from wt_git.api.score import LayerResult


def message_of(error: BaseException) -> str:
    """Return the message of `error`, or its type's name where it carries none."""
    return str(error).strip() or type(error).__name__


def settled(result: LayerResult) -> LayerResult:
    """Return `result` with a real boolean and a real string, as score files need them.

    Author code often answers with what a comparison or a library gave it. Raises whatever the
    conversion raises.
    """
    passed: object = result.passed
    detail: object = result.detail
    if isinstance(passed, bool) and isinstance(detail, str):
        return result
    return LayerResult(bool(passed), "" if detail is None else str(detail), result.metrics)
