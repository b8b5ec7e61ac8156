"""Fetching and pushing notes with real repositories on the other side."""

from __future__ import annotations

import subprocess

import pytest
from kit.notes import bare_notes, commit_tree, key, opened, sweep_id, tree_of
from kit.repo import Repo, git, new_repo

from wt_git.git.notes.store import NOTES_REF, tracking_ref
from wt_git.git.remote import (
    Done,
    LostRace,
    NothingThere,
    Rejected,
    Unreachable,
    fetch,
    push,
)

TRACKING = tracking_ref("origin")


@pytest.fixture
def other_side(tmp_path):
    """A bare repository, with one commit on its branch."""
    new_repo(tmp_path / "start", {"a": "1"})
    git(tmp_path, "clone", "-q", "--bare", "start", "other.git")
    return tmp_path / "other.git"


@pytest.fixture
def here(tmp_path, other_side):
    git(tmp_path, "clone", "-q", "other.git", "here")
    return Repo(tmp_path / "here")


def add(folder, *what):
    """Write a note in `folder` and return the notes commit."""
    with opened(folder).transaction(f"add {what}") as tx:
        tx.add(key(what), sweep_id(what), [b"{}"])
    return tx.commit


def fetched(folder, *, source="origin", timeout_s=30.0):
    return fetch(folder, source, NOTES_REF, TRACKING, timeout_s=timeout_s)


def pushed(folder, commit, *, target="origin", timeout_s=30.0):
    return push(folder, target, commit, NOTES_REF, timeout_s=timeout_s)


