"""Recorded conversations for tests: small ones, any one, and texts that try to break out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from kit.traces import json_objects, json_values, texts

from wt_git.api.interchange import build_envelope

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def text(content: str) -> dict[str, Any]:
    """A part that says something."""
    return {"type": "text", "content": content}


def call(call_id: str = "c1", name: str = "look", **arguments: Any) -> dict[str, Any]:
    """A part that calls a tool."""
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def response(call_id: str = "c1", value: Any = "found") -> dict[str, Any]:
    """A part that answers a call."""
    return {"type": "tool_call_response", "id": call_id, "response": value}


def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """A message."""
    return {"role": role, "parts": list(parts)}


def said(role: str, content: str) -> dict[str, Any]:
    """A message of one text."""
    return message(role, text(content))


def envelope(*messages: dict[str, Any], **sections: Any) -> dict[str, Any]:
    """A conversation; a question about orders, one call and an answer where none is given."""
    exchange = [
        said("user", "How many open orders does Lowell Spinners have?"),
        message("assistant", call("c1", "order_query", client="ACC-LSPN-001")),
        message("tool", response("c1", {"open": 75})),
        said("assistant", "They have 75 open orders."),
    ]
    return build_envelope(model="m-1", messages=list(messages) or exchange, **sections)


def write_envelope(document: object, path: str = "talk.wtin.json") -> str:
    """Write a document as a file and return its name."""
    Path(path).write_text(json.dumps(document), encoding="utf-8")
    return path


HOSTILE = (
    '"""',
    "'''",
    "\\",
    "\\\"\"\"'''\\",
    "'\"",
    "line\nbreak\r\nand\rmore\u2028\u2029\x85",
    '"""\nimport os; os.remove("x")\n"""',
    "]\n)\nraise SystemExit(1)\n#",
    "\x00\x1b[2J\x07",
    "\u202eesrever\u202c",
    "\ud800 half",
    "{name} {0} %s %(x)s $x",
    "# heading\n- [x] done\n```\n</code><script>alert(1)</script>\n![i](http://x/y.png)",
    "````",
    "\ufeff\ufffe",
    "\N{PILE OF POO}é日本",
    "\t tab \x0b\x0c",
    "N" * 300,
)
"""Texts that end strings, comments, code blocks or lines where they are pasted in carelessly."""


def hostile_texts() -> SearchStrategy[str]:
    """Any text, more often one that tries to break out."""
    pieces = st.sampled_from(HOSTILE) | texts()
    return st.lists(pieces, min_size=1, max_size=3).map("".join)


def filled() -> SearchStrategy[str]:
    """Any text that is not empty."""
    return hostile_texts().filter(bool)


def parts(*, ids: SearchStrategy[str] | None = None) -> SearchStrategy[dict[str, Any]]:
    """Any part of a message; few different ids, so that some calls find their response."""
    ids = st.sampled_from(["a", "b", "c"]) | filled() if ids is None else ids
    return (
        st.builds(text, hostile_texts())
        | st.builds(lambda i, n, a: {**call(i, n), "arguments": a}, ids, filled(), json_objects())
        | st.builds(response, ids, json_values())
    )


def messages() -> SearchStrategy[list[dict[str, Any]]]:
    """Any messages."""
    roles = st.sampled_from(["user", "assistant", "tool", "system"]) | filled()
    one = st.builds(lambda role, some: message(role, *some), roles, st.lists(parts(), max_size=3))
    return st.lists(one, max_size=5)


def tool_definitions() -> SearchStrategy[list[dict[str, Any]]]:
    """Any tool definitions, no two of one name."""
    one = st.fixed_dictionaries(
        {"name": filled()},
        optional={
            "description": st.none() | hostile_texts(),
            "input_schema": st.none() | json_objects(),
            "result_schema": st.none() | json_objects(),
        },
    )
    return st.lists(one, max_size=3, unique_by=lambda tool: tool["name"])


def witnessed_calls() -> SearchStrategy[list[dict[str, Any]]]:
    """Any calls that were witnessed."""
    one = st.fixed_dictionaries(
        {"tool_name": filled(), "args": json_objects(), "result": json_values()}
    )
    return st.lists(one, max_size=3)


def envelopes() -> SearchStrategy[dict[str, Any]]:
    """Any conversation that can be imported."""
    sources = st.none() | json_objects() | st.fixed_dictionaries({"ref": hostile_texts()})
    return st.builds(
        build_envelope,
        model=filled(),
        messages=messages(),
        provider=st.none() | hostile_texts(),
        otel_genai_mapping=hostile_texts(),
        source=sources,
        tool_definitions=st.none() | tool_definitions(),
        witnessed_calls=st.none() | witnessed_calls(),
    )
