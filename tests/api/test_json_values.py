"""Values of any kind, made fit for a file."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_values

from wt_git.api.json_values import json_value


class Mute:
    """An object that cannot even describe itself."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


@given(json_values())
def test_what_json_can_hold_is_kept(value):
    """A JSON value comes back as it is."""
    assert json_value(value) == value


def test_leaves_that_json_cannot_hold_become_their_repr(subtests):
    """They do so wherever they stand, and nothing around them changes."""
    for value, written in [
        ({1, 2} - {2}, "{1}"),
        (b"raw", "b'raw'"),
        (PurePosixPath("a/b"), "PurePosixPath('a/b')"),
        (float("nan"), "nan"),
        (-float("inf"), "-inf"),
        ((1, (2,)), [1, [2]]),
        (
            {1: "a", False: "b", None: "c", 2.5: "d", (1, 2): "e"},
            {"1": "a", "false": "b", "null": "c", "2.5": "d", "(1, 2)": "e"},
        ),
        (Mute(), "<Mute without a repr>"),
    ]:
        with subtests.test(value=value, written=written):
            assert json_value({"deep": [value]}) == {"deep": [written]}


def test_an_integer_too_long_to_write_is_written_in_hexadecimal():
    """Python itself refuses to write it in decimal."""
    assert json_value(1 << 20_000) == hex(1 << 20_000)


def test_what_contains_itself_is_cut_off():
    """Also when it does so twice over."""
    knot: list[object] = ["start"]
    knot.extend([knot, {"again": knot}])
    note = "<list nested too deeply>"
    assert json_value(knot) == ["start", note, {"again": note}]


def test_what_is_nested_beyond_all_reading_is_cut_off():
    """A reader gives up at some depth, so nothing deeper is written."""
    tower: object = "bottom"
    for _ in range(5000):
        tower = [tower]
    written = json.dumps(json_value(tower))
    assert json.loads(written)
    assert "nested too deeply" in written


def test_the_same_part_twice_is_no_cycle():
    """Sharing is not containing oneself."""
    part = {"a": 1}
    assert json_value([part, part]) == [part, part]


@given(
    st.recursive(
        st.none() | st.floats() | st.binary() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.tuples(inner)
            | st.dictionaries(st.none() | st.integers() | st.floats() | st.binary(), inner)
        ),
        max_leaves=8,
    )
)
def test_the_result_can_always_be_written(value):
    """Strict JSON takes whatever comes out."""
    json.dumps(json_value(value), allow_nan=False)
