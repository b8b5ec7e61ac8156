"""Any text becomes Python source that means it."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import HOSTILE, hostile_texts

from wt_git.api.importer.writing import list_argument, string_argument, string_literal


def test_a_text_is_written_as_a_person_would(subtests):
    """Double quotes unless single ones need fewer escapes; what can be read stays readable."""
    for text, source in [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "hi"', "'say \"hi\"'"),
        ('"it\'s"', "'\"it\\'s\"'"),
        ("back\\slash", '"back\\\\slash"'),
        ("a\nb", '"a\\nb"'),
        ("é日本", '"é日本"'),
        ("\u202egnp", '"\\u202egnp"'),
        ("\ud800", '"\\ud800"'),
        ("", '""'),
    ]:
        with subtests.test(text=text, source=source):
            assert string_literal(text) == source


@given(hostile_texts())
def test_a_literal_means_its_text(text):
    """On one line, of printable characters only."""
    source = string_literal(text)
    assert ast.literal_eval(source) == text
    assert source.isprintable()


@given(hostile_texts() | st.lists(st.sampled_from(HOSTILE), max_size=30).map("\n".join))
def test_an_argument_means_its_text(text):
    """Also where it is written on several lines."""
    assert _argument(string_argument(text, "    ", before="x=")) == text


@given(st.lists(hostile_texts(), max_size=4))
def test_a_list_means_its_texts(texts):
    """Also where it is written on several lines."""
    assert _argument(list_argument(texts, "    ", before="x=")) == texts


def _argument(source):
    """The value of the argument `x`."""
    call = ast.parse(f"f(\n{source}\n)", mode="eval").body
    assert isinstance(call, ast.Call)
    assert [one.arg for one in call.keywords] == ["x"]
    assert call.args == []
    return ast.literal_eval(call.keywords[0].value)


def test_a_long_text_of_several_lines_stands_one_below_the_other():
    """So that its author can read and edit it."""
    text = f"first {'x' * 60}\n\nlast {'y' * 60}"
    assert string_argument(text, "    ", before="prompt=").split("\n") == [
        "    prompt=(",
        f'        "first {"x" * 60}\\n"',
        '        "\\n"',
        f'        "last {"y" * 60}"',
        "    ),",
    ]


def test_what_fits_into_a_line_stands_in_one():
    """Formatters would put it there."""
    assert string_argument("a\nb", "    ", before="prompt=") == '    prompt="a\\nb",'
    assert list_argument(["a", "b"], "    ", before="tags=") == '    tags=["a", "b"],'


def test_thousands_of_lines_are_still_valid_source():
    """A prompt may hold a whole document."""
    text = "a line of a document\n" * 20_000
    assert _argument(string_argument(text, "    ", before="x=")) == text
