"""What all records have in common."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.files import json_line
from wt_git.records.record import Record, Text


class Part(Record, frozen=True, kw_only=True):
    name: Text
    size: int = 1


class Whole(Record, frozen=True, kw_only=True):
    first: Text
    parts: list[Part]
    by_name: dict[Text, Part] = msgspec.field(default_factory=dict)
    last: Text | None = None


class Longer(Whole, frozen=True, kw_only=True):
    last: Text | None = "end"
    more: int


def test_keys_stand_in_the_order_of_their_declaration() -> None:
    """However they are given; defaults and the parts of parts included."""
    record = Longer(
        more=1, parts=[Part(size=2, name="a")], first="x", by_name={"b": Part(name="b")}
    )
    assert list(record.as_document().items()) == [
        ("first", "x"),
        ("parts", [{"name": "a", "size": 2}]),
        ("by_name", {"b": {"name": "b", "size": 1}}),
        ("last", "end"),
        ("more", 1),
    ]


def test_a_record_does_not_change() -> None:
    """Neither by a key that is set, nor through a list that somebody still holds."""
    parts = [Part(name="a")]
    record = Whole(first="x", parts=parts)
    parts.clear()
    assert len(record.parts) == 1
    with pytest.raises(AttributeError):
        record.first = "y"  # type: ignore[misc]
    record.by_name["a"] = record.parts[0]
    assert Whole(first="x", parts=[]).by_name == {}


@given(st.text(st.characters()))
def test_every_string_can_be_encoded(text: str) -> None:
    """Half a surrogate pair is replaced, wherever it stands; all else stays as it was."""
    record = Whole(first=text, parts=[Part(name=text)], by_name={text: Part(name="")}, last=text)
    kept = record.first
    kept.encode()
    assert len(kept) == len(text)
    assert all(now in {was, "\ufffd"} for was, now in zip(text, kept, strict=True))
    assert (record.parts[0].name, list(record.by_name), record.last) == (kept, [kept], kept)
    json_line(record.as_document()).encode()
