"""How invented calls and results go wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_values

from wt_git.api.perturbations.prior_calls import corrupt_arguments, cut_page


def test_broken_json_is_cut_in_half(subtests):
    """At least one character of what there was stays."""
    for arguments, expected in [
        ("{}", "{INVALID{{{"),
        ('{"a": 1}', '{"a"INVALID{{{'),
        ("x", "xINVALID{{{"),
        ("", "INVALID{{{"),
    ]:
        with subtests.test(arguments=arguments, expected=expected):
            assert corrupt_arguments(arguments, "broken_json") == expected


def test_any_other_mode_renames_the_fields(subtests):
    """JSON and Python spellings alike; what has no fields gets a fragment that breaks it."""
    for arguments, expected in [
        ('{"a": 1, "b": {"c": 2}}', '{"x_a": 1, "x_b": {"c": 2}}'),
        ("{'a': True}", '{"x_a": true}'),
        ("{1: None}", '{"x_1": null}'),
        ("{}", "{}"),
        ("[1]", '[1], "x_corrupted": true}'),
        ('"text"', '"text", "x_corrupted": true}'),
        ("not json", 'not json, "x_corrupted": true}'),
        ("{[]: 1}", '{[]: 1}, "x_corrupted": true}'),
        ("", ', "x_corrupted": true}'),
    ]:
        with subtests.test(arguments=arguments, expected=expected):
            assert corrupt_arguments(arguments, "wrong_field_names") == expected


@given(st.text(), st.sampled_from(["broken_json", "wrong_field_names", "other"]))
def test_any_text_can_be_corrupted(arguments, mode):
    """Corruption never fails, however broken the text already is."""
    assert isinstance(corrupt_arguments(arguments, mode), str)


@given(json_values())
def test_broken_json_is_no_json(arguments):
    """Cutting leaves nothing that parses."""
    with pytest.raises(json.JSONDecodeError):
        json.loads(corrupt_arguments(json.dumps(arguments), "broken_json"))


def test_a_page_inside_a_result_string_is_cut_there():
    """The nesting of the tool's envelope is kept."""
    inner = {"orders": [1], "pagination": {"offset": 0, "hasMore": False}, "note": "all"}
    outer = {"result": json.dumps(inner), "rows": [1]}
    cut = json.loads(cut_page(json.dumps(outer), 1))
    assert cut["rows"] == [1]
    page = json.loads(cut["result"])
    assert page["orders"] == [1]
    assert page["pagination"] == {"offset": 0, "hasMore": True, "returned": 1}
    assert "1" in page["note"]


def test_an_object_without_such_a_string_is_cut_itself(subtests):
    """Its other members stay; a pagination that is no object is replaced."""
    for outer in [
        {"orders": []},
        {"result": {"orders": []}},
        {"result": "plain text"},
        {"pagination": "odd"},
    ]:
        with subtests.test(outer=outer):
            cut = json.loads(cut_page(json.dumps(outer), 7))
            assert cut["pagination"] == {"hasMore": True, "returned": 7}
            assert {**cut, **outer} | {"pagination": None} == cut | {"pagination": None}


def test_any_other_text_becomes_the_result_of_a_page(subtests):
    """What is no JSON object is wrapped unchanged."""
    for text in ["plain text", "", "[1, 2]", "75", "[" * 100_000]:
        with subtests.test(text=text):
            cut = json.loads(cut_page(text, 2))
            assert cut["result"] == text
            assert cut["pagination"] == {"hasMore": True, "returned": 2}
            assert "offset" in cut["note"]


@given(st.text() | json_values().map(json.dumps), st.integers())
def test_every_cut_page_is_an_object_that_says_there_is_more(text, returned):
    """On the outside, or inside its result where the tool's envelope has the page there."""
    cut = json.loads(cut_page(text, returned))
    page = cut if "hasMore" in str(cut.get("pagination")) else json.loads(cut["result"])
    assert page["pagination"]["hasMore"] is True
    assert page["pagination"]["returned"] == returned
