"""Reviews: what may be recorded, and where else it stands afterwards."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import experiments, whole_lines
from kit.experiment_lines import finished, reviewed, sweep_id, write_experiments
from kit.noted_sweeps import OTHER_TREE, TREE, lines, row
from kit.notes import opened
from kit.repo import new_repo

from wt_git.errors import StorageError, UsageError
from wt_git.evidence.notes.sweep_notes import (
    SweepNotes,
    commit_sweep_notes,
    notes_of_sweep,
    prune_notes,
    rebuild_notes,
)
from wt_git.evidence.reviews import Reviewed, review_sweep, write_review_note
from wt_git.files import append_line, json_line
from wt_git.git.notes.store import NOTES_REF
from wt_git.records.notes import LONGEST_LINE, read_note
from wt_git.records.runs_dir import RunsDir

if TYPE_CHECKING:
    from pathlib import Path

    from kit.repo import Repo

NOW = datetime(2026, 1, 2, 5, tzinfo=UTC)
ID = sweep_id(1)


def review(runs_dir: Path, wanted: str = ID, decision: str | None = None, **more) -> Reviewed:
    return review_sweep(RunsDir(runs_dir), wanted, decision, **{"now": NOW, **more})


def test_a_review_is_one_more_line(tmp_path):
    """It says what was decided, or that nothing was."""
    write_experiments(tmp_path, finished())
    review(tmp_path, decision="ship the stricter prompt")
    review(tmp_path)
    said = {"windtunnel_experiment": 1, "kind": "review", "sweep_id": ID}
    assert experiments(tmp_path)[1:] == [
        {
            **said,
            "ts": "2026-01-02T05:00:00Z",
            "changed": True,
            "decision": "ship the stricter prompt",
        },
        {**said, "ts": "2026-01-02T05:00:01Z", "changed": False, "decision": None},
    ]
    keys = [list(record) for record in whole_lines(tmp_path / "experiments.ndjsonl")]
    assert keys[1:] == [sorted(keys[1]), sorted(keys[2])]


@pytest.mark.parametrize("decision", ["", " \t\n", "\u200b\u2028\x00"])
def test_a_decision_that_says_nothing_is_refused(tmp_path, decision):
    """Nothing is written; the sweep stays without a review."""
    path = write_experiments(tmp_path, finished())
    before = path.read_bytes()
    with pytest.raises(UsageError) as refused:
        review(tmp_path, decision=decision)
    assert refused.value.specific_code == "decision-blank"
    assert path.read_bytes() == before


@pytest.mark.parametrize("wanted", ["ffffffffffff", "", "000", "\x1b[2J", "*"])
def test_a_sweep_that_did_not_end_there_is_refused(tmp_path, wanted):
    """By the name that was given, which moves no cursor."""
    path = write_experiments(tmp_path, finished(), reviewed(2))
    before = path.read_bytes()
    with pytest.raises(UsageError) as refused:
        review(tmp_path, wanted)
    assert refused.value.specific_code == "sweep-unknown"
    assert f"no finished sweep '{wanted}'".replace("\x1b", "\\x1b") in str(refused.value)
    assert path.read_bytes() == before


def test_a_directory_that_is_not_there_is_refused_and_not_made(tmp_path):
    """A mistyped --runs must not leave a runs directory behind."""
    with pytest.raises(UsageError, match="no finished sweep '000000000001': runs directory not"):
        review(tmp_path / "absent")
    assert not (tmp_path / "absent").exists()


def test_a_beginning_that_several_share_is_refused_and_names_them(tmp_path):
    """With what tells them apart; their questions are foreign text."""
    write_experiments(
        tmp_path,
        finished(sweep_id="abcd11111111", question="\x1b[31mone?"),
        *(finished(sweep_id=f"abcd2222{n:04}") for n in range(12)),
    )
    with pytest.raises(UsageError) as refused:
        review(tmp_path, "abcd")
    assert refused.value.specific_code == "sweep-ambiguous"
    assert len(refused.value.hints) == 11
    assert refused.value.hints[0].startswith("abcd22220011  2026-01-02T03:04:05Z  focused, label")
    assert refused.value.hints[-1] == "and 3 more"
    with pytest.raises(UsageError) as fewer:
        review(tmp_path, "abcd2222001")
    assert len(fewer.value.hints) == 2
    assert review(tmp_path, "abcd1").record.sweep_id == "abcd11111111"


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.none() | st.text(min_size=1)), min_size=1, max_size=5)
)
def test_the_last_review_holds_in_the_file_and_in_a_note(tmp_path_factory, reviews):
    """Also when several are made within a second, and when the clock is set back."""
    folder = tmp_path_factory.mktemp("runs")
    write_experiments(folder, finished())
    made = []
    for seconds, decision in reviews:
        said = None if decision is None else f"d{decision}"
        made.append(review(folder, decision=said, now=NOW + timedelta(seconds=seconds)))
    note = read_note({one.line.encode() for one in made}, ID)
    assert note.review is not None
    assert note.review.raw.decode() == made[-1].line
    assert not note.unreadable
    last = (folder / "experiments.ndjsonl").read_text("utf-8").split("\n")[-2]
    assert last == made[-1].line


@pytest.mark.parametrize("ts", [None, "9999-12-31T23:59:59Z", "tomorrow", 7, "zzz\x1b"])
def test_a_time_that_nothing_can_be_later_than_stops_no_review(tmp_path, ts):
    """Somebody else's line may say anything."""
    write_experiments(tmp_path, finished(), reviewed(ts=ts))
    assert review(tmp_path).record.ts == "2026-01-02T05:00:00Z"


