"""Perturbations by an earlier tool call that was wrong, refused, or answered in part."""

from __future__ import annotations

import ast
import json
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.messages import (
    Marked,
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
from wt_git.api.scenario import PreSendPerturbation

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace, Turn


def corrupt_arguments(arguments: str, mode: str) -> str:
    """Return a corrupted copy of a call's argument text.

    `broken_json` cuts it in half and appends rubbish. Any other mode renames the fields, or appends
    a field that makes the text no JSON.
    """
    if mode == "broken_json":
        return arguments[: max(len(arguments) // 2, 1)] + "INVALID{{{"
    fields = _fields(arguments)
    if fields is None:
        return arguments + ', "x_corrupted": true}'
    return json_text({f"x_{key}": value for key, value in fields.items()})


def corrupt_call(call: object, mode: str) -> Any:
    """Return a copy of `call`, OpenAI's or flat, with its arguments as corrupted text.

    Decoded arguments are encoded first. A call without arguments is not changed.
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
    """Return the fields of `arguments`, in JSON or, as small models write them, in Python."""
    fields = _decoded(arguments)
    if fields is None:
        try:
            fields = ast.literal_eval(arguments)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
    return fields if isinstance(fields, dict) else None


def cut_page(text: str, returned: int) -> str:
    """Return a tool's result as a page that claims to be cut after `returned` rows.

    The page is the JSON object in `text`, or the one in its `result` string. Any other text becomes
    the `result` of a new object.
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
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@dataclass
class MalformedToolCall(Marked, PreSendPerturbation):
    """The assistant called a tool with arguments that are wrong, and nothing matched.

    `arg_corruption_mode` is `wrong_field_names` or `broken_json`. `turn_idx` is the turn whose calls
    `apply` corrupts in a saved trace; a live history ignores it and shows a call to `tool_name`, or
    to the scenario's first required tool.
    """

    turn_idx: int
    arg_corruption_mode: str = "wrong_field_names"
    tool_name: str | None = None

    marker_template = "malformed_tool_call turn_idx={turn_idx} mode={arg_corruption_mode}"

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

        def corrupted(turn: Turn) -> Turn:
            calls = [corrupt_call(call, self.arg_corruption_mode) for call in turn.tool_calls]
            return rewritten(turn, tool_calls=calls)

        return with_turn(trace, self.turn_idx, corrupted, self.marker)


@dataclass
class _InsertedCall(Marked, PreSendPerturbation):
    """A call and its result, which `apply` inserts at `turn_idx` and a live history at its end."""

    turn_idx: int

    @abstractmethod
    def _exchange(self) -> tuple[Message, str]:
        """Return the call and its result."""

    def shape_messages(self, messages: list[Message], scenario: Scenario) -> list[Message]:  # noqa: ARG002
        """Return the history with the call and its result."""
        return before_last_user(messages, round_trip(*self._exchange()))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the call and its result inserted, and the marker."""
        return with_inserted(trace, self.turn_idx, invented_turns(*self._exchange()), self.marker)


@dataclass
class InjectWrongPriorToolCall(_InsertedCall):
    """The assistant chose the wrong tool earlier and got a plausible answer.

    `turn_idx` is where `apply` inserts the exchange in a saved trace; a live history ignores it.
    """

    wrong_tool_name: str
    fake_result: str

    marker_template = "inject_wrong_prior_tool_call turn_idx={turn_idx} tool={wrong_tool_name}"

    def _exchange(self) -> tuple[Message, str]:
        return tool_call("call_injected_wrong", self.wrong_tool_name, "{}"), self.fake_result


@dataclass
class InjectSchemaRejectedCall(_InsertedCall):
    """The assistant called the right tool with a value that its schema refuses.

    `turn_idx` is where `apply` inserts the exchange in a saved trace; a live history ignores it.
    """

    tool_name: str
    bad_arg: dict[str, Any]

    marker_template = "inject_schema_rejected_call turn_idx={turn_idx} tool={tool_name}"

    def _exchange(self) -> tuple[Message, str]:
        call = tool_call("call_injected_bad_arg", self.tool_name, json_text(self.bad_arg))
        given = ", ".join(f"{key}={value!r}" for key, value in self.bad_arg.items())
        error = (
            f"Schema validation error: {self.tool_name} does not accept {given}."
            " Consult the tool's valid values and retry."
        )
        return call, json_text({"rejected": True, "error": error})


@dataclass
class InjectPaginationTruncation(Marked, PreSendPerturbation):
    """The assistant saw only the first page of a result.

    `turn_idx` is the turn whose content `apply` cuts in a saved trace; a live history ignores it
    and shows a call to `tool_name`, or to the scenario's first required tool. `truncate_at` is the
    number of rows that the page claims to hold.
    """

    turn_idx: int
    truncate_at: int
    tool_name: str | None = None

    marker_template = "inject_pagination_truncation turn_idx={turn_idx} truncate_at={truncate_at}"

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

        def cut(turn: Turn) -> Turn:
            return rewritten(turn, content=cut_page(turn.content, self.truncate_at))

        return with_turn(trace, self.turn_idx, cut, self.marker)
