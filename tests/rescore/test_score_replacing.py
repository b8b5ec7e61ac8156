"""Replacing the score beside a trace, and who is said to have made it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_values

from wt_git.rescore import NotReplacedError, origin_of_rescore, replace_score

TRACE = "a.json"
SCORE = Path("a.score.json")


def test_a_score_is_replaced_whole():
    """And made where there was none."""
    for text in ("first", "second"):
        replace_score(TRACE, {"said": text})
        assert json.loads(SCORE.read_text()) == {"said": text}
    assert [path.name for path in Path().iterdir()] == [SCORE.name]


def a_link(path: Path) -> None:
    Path("elsewhere").write_text("kept")
    path.symlink_to("elsewhere")


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_link, "it is a link"),
        (a_link_to_nothing, "it is a link"),
        (os.mkfifo, "it is not a regular file"),
        (Path.mkdir, "it is not a regular file"),
    ],
)
def test_what_a_rename_would_do_away_with_is_left_alone(make, reason):
    """A link leads to somebody's file; neither it nor the file is touched."""
    make(SCORE)
    before = SCORE.lstat()
    with pytest.raises(
        NotReplacedError, match=rf"the score 'a.score.json' was not written: {reason}"
    ):
        replace_score(TRACE, {})
    assert SCORE.lstat() == before
    assert not Path("elsewhere").exists() or Path("elsewhere").read_text() == "kept"


def test_a_folder_that_is_gone_is_said():
    """Nothing is made on the way."""
    with pytest.raises(NotReplacedError, match="No such file or directory"):
        replace_score("gone/a.json", {})
    assert not Path("gone").exists()


@given(st.dictionaries(st.text(), json_values(), max_size=3))
def test_what_was_flown_is_marked_as_scored_again(old):
    """Whatever another tool wrote there before."""
    old.pop("kind", None)
    assert origin_of_rescore(old, "runs/a.json", "2026-01-02T03:04:05Z") == {
        "kind": "rescore",
        "source_trace": "runs/a.json",
        "rescored_at": "2026-01-02T03:04:05Z",
        "trace_unchanged": True,
    }


@pytest.mark.parametrize(
    "old",
    [
        {"kind": "replay", "source_trace": "runs/source.json"},
        {"kind": "selftest", "reference_case": "c", "reference_kind": "poison",
         "selftest_verdict": "PASS"},
    ],
)  # fmt: skip
def test_what_is_no_flight_stays_none(old):
    """Its kind keeps it out of every table; the rest says where it comes from."""
    again = {"rescored_at": "2026-01-02T03:04:05Z", "trace_unchanged": True}
    assert origin_of_rescore(old, "runs/a.json", again["rescored_at"]) == {**old, **again}