def run(command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def at(folder, ref):
    return git(folder, "for-each-ref", "--format=%(objectname)", ref)


def test_a_ref_that_is_not_there_yet_is_no_failure(here):
    """The first push of notes finds none on the other side."""
    assert fetched(here.path) == NothingThere()
    assert at(here.path, "refs/windtunnel") == ""


def test_what_was_pushed_can_be_fetched(here, other_side, tmp_path):
    """By a configured remote, into the ref for what was seen of it; nothing else moves."""
    commit = add(here.path, 1)
    here.git("tag", "-m", "a tag that followTags would push", "v1")
    here.git("config", "push.followTags", "true")
    assert pushed(here.path, commit) == Done()
    assert pushed(here.path, commit) == Done()
    git(tmp_path, "clone", "-q", "other.git", "second")
    assert fetched(tmp_path / "second") == Done()
    assert at(tmp_path / "second", "refs/windtunnel") == commit
    assert not (tmp_path / "second/.git/FETCH_HEAD").exists()
    assert git(other_side, "tag") == ""


def test_a_url_will_do(here, other_side):
    """For the notes of a fork."""
    commit = add(here.path, 1)
    assert pushed(here.path, commit, target=str(other_side)) == Done()
    assert fetched(here.path, source=f"file://{other_side}") == Done()
    assert at(here.path, TRACKING) == commit


def test_a_push_that_would_overwrite_is_a_lost_race(here, other_side):
    """Whether what is there was fetched before or not."""
    ours = add(here.path, 1)
    git(here.path, "update-ref", "-d", NOTES_REF)
    add(other_side, 2)
    assert isinstance(pushed(here.path, ours), LostRace)
    assert fetched(here.path) == Done()
    assert isinstance(pushed(here.path, ours), LostRace)


def test_a_lock_on_the_other_side_is_a_lost_race(here, other_side):
    """Another push is being written at this moment."""
    add(other_side, 2)
    fetched(here.path)
    git(here.path, "update-ref", NOTES_REF, TRACKING)
    ours = add(here.path, 1)
    (other_side / f"{NOTES_REF}.lock").touch()
    assert isinstance(pushed(here.path, ours), LostRace)


def test_a_lock_on_this_side_is_a_lost_race(here, other_side):
    """Two fetches in one repository, one of them by git itself."""
    add(other_side, 2)
    (here.path / f".git/{TRACKING}.lock").parent.mkdir(parents=True)
    (here.path / f".git/{TRACKING}.lock").touch()
    assert isinstance(fetched(here.path), LostRace)


def test_a_rule_of_the_other_side_is_told_in_its_words(here, other_side):
    """Trying again would give the same answer; control characters do not come along."""
    hook = other_side / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nprintf 'notes are kept elsewhere \\033[31m\\n' >&2\nexit 1\n")
    hook.chmod(0o755)
    outcome = pushed(here.path, add(here.path, 1))
    assert isinstance(outcome, Rejected)
    assert "hook declined" in outcome.reason
    assert "notes are kept elsewhere" in outcome.reason
    assert outcome.reason.isprintable()


@pytest.mark.parametrize("name", ["nowhere", "", "--upload-pack=touch x", "/no/such/folder"])
def test_a_remote_that_does_not_answer_is_unreachable(here, name):
    """An argument that looks like an option is no remote and is not given to git."""
    commit = add(here.path, 1)
    assert isinstance(fetched(here.path, source=name), Unreachable)
    outcome = pushed(here.path, commit, target=name)
    assert isinstance(outcome, Unreachable)
    assert outcome.reason


def test_time_is_bounded(here, tmp_path):
    """A server that never answers is given up, with whatever git started for it."""
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    slow.chmod(0o755)
    here.git("config", "remote.origin.uploadpack", str(slow))
    here.git("config", "remote.origin.receivepack", str(slow))
    commit = add(here.path, 1)
    for outcome in (fetched(here.path, timeout_s=1), pushed(here.path, commit, timeout_s=1)):
        assert isinstance(outcome, Unreachable)
        assert "took longer" in outcome.reason
        state = run(["ps", "-o", "stat=", "-p", (tmp_path / "pid").read_text().strip()])
        assert state in {"", "Z"}, "it is gone, whether or not somebody has noticed"
    assert fetched(here.path, timeout_s=0) == Unreachable("there was no time left")


def test_hooks_of_the_user_do_not_run(here, tmp_path):
    """Our own pre-push hook would push the notes again, and again."""
    hook = here.path / ".git/hooks/pre-push"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    hook.chmod(0o755)
    assert pushed(here.path, add(here.path, 1)) == Done()
    assert not (tmp_path / "ran").exists()


def test_a_mirroring_remote_takes_the_notes_too(here):
    """Git refuses a refspec for one, unless told otherwise."""
    here.git("config", "remote.origin.mirror", "true")
    assert pushed(here.path, add(here.path, 1)) == Done()


def test_variables_of_a_surrounding_hook_are_not_obeyed(here, tmp_path, monkeypatch):
    """Git exports GIT_DIR to hooks; the repository is the one that was asked for."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "start/.git"))
    commit = add(here.path, 1)
    assert pushed(here.path, commit) == Done()


def test_a_remote_given_as_a_relative_path_counts_from_the_top(here):
    """As it does for git itself; from a linked worktree, too."""
    here.git("remote", "add", "near", "../other.git")
    here.git("worktree", "add", "-q", "../linked")
    for notes in (opened(here.path), opened(here.path.parent / "linked")):
        assert fetched(notes.folder, source="near") == NothingThere()


def test_a_partial_clone_gets_the_content_of_the_notes(tmp_path, other_side):
    """Also when git has fetched them before without it: it then thinks that it has them."""
    git(other_side, "config", "uploadpack.allowFilter", "true")
    add(other_side, 1)
    url = f"file://{other_side}"
    for name, first in (("direct", False), ("filtered", True)):
        git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", url, name)
        if first:
            git(tmp_path / name, "fetch", "-q", "origin", f"+{NOTES_REF}:{TRACKING}")
        assert fetched(tmp_path / name) == Done()
        assert opened(tmp_path / name).view().records(key((1,))) == {sweep_id((1,)): (b"{}",)}


def test_a_shallow_clone_stays_as_shallow_as_it_is(tmp_path, other_side):
    """CI checks out one commit; the notes come whole beside it."""
    for n in range(3):
        add(other_side, n)
    start = Repo(tmp_path / "start")
    start.commit("second")
    start.git("push", "-q", "../other.git", "HEAD")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{other_side}", "shallow")
    before = (tmp_path / "shallow/.git/shallow").read_text()
    assert fetched(tmp_path / "shallow") == Done()
    assert (tmp_path / "shallow/.git/shallow").read_text() == before
    assert git(tmp_path / "shallow", "rev-list", "--count", TRACKING) == "3"
    assert git(tmp_path / "shallow", "rev-list", "--count", "HEAD") == "1"


def test_a_bare_repository_fetches_too(tmp_path, other_side):
    """A mirror that a server keeps."""
    notes = bare_notes(tmp_path / "mirror.git")
    add(other_side, 1)
    git(notes.folder, "remote", "add", "origin", str(other_side))
    assert fetched(notes.folder) == Done()
    assert set(notes.view().record_keys()) == {key((1,))}


def test_notes_that_were_rewound_on_the_other_side_are_fetched_as_they_are(here, other_side):
    """What was seen of a remote is what it has; our own notes are another ref."""
    add(other_side, 1)
    fetched(here.path)
    repository = opened(other_side).repository
    rewound = commit_tree(repository, tree_of(repository, {"README": b"again"}))
    assert fetched(here.path) == Done()
    assert at(here.path, TRACKING) == rewound
