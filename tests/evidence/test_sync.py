"""Sharing notes between clones: nothing is lost, nothing doubled, nothing pruned comes back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kit.noted_sweeps import TREE, lines, review, row, sweep
from kit.notes import commit_tree, key, opened, shown_by_git, sweep_id, text_line, tree_of
from kit.python_forks import forking_programs
from kit.repo import Repo, git, new_repo

from wt_git.evidence.notes.sweep_notes import commit_sweep_notes, notes_of_sweep, prune_notes
from wt_git.evidence.notes.sync import (
    NotSynced,
    Synced,
    merge_fetched_notes,
    sync_notes,
)
from wt_git.git.notes.store import NOTES_REF, tracking_ref

PROCESSES, CLONES, SWEEPS_EACH = 3, 2, 4


@pytest.fixture
def clones(tmp_path):
    """Two clones of one bare repository."""
    new_repo(tmp_path / "start", {"a": "1"})
    git(tmp_path, "clone", "-q", "--bare", "start", "other.git")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", "other.git", name)
    return Repo(tmp_path / "one"), Repo(tmp_path / "two")


def record(repo, of, *, tree=TREE, commit=None, **changes):
    entry = notes_of_sweep(sweep_id(of), lines(row(of, tree=tree), sweep(of, **changes)))
    commit_sweep_notes(opened(repo.path), entry, commit=commit)
    return entry


def synced(repo, **options):
    outcome = sync_notes(opened(repo.path), "origin", **options)
    assert isinstance(outcome, Synced), outcome
    return outcome


def test_what_one_clone_recorded_the_other_reads(clones):
    """Without a fetch of ours: the tracking ref is read beside the live one."""
    one, two = clones
    commit = one.git("rev-parse", "HEAD")
    entry = record(one, 1, commit=commit)
    assert synced(one) == Synced(opened(one.path).tip(), received=False, sent=True, attempts=1)
    two.git("fetch", "-q", "origin", f"+{NOTES_REF}*:refs/windtunnel/remotes/origin/notes*")
    notes = opened(two.path)
    assert notes.view().sweeps(TREE) == {sweep_id(1): tuple(sorted(entry.lines))}
    assert notes.tip() is None
    assert merge_fetched_notes(notes) is True
    assert merge_fetched_notes(notes) is False
    assert shown_by_git(two.path, [commit]) == {commit: [entry.text]}


def test_a_sync_brings_both_sides_to_the_union(clones):
    """Whoever comes second unites; once all have synced, all are at the same commit."""
    one, two = clones
    record(one, 1)
    record(two, 2)
    record(two, 3, tree="b" * 40)
    assert synced(one).sent
    second = synced(two)
    assert (second.received, second.sent) == (True, True)
    first_again = synced(one)
    assert (first_again.received, first_again.sent) == (True, False)
    assert opened(one.path).tip() == opened(two.path).tip()
    assert set(opened(one.path).live_view().sweeps(TREE)) == {sweep_id(1), sweep_id(2)}
    assert synced(one) == synced(two)


def test_where_neither_side_has_notes_there_is_nothing_to_do(clones):
    """The first sync of a new repository is no failure."""
    assert synced(clones[0]) == Synced(None, received=False, sent=False, attempts=1)


def test_without_push_only_this_side_changes(clones):
    """As `wt verify --fetch` does it, which may not write anywhere else."""
    one, two = clones
    record(one, 1)
    record(two, 2)
    synced(one)
    assert synced(two, push=False).received
    assert git(two.path.parent / "other.git", "rev-list", "--count", NOTES_REF) == "1"


def test_lines_about_one_sweep_from_two_machines_are_united(clones):
    """A review made elsewhere joins the rows, in one note."""
    one, two = clones
    entry = record(one, 1)
    synced(one)
    synced(two)
    with opened(two.path).transaction("reviewed") as tx:
        tx.add(TREE, sweep_id(1), lines(review()))
    with opened(one.path).transaction("reviewed") as tx:
        tx.add(TREE, sweep_id(1), lines(review(decision="keep")))
    for repo in (two, one, two):
        synced(repo)
    wanted = tuple(sorted([*entry.lines, *lines(review(), review(decision="keep"))]))
    for repo in clones:
        assert opened(repo.path).live_view().sweeps(TREE) == {sweep_id(1): wanted}


def test_a_prune_is_not_undone_by_those_who_still_have_the_lines(clones):
    """Not by a sync from either side, not by recording the sweep again, nor is its text."""
    one, two = clones
    commit = one.git("rev-parse", "HEAD")
    entry = record(one, 1, commit=commit)
    record(one, 2)
    synced(one)
    synced(two)
    record(two, 3)
    pruned = prune_notes(opened(one.path), {sweep_id(1)})
    assert (pruned.sweeps, pruned.lines, pruned.changed) == ((sweep_id(1),), 2, True)
    for repo in (two, one, two, one):
        synced(repo)
    assert commit_sweep_notes(opened(two.path), entry, commit=commit) is False
    for repo in clones:
        assert set(opened(repo.path).view().sweeps(TREE)) == {sweep_id(2), sweep_id(3)}
        assert opened(repo.path).view().text(commit) == ()
    history = one.git("log", "--format=%H", "-S", sweep_id(1), "-p", NOTES_REF)
    assert sweep_id(1) in history, "the history keeps the bytes, as the documents say"


def test_texts_from_elsewhere_are_shown_inert(clones):
    """A line that somebody pushed must not reach a terminal as a command to it."""
    one, two = clones
    commit = one.git("rev-parse", "HEAD")
    hostile = f"{text_line(1)} \x1b[2J\x9b\u202e\n".encode()
    repository = opened(one.path).repository
    commit_tree(repository, tree_of(repository, {f"{commit[:2]}/{commit[2:]}": hostile}))
    one.git("push", "-q", "origin", NOTES_REF)
    synced(two)
    [line] = shown_by_git(two.path, [commit])[commit]
    assert line == f"{text_line(1)} \\x1b[2J\\x9b\\u202e"


def test_pushing_at_the_same_time_loses_and_doubles_nothing(clones, tmp_path):
    """Several processes in each of two clones record and push at the same moment."""
    program = [forking_programs("hooks") / "python", "-m", "kit.syncing_process"]
    processes = [
        subprocess.Popen(
            [*program, str(clone.path), str(1000 * n + 100 * which), str(SWEEPS_EACH)],
            cwd=Path(__file__).parents[1],
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(PROCESSES)
        for which, clone in enumerate(clones)
    ]
    assert [process.communicate()[1] for process in processes] == [""] * PROCESSES * CLONES
    numbers = {
        1000 * n + 100 * which + k
        for n in range(PROCESSES)
        for which in range(CLONES)
        for k in range(SWEEPS_EACH)
    }
    for folder in (tmp_path / "other.git", *(clone.path for clone in clones)):
        if folder != tmp_path / "other.git":
            synced(Repo(folder))
        view = opened(folder).live_view()
        assert set(view.record_keys()) == {f"{number:040x}" for number in numbers}
        for number in numbers:
            [recorded] = view.sweeps(f"{number:040x}").values()
            assert len(recorded) == 2


def test_a_remote_that_is_not_configured_gets_nothing(clones):
    """Notes go where the repository says, never to an address that was only typed."""
    one, _ = clones
    record(one, 1)
    outcome = sync_notes(opened(one.path), str(one.path.parent / "other.git"))
    assert isinstance(outcome, NotSynced)
    assert outcome.step == "remote"
    assert git(one.path.parent / "other.git", "for-each-ref", "refs/windtunnel") == ""


@pytest.mark.parametrize("step", ["fetch", "push"])
def test_what_stands_in_the_way_is_told_and_nothing_is_lost(clones, step):
    """An unreachable server, or one with a rule against it; the notes here are as they were."""
    one, _ = clones
    record(one, 1)
    before = opened(one.path).tip()
    if step == "fetch":
        one.git("remote", "set-url", "origin", "/no/such/place")
    else:
        hook = one.path.parent / "other.git/hooks/update"
        hook.write_text("#!/bin/sh\necho not here >&2\nexit 1\n")
        hook.chmod(0o755)
    outcome = sync_notes(opened(one.path), "origin")
    assert isinstance(outcome, NotSynced)
    assert (outcome.step, outcome.attempts) == (step, 1)
    assert outcome.reason
    assert opened(one.path).tip() == before


def test_a_race_that_never_ends_does(clones):
    """Another push holds the ref for good: tried again until the time is over, then told."""
    one, _ = clones
    record(one, 1)
    other = one.path.parent / "other.git"
    (other / "refs/windtunnel").mkdir()
    (other / f"{NOTES_REF}.lock").touch()
    outcome = sync_notes(opened(one.path), "origin", timeout_s=1.5)
    assert isinstance(outcome, NotSynced)
    assert outcome.step in {"push", "fetch"}
    assert outcome.attempts > 1


def test_pauses_between_attempts_grow_up_to_a_second(clones, monkeypatch):
    """So that many who push at once get their turns, and none waits for long."""
    one, _ = clones
    record(one, 1)
    other = one.path.parent / "other.git"
    (other / "refs/windtunnel").mkdir()
    (other / f"{NOTES_REF}.lock").touch()
    expected = iter([0.04, 0.08, 0.16, 0.32, 0.64, 1.0, 1.0])

    def no_pause(low: float, high: float) -> float:
        assert high == next(expected)
        return low

    monkeypatch.setattr("random.uniform", no_pause)
    with pytest.raises(StopIteration):
        sync_notes(opened(one.path), "origin", timeout_s=60)


def test_notes_that_cannot_be_united_are_told(clones):
    """What the remote sent is no notes commit."""
    one, _ = clones
    record(one, 1)
    blob = one.git("rev-parse", "HEAD:a")
    one.git("push", "-q", "origin", f"{blob}:{NOTES_REF}")
    outcome = sync_notes(opened(one.path), "origin")
    assert isinstance(outcome, NotSynced)
    assert "no commit" in outcome.reason


def test_several_remotes_are_folded_in_together(clones):
    """Each has its own ref for what was seen of it."""
    one, two = clones
    record(two, 1)
    one.git("remote", "add", "colleague", "../two")
    one.git("fetch", "-q", "colleague", f"+{NOTES_REF}:{tracking_ref('colleague')}")
    record(two, 2)
    one.git("fetch", "-q", "../two", f"+{NOTES_REF}:{tracking_ref('origin')}")
    notes = opened(one.path)
    assert merge_fetched_notes(notes) is True
    assert set(notes.live_view().sweeps(TREE)) == {sweep_id(1), sweep_id(2)}
    assert set(notes.fetched_tips()) == {"colleague", "origin"}
    assert key("x") not in set(notes.view().record_keys())
