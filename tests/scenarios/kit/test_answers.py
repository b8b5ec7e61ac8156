from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from wt_git.scenarios.kit.tools import envelope, page, table


def test_an_answer_is_a_text_in_an_envelope():
    """`result` is JSON text of the answer proper."""
    assert json.loads(envelope({"größe": 1})["result"]) == {"größe": 1}


def test_a_table_stands_beside_the_result():
    """Columns, rows and a version, on the top level; a missing value is null."""
    answer = table({"n": 2}, ("a", "b"), [{"a": 1, "b": 2, "c": 3}, {"a": 4}])
    assert json.loads(answer.pop("result")) == {"n": 2}
    assert answer == {"columns": ["a", "b"], "rows": [[1, 2], [4, None]], "schemaVersion": 1}


@given(st.integers(0, 30), st.integers(-5, 40), st.integers(-5, 40))
def test_pages_say_what_they_leave_out(count, limit, offset):
    """The rows shown and the rows reported agree, and `hasMore` is true when any follow."""
    found = [{"n": number} for number in range(count)]
    shown, pagination = page(found, limit=limit, offset=offset)
    assert pagination["returned"] == len(shown) <= max(limit, 0)
    assert pagination["matchedCount"] == count
    assert pagination["hasMore"] is (pagination["offset"] + pagination["limit"] < count)
    assert shown == found[pagination["offset"] :][: pagination["limit"]]


@given(st.integers(0, 30), st.integers(1, 10))
def test_following_the_pages_shows_every_row_once(count, limit):
    """A reader who goes on while there is more has read everything."""
    found = [{"n": number} for number in range(count)]
    read: list[dict] = []
    while True:
        shown, pagination = page(found, limit=limit, offset=len(read))
        read += shown
        if not pagination["hasMore"]:
            break
    assert read == found
