"""Perturbations by an earlier tool call that was wrong, refused, or answered in part."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.messages import (
    Message,
    before_last_user,
    invented_turns,
    json_text,
    plausible_query,
    plausible_tool,
    rewritten,
    round_trip,
    tool_call,
    with_inserted,
    with_turn,
)
from wt_git.api.perturbations.tool_failures import marker_text
from wt_git.api.scenario import PreSendPerturbation

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace, Turn


def corrupt_arguments(arguments: str, mode: str) -> str:
    """Return a call's argument text gone wrong.

    `broken_json` cuts it in half and leaves rubbish behind. Any other mode renames the fields, or,
    where there are none, appends a field that makes the text no JSON.
    """
    if mode == "broken_json":
        return arguments[: max(len(arguments) // 2, 1)] + "INVALID{{{"
    fields = _fields(arguments)
    if fields is None:
        return arguments + ', "x_corrupted": true}'
    return json_text({f"x_{key}": value for key, value in fields.items()})


def corrupt_call(call: object, mode: str) -> Any:
    """Return a copy of `call`, in either shape, with its arguments as corrupted text.

    Arguments that were already decoded are encoded first. A call without arguments stays as it is.
    """
    if not isinstance(call, dict):
        return call
    function = call.get("function")
    if isinstance(function, dict) and "arguments" in function:
        return {**call, "function": _corrupted(function, "arguments", mode)}
    return _corrupted(call, "args", mode) if "args" in call else call


def _corrupted(holder: dict[str, Any], key: str, mode: str) -> dict[str, Any]:
    arguments = holder[key]
    text = arguments if isinstance(arguments, str) else json_text(arguments)
    return {**holder, key: corrupt_arguments(text, mode)}


def _fields(arguments: str) -> dict[Any, Any] | None:
    """Return the fields that `arguments` spell, in JSON or as small models write: in Python."""
    fields = _decoded(arguments)
    if fields is None:
        import ast  # noqa: PLC0415 - slow to import, and needed for odd arguments only

        try:
            fields = ast.literal_eval(arguments)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
    return fields if isinstance(fields, dict) else None


def cut_page(text: str, returned: int) -> str:
    """Return a tool's result as if only the first `returned` rows of it had been delivered.

    The page is the JSON object that `text` spells, or the one in its `result` string. Any other
    text becomes the result of such an object.
    """
    outer = _decoded(text)
    if not isinstance(outer, dict):
        return json_text(_cut({"result": text}, returned))
    if isinstance(outer.get("result"), str):
        inner = _decoded(outer["result"])
        if isinstance(inner, dict):
            return json_text({**outer, "result": json_text(_cut(inner, returned))})
    return json_text(_cut(outer, returned))


def _cut(page: dict[str, Any], returned: int) -> dict[str, Any]:
    old = page.get("pagination")
    pagination = {**(old if isinstance(old, dict) else {}), "hasMore": True, "returned": returned}
    note = f"The results were cut at {returned}; pass an offset to reach the rest."
    return {**page, "pagination": pagination, "note": note}


def _decoded(text: str) -> object:
    """Return what `text` spells as JSON, None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@dataclass
class MalformedToolCall(PreSendPerturbation):
    """The assistant called a tool with arguments that are wrong, and nothing matched.

    `arg_corruption_mode` is `wrong_field_names` or `broken_json`. `turn_idx` is the turn whose calls
    `apply` corrupts in a saved trace; a live history ignores it and shows a call to `tool_name`, or
    to the scenario's first required tool.
    """

    turn_idx: int
    arg_corruption_mode: str = "wrong_field_names"
    tool_name: str | None = None

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "malformed_tool_call", turn_idx=self.turn_idx, mode=self.arg_corruption_mode
        )

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:
        """Return the history with the corrupted call and its empty result."""
        arguments = corrupt_arguments(
            json_text({"query": plausible_query(scenario)}), self.arg_corruption_mode
        )
        call = tool_call("call_bad_args", plausible_tool(self.tool_name, scenario), arguments)
        result = json_text({"matches": [], "note": "Nothing matched."})
        return before_last_user(messages, round_trip(call, result))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the arguments of the turn's calls corrupted, and the marker."""
        return with_turn(trace, self.turn_idx, self._corrupted, self.marker)

    def _corrupted(self, turn: Turn) -> Turn:
        calls = [corrupt_call(call, self.arg_corruption_mode) for call in turn.tool_calls]
        return rewritten(turn, tool_calls=calls)


@dataclass
class InjectWrongPriorToolCall(PreSendPerturbation):
    """The assistant chose the wrong tool earlier and got a plausible answer.

    `turn_idx` is where `apply` inserts the exchange in a saved trace; a live history ignores it.
    """

    turn_idx: int
    wrong_tool_name: str
    fake_result: str

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "inject_wrong_prior_tool_call", turn_idx=self.turn_idx, tool=self.wrong_tool_name
        )

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:  # noqa: ARG002
        """Return the history with the wrong call and its result."""
        return before_last_user(messages, round_trip(self._call(), self.fake_result))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the exchange inserted, and the marker."""
        turns = invented_turns(self._call(), self.fake_result)
        return with_inserted(trace, self.turn_idx, turns, self.marker)

    def _call(self) -> Message:
        return tool_call("call_injected_wrong", self.wrong_tool_name, "{}")


@dataclass
class InjectSchemaRejectedCall(PreSendPerturbation):
    """The assistant called the right tool with a value that its schema refuses.

    `turn_idx` is where `apply` inserts the exchange in a saved trace; a live history ignores it.
    """

    turn_idx: int
    tool_name: str
    bad_arg: dict[str, Any]

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "inject_schema_rejected_call", turn_idx=self.turn_idx, tool=self.tool_name
        )

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:  # noqa: ARG002
        """Return the history with the refused call and the refusal."""
        return before_last_user(messages, round_trip(self._call(), self._refusal()))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the exchange inserted, and the marker."""
        turns = invented_turns(self._call(), self._refusal())
        return with_inserted(trace, self.turn_idx, turns, self.marker)

    def _call(self) -> Message:
        return tool_call("call_injected_bad_arg", self.tool_name, json_text(self.bad_arg))

    def _refusal(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.bad_arg.items())
        error = (
            f"Schema validation error: {self.tool_name} does not accept {given}."
            " Consult the tool's valid values and retry."
        )
        return json_text({"rejected": True, "error": error})


@dataclass
class InjectPaginationTruncation(PreSendPerturbation):
    """The assistant saw only the first page of a result.

    `turn_idx` is the turn whose content `apply` cuts in a saved trace; a live history ignores it
    and shows a call to `tool_name`, or to the scenario's first required tool. `truncate_at` is the
    number of rows that the page claims to hold.
    """

    turn_idx: int
    truncate_at: int
    tool_name: str | None = None

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "inject_pagination_truncation", turn_idx=self.turn_idx, truncate_at=self.truncate_at
        )

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:
        """Return the history with a call and the first page of its result."""
        call = tool_call("call_paged", plausible_tool(self.tool_name, scenario), "{}")
        page = {
            "orders": [{"orderId": "ORD-1001", "quantity": 12}],
            "summary": {"total": {"count": 1, "quantity": 12}},
        }
        result = cut_page(json_text({"result": json_text(page)}), self.truncate_at)
        return before_last_user(messages, round_trip(call, result))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the turn's content cut to a page, and the marker."""
        return with_turn(trace, self.turn_idx, self._cut, self.marker)

    def _cut(self, turn: Turn) -> Turn:
        return rewritten(turn, content=cut_page(turn.content, self.truncate_at))
