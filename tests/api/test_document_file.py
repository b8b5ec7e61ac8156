"""A JSON document out of a file, or one error that names the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_objects

from wt_git.api.document_reader import load_document


class RefusedError(ValueError):
    """The error of some kind of document."""


def whole(raw: object) -> object:
    """Refuse what is no object."""
    if not isinstance(raw, dict):
        raise RefusedError("the document must be an object")
    return raw


@given(json_objects(), st.booleans())
def test_a_document_comes_back_as_it_was_written(document: dict[str, object], marked: bool) -> None:
    """With a byte order mark or without."""
    text = json.dumps(document)
    Path("d.json").write_text(text, encoding="utf-8-sig" if marked else "utf-8")
    assert load_document("d.json", whole, RefusedError) == document


@given(st.binary(max_size=40))
def test_whatever_else_a_file_holds_is_refused_with_its_name(data: bytes) -> None:
    """Never another exception."""
    Path("d.json").write_bytes(b"[" + data)
    with pytest.raises(RefusedError, match=r"\Ad\.json: "):
        load_document("d.json", whole, RefusedError)


def test_the_error_says_what_is_wrong(subtests):
    """That it is no JSON, or what its reader says."""
    for data, why in [
        (b"", "invalid JSON: "),
        (b"[" * 100_000, "invalid JSON: nested too deeply"),
        (b"NaN", "invalid JSON: NaN is not a JSON number"),
        (b"[]", "the document must be an object"),
    ]:
        with subtests.test(data=data, why=why):
            Path("d.json").write_bytes(data)
            with pytest.raises(RefusedError, match=rf"\Ad\.json: {why}"):
                load_document(Path("d.json"), whole, RefusedError)
