"""Arguments out of their wrappers, and compared."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_objects, json_values
from kit.universes import few_args

from wt_git.api.universe import normalize_tool_args
from wt_git.api.universe.document import canonical_args, canonical_json, wrapped_where_needed


def test_wrappers_of_every_wire_are_taken_off(subtests):
    """And parameters which merely share a wrapper's name are left alone."""
    for incoming, flat in [
        (None, {}),
        ({}, {}),
        ({"order": "A1"}, {"order": "A1"}),
        ({"function": {"name": "f", "arguments": {"order": "A1"}}}, {"order": "A1"}),
        ({"function": {"arguments": '{"order": "A1"}'}, "id": "1"}, {"order": "A1"}),
        ({"function": {"arguments": None}}, {}),
        ({"function": {"arguments": "{"}}, {}),
        ({"function": {"arguments": "[1]"}}, {}),
        ({"function": {"arguments": "[" * 100_000}}, {}),
        ({"function": {"arguments": 3}}, {}),
        ({"function": {"name": "f"}}, {"function": {"name": "f"}}),
        ({"function": "f"}, {"function": "f"}),
        ({"name": "f", "args": {"order": "A1"}, "id": "1"}, {"order": "A1"}),
        ({"name": "f", "args": "A1"}, {"name": "f", "args": "A1"}),
        ({"args": {"order": "A1"}}, {"args": {"order": "A1"}}),
        ({"name": "f", "arguments": '{"order": "A1"}'}, {"order": "A1"}),
        ({"type": "call", "arguments": {"order": "A1"}}, {"order": "A1"}),
        ({"type": "call", "arguments": "x"}, {}),
        ({"arguments": {"order": "A1"}}, {"arguments": {"order": "A1"}}),
        ({"name": "Lowell"}, {"name": "Lowell"}),
    ]:
        with subtests.test(incoming=incoming, flat=flat):
            assert normalize_tool_args(incoming) == flat


@given(args=json_objects() | few_args(), extra=st.text())
def test_the_same_arguments_come_out_of_every_wrapper(args, extra):
    """As an object or as its text."""
    for one in (args, json.dumps(args)):
        assert normalize_tool_args({"function": {"name": extra, "arguments": one}}) == args
        assert normalize_tool_args({"type": "function", "arguments": one}) == args
        assert normalize_tool_args({"name": extra, "arguments": one}) == args
    assert normalize_tool_args({"name": extra, "args": args}) == args


@given(args=json_objects() | few_args())
def test_any_arguments_have_a_form_that_is_read_back(args):
    """Also those that look like a wrapper of others."""
    assert normalize_tool_args(wrapped_where_needed(args)) == args


@given(args=json_objects() | few_args())
def test_the_arguments_are_a_copy(args):
    """At every depth: nothing that is done to the outcome reaches the call."""
    before = json.dumps(args)
    for value in normalize_tool_args(args).values():
        if isinstance(value, (dict, list)):
            value.clear()
    normalize_tool_args(args).clear()
    assert json.dumps(args) == before


def _same(left, right):
    """Say whether two JSON values are the same, by their kinds and parts."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return repr(left) == repr(right)


@given(left=json_values() | few_args(), right=json_values() | few_args())
def test_values_are_equal_when_their_kinds_and_parts_are(left, right):
    """1 is neither 1.0 nor true, and the order of names does not matter."""
    assert (canonical_json(left) == canonical_json(right)) == _same(left, right)


def test_arguments_from_python_code_are_compared_too():
    """JSON has no form for them, and looking up must not fail over that."""
    loop = []
    loop.append(loop)
    odd = {"loop": loop, "set": {1}, "names": {1: "a", None: "b", "c": "d"}, ("t",): 1, 2: "two"}
    canonical = canonical_args(odd)
    assert canonical["2"] == '"two"'
    assert set(canonical) >= {"loop", "set", "names"}
    assert canonical_args({"t": (1, 2)}) == canonical_args({"t": [1, 2]})
