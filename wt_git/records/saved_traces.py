"""A saved trace as people are shown it: whole, and of known shapes whatever the file holds.

`wt_git.api.trace.load_trace` refuses what is not exactly a trace. Here every run that tables count
can be looked at: what has another type than it should is left out, or shown as the text that it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.api.json_values import json_value
from wt_git.records.fields import encodable
from wt_git.records.lenient import text
from wt_git.records.saved_runs import all_of, json_object

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTrace:
    """A trace; text is empty where the file has none.

    Every turn has the keys of a `Turn`, and every call is an object. All of it can be written as
    JSON and encoded as UTF-8.
    """

    run_id: str
    scenario: str
    label: str
    started_at: str
    finished_at: str
    model: str
    quant: str
    turns: Sequence[dict[str, Any]]
    warnings: Sequence[str]
    mcp_calls: Sequence[dict[str, Any]]

    @property
    def tool_calls(self) -> int:
        """How many tool calls the agent says it made."""
        return sum(len(turn["tool_calls"]) for turn in self.turns)


def load_saved_trace(path: str) -> SavedTrace:
    """Read the trace at `path`. Raises `UnreadableRunError` where no object can be read from it."""
    data = all_of(path, "trace")
    shown = json_value(json_object(data, "trace"))
    return saved_trace(encodable(shown) if _HALF_A_PAIR.search(data) else shown)


def saved_trace(found: dict[str, Any]) -> SavedTrace:
    """Return the trace that a JSON object holds, of whatever age or writer."""
    return SavedTrace(
        run_id=_text(found.get("run_id")),
        scenario=_text(found.get("scenario_id")),
        label=_text(found.get("variant_id")),
        started_at=_text(found.get("started_at")),
        finished_at=_text(found.get("finished_at")),
        model=_text(found.get("model")),
        quant=_text(found.get("quant")),
        turns=[_turn(one) for one in _list(found.get("turns"))],
        warnings=list(filter(text, _list(found.get("worker_warnings")))),
        mcp_calls=[one for one in _list(found.get("mcp_calls")) if isinstance(one, dict)],
    )


def _turn(found: object) -> dict[str, Any]:
    """Return a turn; what is no object at all keeps its place as its text."""
    turn = found if isinstance(found, dict) else {"content": found}
    content = turn.get("content")
    latency = turn.get("latency_ms")
    is_number = isinstance(latency, int | float) and not isinstance(latency, bool)
    return {
        "role": text(turn.get("role")) or "unknown",
        "content": _as_text(content),
        "tool_calls": _list(turn.get("tool_calls")),
        "tool_results": _list(turn.get("tool_results")),
        "latency_ms": latency if is_number else 0.0,
        "rendered_prompt": text(turn.get("rendered_prompt")),
        "rendered_prompt_hash": text(turn.get("rendered_prompt_hash")),
    }


def _text(value: object) -> str:
    return text(value) or ""


def _as_text(value: object) -> str:
    """Return what stands where text belongs: parts of a message, say, which some tools send."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
