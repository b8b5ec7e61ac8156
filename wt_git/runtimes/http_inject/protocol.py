"""Contract C, version 1: the messages between the bench and an agent's endpoint.

Pure functions over decoded JSON; `client` and `server` send and receive the bytes. The tables are in
docs/writing-a-runtime.md, "The wire". Both sides ignore unknown keys, since version 1 may grow; a
change that breaks one side raises the integer.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

PROTOCOL_VERSION = 1
VERSION_KEY = "wt_inject"

INJECT_ROUTE = "/wt/inject"
RESET_ROUTE = "/wt/reset"
SURFACE_ROUTE = "/wt/surface"

SURFACE_LISTS = ("system_instructions", "tool_definitions", "extra_segments")


class ContractError(ValueError):
    """A message breaks Contract C; the text names the part that does."""


class GarbledBodyError(ContractError):
    """A body is no JSON at all: it was cut off, or something else answered."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A valid inject request: one user turn, and the seconds its endpoint may spend on it."""

    session_id: str
    text: str
    timeout_s: float


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """A valid inject response; `tool_calls` are `{name, arguments}` objects, in order.

    `failure_class` is the class of `error`, from an endpoint that knows it.
    """

    reply: str
    tool_calls: list[dict[str, Any]]
    error: str | None
    usage: dict[str, Any] | None
    model: str | None
    failure_class: str | None = None


def envelope(**fields: Any) -> dict[str, Any]:
    """Return a body: the version, then `fields`."""
    return {VERSION_KEY: PROTOCOL_VERSION, **fields}


def decode(body: bytes) -> dict[str, Any]:
    """Return the JSON object in `body`; raises `ContractError` naming the step that failed."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GarbledBodyError(f"the body is not valid UTF-8 ({error.reason})") from error
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise GarbledBodyError(f"the body is not valid JSON ({error})") from error
    if not isinstance(value, dict):
        raise ContractError(f"the body must be an object, got {_kind(value)}")
    return value


def check_version(payload: dict[str, Any]) -> None:
    """Raise `ContractError` unless `payload` states this version, as a true integer."""
    version = _required(payload, VERSION_KEY)
    if type(version) is not int or version != PROTOCOL_VERSION:
        raise ContractError(
            f"field 'wt_inject' must equal {PROTOCOL_VERSION}, got {version!r:.200}"
        )


def parse_turn(payload: dict[str, Any]) -> TurnRequest:
    """Return the inject request in `payload`; raises `ContractError` naming the field."""
    check_version(payload)
    timeout_s = _required(payload, "timeout_s")
    if not is_positive_number(timeout_s):
        raise ContractError(
            f"field 'timeout_s' must be a positive, finite number, got {timeout_s!r:.200}"
        )
    return TurnRequest(_string(payload, "session_id"), _string(payload, "text"), float(timeout_s))


def parse_answer(payload: dict[str, Any]) -> TurnAnswer:
    """Return the inject response in `payload`; raises `ContractError` naming the field.

    A reply of blanks counts as empty, and an empty one is allowed only together with `error`.
    """
    check_version(payload)
    reply = _string(payload, "reply")
    calls = _required(payload, "tool_calls")
    if not isinstance(calls, list):
        raise ContractError(f"field 'tool_calls' must be a list, got {_kind(calls)}")
    error = payload.get("error")
    if error is not None and not is_text(error):
        raise ContractError(
            f"field 'error' must be a non-empty string when present, got {error!r:.200}"
        )
    if error is None and not reply.strip():
        raise ContractError("field 'reply' may be empty only together with 'error'")
    return TurnAnswer(
        reply=reply,
        tool_calls=[_parse_call(call, position) for position, call in enumerate(calls)],
        error=error,
        usage=_optional(payload, "usage", dict),
        model=_optional(payload, "model", str),
        failure_class=_optional(payload, "failure_class", str),
    )


def _parse_call(call: object, position: int) -> dict[str, Any]:
    where = f"tool_calls[{position}]"
    if not isinstance(call, dict):
        raise ContractError(f"{where} must be an object, got {_kind(call)}")
    name = _required(call, "name", where)
    if not is_text(name):
        raise ContractError(f"{where}: field 'name' must be a non-empty string, got {name!r:.200}")
    arguments = _required(call, "arguments", where)
    if not isinstance(arguments, dict):
        raise ContractError(f"{where}: arguments must be a JSON object, got {_kind(arguments)}")
    return {"name": name, "arguments": arguments}


def parse_surface(payload: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the three lists of a surface response; raises `ContractError` naming the part.

    All three are required even when empty; other keys are dropped.
    """
    check_version(payload)
    surface = _required(payload, "surface")
    if not isinstance(surface, dict):
        raise ContractError(f"field 'surface' must be an object, got {_kind(surface)}")
    return check_surface(surface)


def check_surface(surface: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the three lists of `surface`; raises `ContractError` naming the part."""
    lists = {}
    for key in SURFACE_LISTS:
        items = _required(surface, key, "surface")
        if not isinstance(items, list):
            raise ContractError(f"surface.{key} must be a list, got {_kind(items)}")
        for position, item in enumerate(items):
            _check_surface_item(key, item, f"surface.{key}[{position}]")
        lists[key] = items
    return lists


def _check_surface_item(key: str, item: object, where: str) -> None:
    if not isinstance(item, dict):
        raise ContractError(f"{where} must be an object, got {_kind(item)}")
    if key != "system_instructions" and not is_text(item.get("name")):
        raise ContractError(f"{where}: field 'name' must be a non-empty string")
    if key != "tool_definitions" and not isinstance(item.get("content"), str):
        raise ContractError(f"{where}: field 'content' must be a string")


def is_positive_number(value: object) -> TypeGuard[float]:
    """Say whether `value` is a finite number above zero; a bool is not a number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return value > 0 and math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False


def _required(payload: dict[str, Any], key: str, where: str = "") -> Any:
    if key not in payload:
        prefix = f"{where}: " if where else ""
        raise ContractError(f"{prefix}missing required field '{key}'")
    return payload[key]


def _string(payload: dict[str, Any], key: str) -> str:
    value = _required(payload, key)
    if not isinstance(value, str):
        raise ContractError(f"field '{key}' must be a string, got {_kind(value)}")
    return value


def _optional(payload: dict[str, Any], key: str, kind: type) -> Any:
    """Return a field that was added later, or None when it is absent, null or of another type.

    Drivers of version 1 ignore unknown fields, so an endpoint that uses the name for another purpose
    still conforms.
    """
    value = payload.get(key)
    return value if isinstance(value, kind) else None


def is_text(value: object) -> bool:
    """Say whether `value` is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
