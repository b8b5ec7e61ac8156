"""Values that must be JSON are copied, or refused by place."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from kit.traces import json_values

from wt_git.api.document_reader import json_copy
from wt_git.api.json_values import DEEPEST


class RefusedError(ValueError):
    """What the tests ask for."""


def test_a_copy_shares_nothing():
    """Who changes the original later does not change the copy."""
    original = {"a": [{"b": 1}]}
    copy = json_copy(original, "x", RefusedError)
    original["a"][0]["b"] = 2
    assert copy == {"a": [{"b": 1}]}


@given(json_values())
def test_every_json_value_is_taken_as_it_is(value):
    """Types included: 1 is neither 1.0 nor true."""
    assert json.dumps(json_copy(value, "x", RefusedError)) == json.dumps(value)


def test_a_tuple_becomes_an_array():
    """JSON knows one kind of sequence."""
    assert json_copy({"a": (1, (2,))}, "x", RefusedError) == {"a": [1, [2]]}


def test_what_json_cannot_hold_is_refused_by_its_place(subtests):
    """It could be read but never written again."""
    for value, message in [
        (math.nan, "x must be a JSON value, got NaN"),
        ({"a": [0, math.inf]}, r"x\.a\[1\] must be a JSON value, got Infinity"),
        ([{1: 2}], r"x\[0\] must have strings for names, got 1"),
        ({"a": {1}}, r"x\.a must be a JSON value, got a set"),
        ([b"raw"], r"x\[0\] must be a JSON value, got a bytes"),
        ([10**5000], r"x\[0\] must be a JSON value, got a huge integer"),
    ]:
        with (
            subtests.test(value=value, message=message),
            pytest.raises(RefusedError, match=message),
        ):
            json_copy(value, "x", RefusedError)


def test_a_value_may_be_nested_as_deep_as_readers_follow_and_no_deeper():
    """Python's own reader and writer end in a RecursionError somewhere beyond."""
    value: list = []
    for _ in range(DEEPEST):
        value = [value]
    assert json_copy(value, "x", RefusedError) == value
    with pytest.raises(RefusedError, match=f"nested deeper than {DEEPEST} levels"):
        json_copy([value], "x", RefusedError)


def test_what_contains_itself_is_refused():
    """There is no end to it."""
    value: list = []
    value.append(value)
    with pytest.raises(RefusedError, match="nested deeper"):
        json_copy(value, "x", RefusedError)
