"""Reading what shells hand over as typed."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.cli.completion.answer import (
    TypedLine,
    read_bash,
    read_words,
    unquoted,
)


@given(st.text())
def test_quotes_of_a_shell_come_off(text):
    """As Python puts them on, and by backslashes alone."""
    assert unquoted(shlex.quote(text)) == text
    assert unquoted("".join(f"\\{char}" for char in text)) == text


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("'my la", "my la"),
        ('"my \\"la', 'my "la'),
        ('"a\\b"', "a\\b"),
        ("a\\", "a"),
        ("a'b'\"c\"d", "abcd"),
        ("''", ""),
    ],
)
def test_quotes_may_be_left_open(word, text):
    """The cursor stands inside of them."""
    assert unquoted(word) == text


@pytest.mark.parametrize(
    ("words", "cursor", "expected"),
    [
        (["wt"], 1, TypedLine((), "")),
        (["wt", "re"], 1, TypedLine((), "re")),
        (["wt", "run", "--runs", "2"], 2, TypedLine(("run",), "--runs")),
        (["wt", "run", "my\\ x", ""], 3, TypedLine(("run", "my x"), "")),
        (["wt", "run", "--label=a"], 2, TypedLine(("run",), "--label=a")),
        ([], 0, TypedLine((), "")),
    ],
)
def test_the_words_up_to_the_cursor(words, cursor, expected):
    """What stands behind it is not looked at."""
    assert read_words(words, cursor) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["wt", "run", "--label", "=", "a"], TypedLine(("run",), "--label=a", "--label=")),
        (["wt", "run", "--label", "="], TypedLine(("run",), "--label=", "--label=")),
        (["wt", "run", "a", ":", "b"], TypedLine(("run",), "a:b", "a:")),
        (["wt", "run", "--x", "=", "a", "::", "b"], TypedLine(("run",), "--x=a::b", "--x=a::")),
        (["wt", "run", "--x", "=", "a", "--y"], TypedLine(("run", "--x=a"), "--y")),
        (["wt", "run", "--x", "=", "'a b"], TypedLine(("run",), "--x=a b", "--x=", is_quoted=True)),
        (["wt", "run", '"a'], TypedLine(("run",), "a", is_quoted=True)),
    ],
)
def test_bash_takes_words_apart(words, expected):
    """They are put together again, and the part that bash does not replace is known."""
    assert read_bash(words, len(words) - 1) == expected


@given(st.lists(st.text("ab=:'\"\\ ", max_size=4), max_size=6), st.integers(0, 8))
def test_anything_can_be_read(words, cursor):
    """What is kept is a beginning of what is at the cursor."""
    for read in (read_words, read_bash):
        typed = read(words, cursor)
        assert typed.current.startswith(typed.kept)