def test_a_torn_last_line_stays_alone(tmp_path):
    """A crash spoils the line that it tore, not the review that comes after it."""
    path = write_experiments(tmp_path, finished())
    with path.open("a") as stream:
        stream.write('{"kind": "swe')
    review(tmp_path, decision="ship")
    assert path.read_text("utf-8").split("\n")[1] == '{"kind": "swe'
    assert '"ship"' in path.read_text("utf-8").split("\n")[2]


def test_half_a_surrogate_pair_and_line_breaks_stay_on_the_line(tmp_path):
    """What a shell passes on need not be UTF-8."""
    write_experiments(tmp_path, finished())
    review(tmp_path, decision="a\udce4\u2028b\nc")
    assert experiments(tmp_path)[1]["decision"] == "a\ufffd\u2028b\nc"
    assert (tmp_path / "experiments.ndjsonl").read_text("utf-8").count("\n") == 2


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    """Exit 1: the sweep is there and its review is not recorded."""
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    path = write_experiments(tmp_path, finished())
    path.chmod(0o444)
    with pytest.raises(StorageError):
        review(tmp_path)


@pytest.fixture
def repo(tmp_path) -> Repo:
    return new_repo(tmp_path / "repo")


@pytest.fixture
def noted(repo) -> Path:
    """The runs directory of a sweep that stands in the notes of `repo` under two trees."""
    runs = repo.path / "runs"
    own = {"sweep_id": ID, "experiment_tree_under_test": OTHER_TREE}
    ledger_row, record = row(**own), finished()
    write_experiments(runs, record)
    append_line(runs / "ledger.ndjsonl", json_line(ledger_row), durable=False)
    entry = notes_of_sweep(ID, lines(ledger_row, record))
    assert isinstance(entry, SweepNotes)
    commit_sweep_notes(opened(repo.path), entry)
    return runs


def note_lines(repo: Repo, tree: str = TREE) -> list[str]:
    found = opened(repo.path).view().sweeps(tree).get(ID, ())
    return [line.decode() for line in found]


def test_a_review_stands_in_the_notes_of_its_sweep_byte_for_byte(repo, noted):
    """Under each tree that the sweep stands under; a rebuild then finds nothing new."""
    made = review(noted, decision='ship "it"\x1b')
    assert write_review_note(noted, repo.path, made) is None
    for tree in (TREE, OTHER_TREE):
        assert made.line in note_lines(repo, tree)
        assert len(note_lines(repo, tree)) == 3
    assert repo.git("log", "-1", "--format=%s", NOTES_REF) == (
        f'review: changed a decision, "ship "it"\\x1b" [{ID}]'
    )
    assert not rebuild_notes(opened(repo.path), [noted]).changed


def test_a_review_of_a_sweep_without_notes_adds_none(repo, noted):
    """Notes of reviews alone would be about nothing."""
    write_experiments(noted, finished(1), finished(2))
    before = repo.git("rev-parse", NOTES_REF)
    assert write_review_note(noted, repo.path, review(noted, sweep_id(2))) is None
    assert repo.git("rev-parse", NOTES_REF) == before


def test_a_pruned_sweep_stays_pruned(repo, noted):
    """Its review is in the runs directory and nowhere else."""
    prune_notes(opened(repo.path), {ID})
    assert write_review_note(noted, repo.path, review(noted)) is None
    assert note_lines(repo) == []
    assert len(experiments(noted)) == 2


def test_a_sweep_that_no_tree_can_be_told_for_costs_no_look_at_the_ledger(repo, noted):
    """The ledger may be long, and such a sweep has no notes."""
    write_experiments(noted, finished(fingerprint="changed-during-sweep"))
    (noted / "ledger.ndjsonl").unlink()
    (noted / "ledger.ndjsonl").mkdir()  # opening it would fail
    assert write_review_note(noted, repo.path, review(noted)) is None


def test_outside_of_a_repository_there_are_no_notes(tmp_path):
    """That is no reason for a warning."""
    runs = tmp_path / "runs"
    write_experiments(runs, finished())
    assert write_review_note(runs, tmp_path, review(runs)) is None


def test_notes_that_cannot_be_written_are_a_warning(repo, noted):
    """The review is recorded, and what brings the note is named."""
    made = review(noted, decision="ship")
    (repo.path / ".git" / NOTES_REF).write_text("")  # as after a power cut
    warning = write_review_note(noted, repo.path, made)
    assert warning is not None
    assert "the review is recorded, but its note could not be written" in warning
    assert "wt notes rebuild" in warning


def test_a_ledger_that_cannot_be_read_is_a_warning(repo, noted):
    """It says under which trees the note is."""
    made = review(noted)
    (noted / "ledger.ndjsonl").unlink()
    (noted / "ledger.ndjsonl").mkdir()
    assert "cannot read the ledger" in (write_review_note(noted, repo.path, made) or "")


def test_a_configuration_that_cannot_be_read_is_a_warning(repo, noted):
    """It only says where the notes are."""
    repo.write({"pyproject.toml": "[tool.windtunnel\n"})
    warning = write_review_note(noted, repo.path, review(noted))
    assert warning is not None
    assert "pyproject.toml" in warning


def test_a_decision_that_no_note_can_hold_is_a_warning(repo, noted):
    """Whoever reads the notes would pass over a line of that length."""
    before = repo.git("rev-parse", NOTES_REF)
    warning = write_review_note(noted, repo.path, review(noted, decision="x" * LONGEST_LINE))
    assert warning is not None
    assert "too long for the notes" in warning
    assert repo.git("rev-parse", NOTES_REF) == before
