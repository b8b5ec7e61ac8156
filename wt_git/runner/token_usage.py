"""The token counts of a run, send by send; `wt_git/api/reply_usage.py` reads each report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wt_git.api.reply_usage import UNKNOWN, Counts, first_total, read_counts
from wt_git.text import one_line

if TYPE_CHECKING:
    from wt_git.api.reply_usage import Count


class UsageMeter:
    """Adds up the usage of one run, send by send."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._entries: list[dict[str, Any]] = []
        self._any_reported = False
        self._inputs: list[int | None] = []  # tokens of each send
        self._outputs: list[int | None] = []
        self._has_named = False

    def add(self, usage: object) -> list[str]:
        """Account one send and return warnings; what is not understood is named once in a run.

        A value that is no object counts as no report.
        """
        if not isinstance(usage, Mapping):
            self._inputs.append(None)
            self._outputs.append(None)
            self._entries.append(_entry(Counts(), self._session_id))
            kind = type(usage).__name__
            return self._new([] if usage is None else [f"{UNKNOWN}usage is {kind}, no object"])
        self._any_reported = True
        calls = _calls_of(usage)
        reports = {key: value for key, value in usage.items() if key not in _NOT_COUNTS}
        whole = read_counts(reports)
        self._entries += [
            _entry(counts, conversation or self._session_id)
            for counts, conversation in calls or [(whole, "")]
        ]
        prompt, completion = first_total(reports, whole)
        self._inputs.append(_value(prompt, [counts.prompt for counts, _ in calls]))
        self._outputs.append(_value(completion, [counts.completion for counts, _ in calls]))
        parts = [counts for counts, _ in calls] or [whole]
        return self._new([counts.problem for counts in parts if counts.problem])

    def totals(self) -> dict[str, int] | None:
        """Return `{input_tokens, output_tokens}` over all sends, None if one lacks a pair."""
        sent_in, sent_out = _sum(self._inputs), _sum(self._outputs)
        if not self._inputs or sent_in is None or sent_out is None:
            return None
        return {"input_tokens": sent_in, "output_tokens": sent_out}

    def model_calls(self) -> list[dict[str, Any]] | None:
        """Return one entry per model call in order, None if no send reported usage."""
        return self._entries if self._any_reported else None

    def _new(self, warnings: list[str]) -> list[str]:
        """Return the warnings, without one more about what is not understood."""
        fresh = []
        for warning in dict.fromkeys(map(one_line, warnings)):
            if not (warning.startswith(UNKNOWN) and self._has_named):
                fresh.append(warning)
            self._has_named |= warning.startswith(UNKNOWN)
        return fresh


_NOT_COUNTS = frozenset({"calls", "conversation"})


def _entry(counts: Counts, conversation: str) -> dict[str, Any]:
    """Return the entry of `Trace.model_calls`."""
    entry = {
        "conversation": conversation,
        "prompt_tokens": counts.prompt and counts.prompt.value,
        "cached_tokens": counts.cached and counts.cached.value,
        "completion_tokens": counts.completion and counts.completion.value,
    }
    # Most providers never report writes, and no reader of a trace expects the key.
    return entry | ({"cache_write_tokens": counts.written.value} if counts.written else {})


def _calls_of(usage: Mapping[str, Any]) -> list[tuple[Counts, str]]:
    """Return counts and own conversation of each model call that a report lists."""
    calls = usage.get("calls")
    return [
        (read_counts(_without_conversation(call)), _conversation(call))
        if isinstance(call, Mapping)
        else (Counts(problem=f"{UNKNOWN}a call is {type(call).__name__}, no object"), "")
        for call in (calls if isinstance(calls, list | tuple) else ())
    ]


def _without_conversation(call: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key not in _NOT_COUNTS}


def _conversation(call: Mapping[str, Any]) -> str:
    name = call.get("conversation")
    return name if isinstance(name, str) else ""


def _value(reported: Count | None, parts: list[Count | None]) -> int | None:
    """Return the tokens of a send: as reported, else the sum over its model calls."""
    if reported is not None or not parts:
        return reported and reported.value
    return _sum([count and count.value for count in parts])


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
