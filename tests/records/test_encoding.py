"""Documents on disk: fast to write, and readable by everybody."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.records.runs_dir import indented_json

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=20,
)


def _strict(text: str) -> object:
    def refuse(word: str) -> object:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@given(values)
def test_any_value_becomes_strict_json(value: object) -> None:
    """Also NaN, infinities and half surrogate pairs, which agents do send."""
    _strict(indented_json(value).decode())


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**200), 2**200)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_what_json_can_hold_comes_back_as_it_was(value: object) -> None:
    """In the layout that the standard library gives."""
    text = indented_json(value).decode()
    assert _strict(text) == value
    assert len(text.split("\n")) == len(json.dumps(value, indent=2, ensure_ascii=False).split("\n"))


@pytest.mark.parametrize("odd", [object(), {1, 2}, datetime(2026, 1, 2, tzinfo=UTC), b"\xff"])
def test_what_json_cannot_hold_loses_nothing_else(odd: object) -> None:
    """The rest of the document is as it was."""
    read = _strict(indented_json({"odd": odd, "rest": [1, "two"]}).decode())
    assert isinstance(read, dict)
    assert read["rest"] == [1, "two"]


def test_text_that_looks_like_a_constant_is_kept() -> None:
    """NaN as a word is only a word."""
    assert _strict(indented_json({"NaN": "Infinity"}).decode()) == {"NaN": "Infinity"}
