"""Tool calls inside replies: their forms, and the search for those that no shape has read.

docs/reply-shapes.md, "Calls" and "What is refused", states the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from wt_git.run_errors import FailureClass

Call = dict[str, Any]
"""A call as traces keep it: OpenAI's (`id`, `type`, `function`), or flat (`id`, `name`, `args`)."""


class ReplyError(ValueError):
    """A reply that cannot be scored: its shape is unknown, a call in it cannot be read, or an error body."""

    def __init__(self, text: str, failure_class: FailureClass = "harness") -> None:
        super().__init__(text)
        self.failure_class = failure_class


# Keys that say that calls stand under them, in snake case: `tool_calls`, `functions_called`, `used_tools`.
_CALL_KEY = re.compile(
    r"(?:\w+_)?(?:tools?|functions?)_(?:calls?|called|calls_made|uses?|used|invocations?|invoked)"
    r"|(?:called|used|invoked)_(?:tools?|functions?)|calls|invocation_inputs|return_control"
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CALL_TYPE = re.compile(r"(?:tool|function)[-_.]?(?:use|call|execution)|_call$", re.IGNORECASE)
RESULT_TYPE = re.compile(
    r"result|_output$|tool[-_]return|function_response|list_tools", re.IGNORECASE
)
_ARGUMENTS = (
    "arguments",
    "args",
    "input",
    "tool_input",
    "toolInput",
    "tool_args",
    "toolArgs",
    "action_input",
    "params",
    "kwargs",
    "parameters",
)
_GIVEN = (*_ARGUMENTS, "action", "queries", "code", "operation")
_NAMES = ("name", "tool_name", "toolName", "recipient_name", "tool", "function")
_IDS = ("id", "tool_call_id", "toolCallId", "toolUseId", "call_id")

# Accounts of the use of tools, whose keys name no calls; an object in them may still be one.
_ACCOUNTS = frozenset({"usage", "usage_metadata", "usageMetadata", "token_usage", "tokenUsage"})
# Keys whose value is no part of the answer: the request again, and results.
_NOT_THE_ANSWER = frozenset(
    {
        "tools",
        "functions",
        "tool_choice",
        "toolConfig",
        "tool_config",
        "tool_results",
        "logprobs",
        "worker_warnings",
        "rendered_prompt",
    }
)

CALL_HOLDERS = ("function", "custom", "functionCall", "function_call", "toolUse", "toolCall")


def is_flat(call: Mapping[str, Any]) -> bool:
    """Say whether a call has the flat form of traces already."""
    is_plain = call.get("type") in {None, "function", "tool_call"} and "name" in call
    return is_plain and not {"input", "parameters"} & call.keys()


def name_of(call: Mapping[str, Any]) -> str | None:
    """Return the name of a called tool; None where there is none."""
    found = (call.get(key) for key in _NAMES)
    return next((name for name in found if isinstance(name, str) and name.strip()), None)


def called(call: Mapping[str, Any]) -> str | None:
    """Return the name in a call as traces keep it."""
    inner = call.get("function")
    return name_of(inner if isinstance(inner, Mapping) else call)


def hosted_name(call: Mapping[str, Any]) -> str | None:
    """Return the name of a tool that the provider runs itself: of `web_search_call`, `web_search`."""
    kind = call.get("type")
    if isinstance(kind, str) and kind.endswith("_call") and kind not in _NAMED_BY_NAME:
        return kind.removesuffix("_call")
    return "code_execution" if {"executableCode", "executable_code"} & call.keys() else None


_NAMED_BY_NAME = frozenset({"function_call", "custom_tool_call", "tool_call", "mcp_call"})


def flat(name: str, call: Mapping[str, Any], inner: Mapping[str, Any] | None) -> Call:
    """Return a call in the flat form of traces."""
    arguments = arguments_of(call if inner is None else inner)
    if not isinstance(arguments, Mapping):
        arguments = {} if arguments is None else {"input": arguments}
    known: Call = {"name": name, "args": dict(arguments)}
    ids = (source.get(key) for source in (call, inner or {}) for key in _IDS)
    found = next((one for one in ids if isinstance(one, str) and one), None)
    return known if found is None else {"id": found, **known}


def arguments_of(call: Mapping[str, Any]) -> Any:
    """Return the arguments of a call, decoded where they are an object in a string."""
    value = next((call[key] for key in _GIVEN if key in call), None)
    if isinstance(value, str):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return decoded if isinstance(decoded, dict) else value
    return value


def beside_the_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a call that its flat form leaves out, results aside."""
    kept = (*CALL_HOLDERS, *_NAMES, *_IDS, *_GIVEN, "output", "outputs", "result", "results")
    return {key: value for key, value in call.items() if key not in kept}


def unreadable(where: str, call: object) -> NoReturn:
    """Raise `ReplyError` for a call at `where`."""
    shown = repr(dict(call) if isinstance(call, Mapping) else call)
    raise ReplyError(f"a tool call that cannot be read, at {where}: {shown[:200]}")


def is_call(value: Mapping[str, Any]) -> bool:
    """Say whether a block of content is a tool call, or holds one."""
    return _looks_like_call(value) or any(
        isinstance(value.get(key), Mapping) for key in CALL_HOLDERS[2:]
    )


def _looks_like_call(value: Mapping[str, Any]) -> bool:
    """Say whether an object looks like a tool call by its type, or its name and arguments."""
    kind = value.get("type") or value.get("part_kind")
    if isinstance(kind, str) and _CALL_TYPE.search(kind) and not RESULT_TYPE.search(kind):
        return True
    if {"executableCode", "executable_code"} & value.keys():
        return True
    if isinstance(value.get("action"), str) and "action_input" in value:
        return True
    if name_of(value) is None:
        return False
    given = [key for key in _ARGUMENTS if key in value]
    return bool(given) and not (given == ["parameters"] and _is_schema(value["parameters"]))


def _is_schema(value: object) -> bool:
    return isinstance(value, Mapping) and ("properties" in value or "$schema" in value)


@lru_cache(maxsize=4096)
def _is_call_key(key: str) -> bool:
    return _CALL_KEY.fullmatch(_CAPITAL.sub("_", key).lower()) is not None


def refuse_unread_calls(response: Mapping[str, Any], taken: set[int], place: str = "") -> None:
    """Raise `ReplyError` for the first object that looks like a call and was not read."""
    met: set[int] = set()
    waiting: list[tuple[str, object, bool]] = [(place, response, True)]
    while waiting:
        place, value, by_key = waiting.pop()
        if id(value) in taken or id(value) in met:
            continue
        met.add(id(value))
        if isinstance(value, list | tuple):
            waiting += [(f"{place}[{at}]", one, by_key) for at, one in enumerate(value)]
        elif isinstance(value, Mapping):
            if RESULT_TYPE.search(str(value.get("type") or value.get("part_kind") or "")):
                continue
            if value is not response and _looks_like_call(value):
                unreadable(place, value)
            for key, inside in value.items():
                if key in _NOT_THE_ANSWER:
                    continue
                where = f"{place}.{key}".lstrip(".")
                holds = isinstance(inside, str | list | tuple | Mapping) and inside
                if by_key and holds and id(inside) not in taken and _is_call_key(str(key)):
                    unreadable(where, inside)
                waiting.append((where, inside, by_key and key not in _ACCOUNTS))
