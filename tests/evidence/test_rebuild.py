"""Notes made again from runs directories, and notes taken out for good."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.noted_sweeps import OTHER_TREE, TREE, lines, review, row, sweep
from kit.notes import bare_notes, content_of, key, sweep_id, text_line
from kit.repo import git

from wt_git.evidence.notes.sweep_notes import (
    commit_sweep_notes,
    notes_of_sweep,
    prune_notes,
    rebuild_notes,
)
from wt_git.git.notes.store import NOTES_REF

ID = sweep_id(1)


@pytest.fixture
def notes(tmp_path):
    return bare_notes(tmp_path / "r.git")


def runs_dir(folder, rows, experiments):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ledger.ndjsonl").write_bytes(b"".join(line + b"\n" for line in rows))
    (folder / "experiments.ndjsonl").write_bytes(b"".join(line + b"\n" for line in experiments))
    return folder


def whole_tree(notes):
    return content_of(notes.repository, str(notes.repository[notes.tip()].tree_id))


def test_a_rebuild_gives_the_notes_that_the_sweeps_had(tmp_path, notes):
    """Byte for byte, after the ref was lost; one notes commit, and none the second time."""
    rows = [row(n, tree=tree, scenario_id=f"s{n}é\u2028") for n in (1, 2) for tree in (TREE,)]
    rows += [row(3, tree=OTHER_TREE, experiment_tree_under_test=TREE)]
    records = [sweep(1), sweep(2), review(2), sweep(3)]
    for n in (1, 2, 3):
        of = [one for one in (*rows, *records) if one["sweep_id"] == sweep_id(n)]
        commit_sweep_notes(notes, notes_of_sweep(sweep_id(n), lines(*of)))
    before = whole_tree(notes)
    git(notes.folder, "update-ref", "-d", NOTES_REF)
    runs = runs_dir(tmp_path / "runs", lines(*rows), lines(*records))
    rebuilt = rebuild_notes(notes, [runs])
    assert whole_tree(notes) == before
    assert {entry.sweep_id for entry in rebuilt.entries} == {sweep_id(n) for n in (1, 2, 3)}
    assert rebuilt.changed is True
    assert git(notes.folder, "log", "--format=%s", NOTES_REF) == "rebuild the notes of 3 sweeps"
    assert rebuild_notes(notes, [runs]).changed is False


def test_a_rebuild_drops_nothing_that_others_wrote(tmp_path, notes):
    """A union: their sweeps, their lines about ours, their texts stay."""
    with notes.transaction("theirs") as tx:
        tx.add(TREE, sweep_id("theirs"), [b"{}"])
        tx.add(TREE, ID, lines(review()))
        tx.add_text(key("commit"), [text_line("theirs")])
    runs = runs_dir(tmp_path / "runs", lines(row()), lines(sweep()))
    rebuild_notes(notes, [runs])
    view = notes.view()
    assert view.sweeps(TREE)[sweep_id("theirs")] == (b"{}",)
    assert view.sweeps(TREE)[ID] == tuple(sorted(lines(row(), sweep(), review())))
    assert view.text(key("commit")) == (text_line("theirs"),)


def test_several_runs_directories_are_one_record(tmp_path, notes):
    """The rows in one, the review that was made later in another."""
    one = runs_dir(tmp_path / "one", lines(row()), lines(sweep()))
    two = runs_dir(tmp_path / "two", lines(row(2)), lines(sweep(2), review(1)))
    rebuild_notes(notes, [one, two, tmp_path / "not there"])
    assert set(notes.view().sweeps(TREE)) == {ID, sweep_id(2)}
    assert len(notes.view().sweeps(TREE)[ID]) == 3


def test_what_cannot_be_used_is_told(tmp_path, notes):
    """Sweeps that never ended or have no tree, and lines that cannot be read."""
    rows = [*lines(row(), row(2), row(3, tree=None)), b'{"torn": ', b"\xff"]
    runs = runs_dir(tmp_path / "runs", rows, lines(sweep(), sweep(3)))
    rebuilt = rebuild_notes(notes, [runs])
    assert [entry.sweep_id for entry in rebuilt.entries] == [ID]
    assert {(one.sweep_id, one.why) for one in rebuilt.without} == {
        (sweep_id(2), "no-record"),
        (sweep_id(3), "no-tree"),
    }
    assert rebuilt.skipped_lines == 2


def test_an_empty_runs_directory_makes_no_notes(tmp_path, notes):
    """Not even an empty commit."""
    rebuilt = rebuild_notes(notes, [tmp_path])
    assert (rebuilt.entries, rebuilt.without, rebuilt.changed) == ((), (), False)
    assert notes.tip() is None


def test_a_prune_takes_out_records_and_texts_and_a_rebuild_obeys_it(tmp_path, notes):
    """Under each tree; the other sweeps stay."""
    runs = runs_dir(
        tmp_path / "runs",
        lines(row(experiment_tree_under_test=OTHER_TREE), row(2)),
        lines(sweep(), sweep(2)),
    )
    rebuild_notes(notes, [runs])
    with notes.transaction("show") as tx:
        tx.add_text(key("commit"), [text_line(1), text_line(2)])
    pruned = prune_notes(notes, {ID, sweep_id("unknown")})
    assert (pruned.sweeps, pruned.lines, pruned.changed) == ((ID,), 2, True)
    assert rebuild_notes(notes, [runs]).changed is False
    view = notes.view()
    assert set(view.sweeps(TREE)) == {sweep_id(2)}
    assert set(view.record_keys()) == {TREE}
    assert view.text(key("commit")) == (text_line(2),)
    assert not any(ID in path for path in whole_tree(notes))
    assert prune_notes(notes, {ID}).changed is False


@given(st.lists(st.sampled_from(range(6)), max_size=6), st.sets(st.sampled_from(range(6))))
def test_recorded_or_rebuilt_before_or_after_a_prune_gives_the_same(tmp_path_factory, order, gone):
    """The order of events on one machine does not show in what the notes say."""
    folder = tmp_path_factory.mktemp("rebuild")
    one, two = bare_notes(folder / "one.git"), bare_notes(folder / "two.git")
    pruned = {sweep_id(n) for n in gone}
    for n in order:
        commit_sweep_notes(one, notes_of_sweep(sweep_id(n), lines(row(n), sweep(n))))
    prune_notes(one, pruned)
    runs = runs_dir(folder / "runs", lines(*map(row, order)), lines(*map(sweep, order)))
    rebuild_notes(one, [runs])
    rebuild_notes(two, [runs])
    prune_notes(two, pruned)
    assert one.view().sweeps(TREE) == two.view().sweeps(TREE)
    assert set(one.view().sweeps(TREE)) == {sweep_id(n) for n in {*order} - gone}
