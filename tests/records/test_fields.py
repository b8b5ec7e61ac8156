"""What all records have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.files import json_line
from wt_git.records.fields import Record, Text


class Part(Record):
    name: Text
    size: int = 1


class Whole(Record):
    first: Text
    parts: list[Part]
    by_name: dict[Text, Part] = {}  # noqa: RUF012 - each record gets its own
    last: Text | None = None


class Longer(Whole):
    last: Text | None = "end"
    more: int


def test_keys_stand_in_the_order_of_their_declaration() -> None:
    """However they are given; defaults and the parts of parts included."""
    record = Longer(
        more=1, parts=[Part(size=2, name="a")], first="x", by_name={"b": Part(name="b")}
    )
    assert list(Longer.declared) == ["first", "parts", "by_name", "last", "more"]
    assert list(record.as_document().items()) == [
        ("first", "x"),
        ("parts", [{"name": "a", "size": 2}]),
        ("by_name", {"b": {"name": "b", "size": 1}}),
        ("last", "end"),
        ("more", 1),
    ]


def test_a_record_is_complete_and_says_nothing_else() -> None:
    """A missing or an unknown key is a mistake in the program, by name."""
    with pytest.raises(TypeError, match="Whole lacks, or does not know: first, parts"):
        Whole()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Part lacks, or does not know: colour"):
        Part(name="a", colour="red")  # type: ignore[call-arg]


def test_a_record_does_not_change() -> None:
    """Neither by a key that is set, nor through a list that somebody still holds."""
    parts = [Part(name="a")]
    record = Whole(first="x", parts=parts)
    parts.clear()
    assert len(record.parts) == 1
    with pytest.raises(AttributeError, match="cannot be changed: first"):
        record.first = "y"  # type: ignore[misc]
    record.by_name["a"] = record.parts[0]
    assert Whole(first="x", parts=[]).by_name == {}


def test_records_are_compared_by_what_they_say() -> None:
    """And two kinds are never the same."""
    assert Part(name="a") == Part(name="a")
    assert hash(Part(name="a")) == hash(Part(name="a"))
    assert Part(name="a") != Part(name="b")
    assert Whole(first="x", parts=[]) != Longer(first="x", parts=[], last=None, more=1)
    assert repr(Part(name="a")) == "Part(name='a', size=1)"


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
