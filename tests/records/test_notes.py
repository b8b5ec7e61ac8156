"""Reading the lines of a note, which anybody who can push may have written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.noted_sweeps import OTHER_TREE, TREE, lines, parts, review, row, sweep
from kit.notes import sweep_id

from wt_git.records.notes import (
    LONGEST_LINE,
    NoteLine,
    UnreadableLine,
    read_line,
    read_note,
    recorded_trees,
    speaks_for,
)


def test_a_note_is_sorted_out_by_what_its_lines_are():
    """Rows, the record of the sweep and its reviews, in any order."""
    raw = lines(review(), row(), sweep(), row(scenario_id="cancel"))
    content = read_note(sorted(raw), sweep_id(1))
    assert sorted(line.record["scenario_id"] for line in content.rows) == ["cancel", "refund"]
    assert [line.raw for line in content.sweeps] == [raw[2]]
    assert [line.raw for line in content.reviews] == [raw[0]]
    assert content.unreadable == []


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{" * 100_000, "too-long"),
        (b'{"windtunnel_ledger": 1, "x": "' + b"a" * LONGEST_LINE + b'"}', "too-long"),
        (b'{"windtunnel_ledger": 1, "x": "\xff"}', "not-utf-8"),
        (b"[" * 20_000, "not-json"),
        (b'{"windtunnel_ledger": 1, "passed": NaN}', "not-json"),
        (b'{"windtunnel_ledger": 1, "passed": ' + b"9" * 5000 + b"}", "not-json"),
        (b"not json", "not-json"),
        (b'{"windtunnel_ledger": 1, "verdict": "FAIL", "verdict": "PASS"}', "duplicate-key"),
        (b'{"windtunnel_ledger": 1, "x": [{"a": 1, "a": 2}]}', "duplicate-key"),
        (b'["windtunnel_ledger"]', "unknown-record"),
        (b"1", "unknown-record"),
        (b"{}", "unknown-record"),
        (b'{"windtunnel_experiment": 2, "kind": "sweep"}', "unknown-record"),
        (b'{"windtunnel_experiment": 1, "kind": "study"}', "unknown-record"),
        (b'{"windtunnel_experiment": 1, "kind": ["sweep"]}', "unknown-record"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_concludes_nothing(raw, why):
    """It is neither an error nor nothing: the answer says that it is there."""
    assert read_line(raw) == UnreadableLine(why, raw)
    good = lines(row(), sweep())
    content = read_note([raw, *good], sweep_id(1))
    assert [line.raw for line in (*content.rows, *content.sweeps)] == good
    assert [(line.why, line.raw) for line in content.unreadable] == [(why, raw)]


@given(
    st.one_of(
        st.binary(),
        st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(
            lambda value: json.dumps(value).encode()
        ),
    )
)
def test_no_line_breaks_its_reader(raw):
    """One bad line must not hide the others."""
    assert isinstance(read_line(raw), NoteLine | UnreadableLine)


def test_a_line_of_another_sweep_is_not_of_this_one():
    """Filed under a sweep that it does not belong to, it would lend it its verdict."""
    content = read_note(lines(row(2), sweep(1), row(1, sweep_id=["x"])), sweep_id(1))
    assert content.rows == []
    assert [line.why for line in content.unreadable] == ["unknown-record"] * 2


def test_of_several_reviews_the_last_holds():
    """By time, then by the line itself, so that every reader takes the same."""
    later = [review(decision="b", ts="2026-01-03T00:00:00Z"), review(decision="c", ts=0)]
    content = read_note(lines(review(decision="z"), *later), sweep_id(1))
    assert content.review is not None
    assert content.review.record["decision"] == "b"
    assert read_note([], sweep_id(1)).review is None


def test_a_row_speaks_for_the_trees_in_its_own_fingerprint():
    """The snapshot, and the snapshot without what no experiment depends on."""
    found = row(experiment_tree_under_test=OTHER_TREE)
    assert recorded_trees(found) == (TREE, OTHER_TREE)
    assert speaks_for(found, OTHER_TREE)
    assert not speaks_for(found, "c" * 40)
    assert recorded_trees(row()) == (TREE,)


@pytest.mark.parametrize(
    "found",
    [
        row(experiment_fingerprint="changed-during-sweep"),
        row(experiment_fingerprint="snapshot-failed"),
        row(experiment_fingerprint="sha256:" + "0" * 64),
        row(experiment_fingerprint=None),
        row(experiment_fingerprint_parts=parts(git_tree=OTHER_TREE).as_record()),
        row(experiment_fingerprint_parts={"git_tree": TREE}),
        row(experiment_fingerprint_parts={**parts().as_record(), "more": "x"}),
        row(experiment_fingerprint_parts={**parts().as_record(), "soul": 1}),
        row(experiment_fingerprint_parts={**parts().as_record(), "soul": "\ud800"}),
        row(experiment_fingerprint_parts=TREE),
        row(experiment=None),
        row(experiment=[TREE]),
        {},
        row(tree="not a tree"),
        row(tree=None),
    ],
)
def test_a_row_whose_parts_do_not_make_its_fingerprint_speaks_for_nothing(found):
    """Filing it under a tree does not make it about that tree."""
    if found.get("experiment") and isinstance(found["experiment"], dict):
        found["experiment"].setdefault("tree_under_test", TREE)
        if found["experiment"]["tree_under_test"] is None:
            found["experiment"]["tree_under_test"] = "z" * 40
    assert recorded_trees(found) == ()
