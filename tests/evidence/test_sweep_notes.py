"""From a finished sweep to its notes and the line that people read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.noted_sweeps import OTHER_TREE, TREE, lines, review, row, sweep
from kit.notes import bare_notes, key, sweep_id
from kit.repo import git

from wt_git.evidence.notes.sweep_notes import (
    NoSweepNotes,
    SweepNotes,
    add_commit_texts,
    commit_sweep_notes,
    notes_of_sweep,
    sweep_lines,
)
from wt_git.records.notes import LONGEST_LINE

ID = sweep_id(1)


@pytest.fixture
def notes(tmp_path):
    return bare_notes(tmp_path / "r.git")


def entry(*records):
    found = notes_of_sweep(ID, lines(*records))
    assert isinstance(found, SweepNotes)
    return found


def test_a_sweep_is_kept_line_by_line_under_each_of_its_trees():
    """Rows, record and reviews, as the runs directory has them."""
    records = (row(experiment_tree_under_test=OTHER_TREE), sweep(), review())
    found = entry(*records)
    assert found.trees == (TREE, OTHER_TREE)
    assert sorted(found.lines) == sorted(lines(*records))


def test_its_text_begins_with_its_time_and_tells_what_it_found():
    """One line under the commit, one as the subject of the notes commit."""
    found = entry(row(), sweep())
    told = 'focused PASS refund 3/3 in 13 s, prediction held, "does the retry limit hold?"'
    assert found.text == f"2026-01-02T03:04:06Z {ID} {told}"
    assert found.subject == f"{told} [{ID}]"


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (
            [row(), row(scenario_id="cancel", verdict="FAIL"), sweep(outcome="fail")],
            "focused FAIL 1/2 scenarios in 13 s, prediction held, ",
        ),
        (
            [row(), sweep(status="interrupted", budget_exhausted=True, prediction_held=False)],
            "refund 3/3 in 13 s, interrupted, cut by its budget, prediction failed, ",
        ),
        (
            [row(), sweep(cost_usd={"total": 0.01234}, question=None, prediction_held=None)],
            "focused PASS refund 3/3 in 13 s for $0.01234",
        ),
        ([row(), sweep(question="  \n ")], "focused PASS refund 3/3 in 13 s, prediction held"),
        ([row(), sweep(outcome="pass"), sweep(outcome="fail")], "focused PASS refund 3/3"),
        ([row(), sweep(outcome="other", tier="a b")], "unknown UNKNOWN refund 3/3"),
        (
            [row(passed=True, runs=10**9), sweep(cost={"wall_s": 1e9}, cost_usd={"total": -1e9})],
            "focused PASS refund ?/?, ",
        ),
        (
            [row(passed=0, runs=999_999_999), sweep(cost={"wall_s": 0})],
            "focused PASS refund 0/999999999 in 0 s, ",
        ),
        ([row(), sweep(ts="2026"), sweep(ts="2026-01-02T03:04:07Z")], "2026-01-02T03:04:07Z "),
        ([row(), sweep(ts="2026")], "0000-00-00T00:00:00Z "),
    ],
)
def test_the_text_names_what_matters(records, told):
    """Several scenarios by number, an end before its time, money where it is known."""
    assert told in entry(*records).text


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([row()], "no-record"),
        ([], "no-record"),
        ([review(), row()], "no-record"),
        ([sweep()], "no-tree"),
        ([sweep(), row(experiment_fingerprint="changed-during-sweep")], "no-tree"),
        ([sweep(), row(experiment_fingerprint="snapshot-failed")], "no-tree"),
        ([sweep(), row(tree=None)], "no-tree"),
        ([row(2), sweep(2)], "unreadable"),
        ([row(scenario_id="x" * LONGEST_LINE), sweep()], "no-tree"),
        ([row(scenario_id="x" * LONGEST_LINE)], "no-record"),
    ],
)
def test_a_sweep_without_an_end_or_a_tree_leaves_no_notes(records, why):
    """Nothing ties it to a state of the code, or it never finished; the answer says which."""
    assert notes_of_sweep(ID, lines(*records)) == NoSweepNotes(ID, why)


def test_a_sweep_has_twelve_digits():
    """The note is named by it, and the text is told apart by it."""
    wrong = lines(row(sweep_id="ABC"), sweep(sweep_id="ABC"))
    assert notes_of_sweep("ABC", wrong) == NoSweepNotes("ABC", "unreadable")


def test_a_row_that_changed_during_the_sweep_comes_along():
    """It is no evidence, but whoever reads the note sees that it is there."""
    changed = row(scenario_id="cancel", experiment_fingerprint="changed-during-sweep")
    assert len(entry(row(), changed, sweep()).lines) == 3


def test_a_line_that_no_reader_would_take_is_left_out():
    """The others of its sweep are kept."""
    long = row(scenario_id="x" * LONGEST_LINE)
    assert len(entry(row(), long, sweep()).lines) == 2


odd = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | (st.lists(st.text()))
)


@given(
    st.fixed_dictionaries(
        dict.fromkeys(
            ("ts", "tier", "question", "outcome", "prediction_held", "status", "cost", "cost_usd"),
            odd,
        )
    ),
    st.fixed_dictionaries(dict.fromkeys(("scenario_id", "runs", "passed", "verdict"), odd)),
)
def test_whatever_a_record_holds_its_text_is_one_inert_line(of_sweep, of_row):
    """Records come from whoever can push; the line is shown to everybody."""
    of_sweep["cost"] = {"wall_s": of_sweep["cost"]}
    of_sweep["cost_usd"] = {"total": of_sweep["cost_usd"]}
    found = entry(row(**of_row), sweep(**of_sweep))
    for text in (found.text, found.subject):
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text)
        assert "\u2028" not in text
    time, sweep_of_it, tier, outcome, _ = found.text.split(" ", 4)
    assert (len(time), sweep_of_it) == (20, ID)
    assert outcome in {"PASS", "FAIL", "UNKNOWN"}
    assert tier


def test_a_record_of_any_depth_is_told():
    """What can be read can still be too deep to be written out."""
    deep = 1
    for _ in range(500):
        deep = [deep]
    assert " FAIL " not in entry(row(scenario_id=deep), sweep(outcome=deep, status=deep)).text


def test_a_line_that_stands_twice_is_one():
    """A runs directory that was copied together may hold it twice."""
    assert len(entry(row(), row(), sweep(), sweep()).lines) == 2


def test_a_sweep_is_one_notes_commit(notes):
    """Records under its trees and, where the commit is there already, the text under it."""
    found = entry(row(experiment_tree_under_test=OTHER_TREE), sweep())
    assert commit_sweep_notes(notes, found, commit=key("commit")) is True
    assert commit_sweep_notes(notes, found, commit=key("commit")) is False
    assert git(notes.folder, "log", "--format=%s", notes.ref) == found.subject
    view = notes.view()
    assert view.sweeps(TREE) == view.sweeps(OTHER_TREE) == {ID: tuple(sorted(found.lines))}
    assert view.text(key("commit")) == (found.text,)


def test_commits_get_the_text_of_what_stands_on_their_trees(notes):
    """The same line that the sweep got when it ended; by either of its trees, once."""
    found = entry(row(experiment_tree_under_test=OTHER_TREE), sweep())
    commit_sweep_notes(notes, found)
    wanted = {key("new"): (TREE, OTHER_TREE), key("other"): ("c" * 40,)}
    assert sweep_lines(notes.view(), (TREE, OTHER_TREE)) == (found.text,)
    before = notes.tip()
    assert add_commit_texts(notes, wanted, "show") == 1
    assert notes.view().text(key("new")) == (found.text,)
    assert notes.view().text(key("other")) == ()
    after = notes.tip()
    assert before != after
    assert add_commit_texts(notes, wanted, "show") == 0
    assert notes.tip() == after


def test_a_greater_text_is_not_replaced_again_and_again(notes):
    """Another version of the program may tell it otherwise; of two the greatest stays."""
    commit_sweep_notes(notes, entry(row(), sweep()))
    greater = f"2027-01-01T00:00:00Z {ID} told otherwise"
    with notes.transaction("by another version") as tx:
        tx.add_text(key("new"), [greater])
    assert add_commit_texts(notes, {key("new"): (TREE,)}, "show") == 0
    assert notes.view().text(key("new")) == (greater,)


@pytest.mark.parametrize(
    ("key_of_note", "records"),
    [
        (OTHER_TREE, [row(), sweep()]),
        (TREE, [row(experiment_fingerprint="sha256:" + "0" * 64), sweep()]),
        (TREE, [row()]),
        (TREE, [row(2), sweep()]),
    ],
)
def test_a_note_that_is_not_about_the_tree_is_not_shown_under_its_commits(
    notes, key_of_note, records
):
    """Somebody filed it there; its own fingerprint says otherwise, or nothing."""
    with notes.transaction("filed") as tx:
        tx.add(key_of_note, ID, lines(*records))
    assert sweep_lines(notes.view(), (key_of_note,)) == ()


def test_text_is_given_from_fetched_notes_as_well(notes):
    """And it goes to the live ref, which is the one that git shows."""
    commit_sweep_notes(notes, entry(row(), sweep()))
    git(notes.folder, "remote", "add", "origin", "nowhere")
    git(notes.folder, "update-ref", "refs/windtunnel/remotes/origin/notes", notes.tip())
    git(notes.folder, "update-ref", "-d", notes.ref)
    assert add_commit_texts(notes, {key("new"): (TREE,)}, "show") == 1
    assert len(notes.live_view().text(key("new"))) == 1
