"""Values from outside become JSON data or a description of themselves."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from wt_git.runner.safe_values import (
    json_or_repr,
    json_with_reprs,
    safe_repr,
    safe_text,
)

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary(max_size=3)
    | st.frozensets(st.integers(), max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text() | st.integers() | st.none() | st.binary(), inner, max_size=3)
    ),
)


class Mute:
    """Cannot describe itself."""

    def __repr__(self):
        raise OSError

    __str__ = __repr__


@given(anything)
def test_every_value_can_be_written_down(value):
    """As strict JSON, whatever it is made of."""
    for freeze in (json_with_reprs, json_or_repr):
        json.dumps(freeze(value), allow_nan=False)


@given(anything)
def test_what_was_frozen_once_stays_as_it_is(value):
    """A saved trace reads back as the live one."""
    assert json_with_reprs(json_with_reprs(value)) == json_with_reprs(value)
    assert json.loads(json.dumps(json_with_reprs(value))) == json_with_reprs(value)


def test_a_part_that_is_not_json_costs_a_result_its_form_and_other_values_only_that_part():
    """Results are described as a whole."""
    assert json_or_repr({"a": 1, "b": {2}}) == "{'a': 1, 'b': {2}}"
    assert json_with_reprs({"a": 1, "b": {2}}) == {"a": 1, "b": "{2}"}


def test_a_value_that_contains_itself_is_described():
    """However often it does so, at any depth."""
    value = {}
    value["a"] = value["b"] = [value]
    assert isinstance(json_with_reprs(value), str)
    assert isinstance(json_or_repr(value), str)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    json.dumps(json_or_repr(deep))


def test_a_value_that_cannot_describe_itself_is_named_by_its_type():
    """Nothing an agent returns can break its own record."""
    assert "Mute" in safe_repr(Mute())
    assert "Mute" in safe_text(Mute())
    assert "Mute" in json_with_reprs([Mute()])[0]
    assert safe_text(ValueError()) == "ValueError"
