"""The lines of a batch, as a shell would split them."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.cli.batch import (
    BadLine,
    SpecLine,
    parse_batch,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n# nothing\n   \n\t# x\n", []),
        ("--runs 3", [SpecLine(1, "--runs 3", ["--runs", "3"])]),
        ("\ufeff--runs 3\r\n", [SpecLine(1, "--runs 3", ["--runs", "3"])]),
        ("\n  wt run --all-packs", [SpecLine(2, "wt run --all-packs", ["--all-packs"])]),
        ("run run", [SpecLine(1, "run run", ["run"])]),
        ("wt run", [SpecLine(1, "wt run", [])]),
        ("wt results", [SpecLine(1, "wt results", ["wt", "results"])]),
        ("--label a#b # c", [SpecLine(1, "--label a#b # c", ["--label", "a#b"])]),
        ("--label '#b'", [SpecLine(1, "--label '#b'", ["--label", "#b"])]),
        ("'#' x", [SpecLine(1, "'#' x", ["#", "x"])]),
        ("'a' ''", [SpecLine(1, "'a' ''", ["a", ""])]),
        ("# it's", []),
        ('"x\ny"', [BadLine(1, "No closing quotation"), BadLine(2, "No closing quotation")]),
        ("x\\", [BadLine(1, "No escaped character")]),
        ("a\0b", [BadLine(1, "a NUL character cannot be part of a command")]),
        ("a\u2028b\x85", [SpecLine(1, "a\u2028b\x85", ["a\u2028b\x85"])]),
    ],
    ids=repr,
)
def test_a_line_is_words_or_a_problem(text, expected):
    """Numbers count every line, comments end where the shell's do."""
    assert parse_batch(text) == expected


@given(st.text(st.sampled_from("ab#'\"\\ \t="), max_size=12))
def test_words_are_those_of_the_shell(line):
    """Asked of a real one; what it finds incomplete is refused."""
    shell = subprocess.run(
        ["bash", "--norc", "-c", f'show() {{ printf "%s\\0" "$@"; }}; show - {line}\n'],
        check=False,
        capture_output=True,
        text=True,
    )
    try:
        words = words_of(line)
    except ValueError:
        assert shell.returncode != 0 or line.endswith("\\")
    else:
        assert shell.stdout.split("\0")[1:-1] == words
