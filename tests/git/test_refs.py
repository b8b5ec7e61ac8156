"""Moving a ref: from where it was seen, one writer at a time, with git at work beside us."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pygit2
import pytest
from kit.notes import AUTHOR
from kit.repo import git

from wt_git.errors import GitError
from wt_git.git.libgit2 import read_ref
from wt_git.git.refs import ref_writer

REF = "refs/windtunnel/notes"
SOON = 0.05


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q", "--bare", "r.git")
    return pygit2.Repository(str(tmp_path / "r.git"))


def commit(repository, message):
    tree = repository.TreeBuilder().write()
    return str(repository.create_commit(None, AUTHOR, AUTHOR, message, tree, []))


def swap(repository, old, new, *, within=10.0, ref=REF):
    deadline = time.monotonic() + within
    with ref_writer(repository, ref, deadline=deadline) as writer:
        return writer.swap(old=old, new=new, deadline=deadline)


def test_a_ref_moves_only_from_where_it_was_seen(repository):
    """Also when it was seen missing, and when git has packed it meanwhile."""
    one, two = commit(repository, "1"), commit(repository, "2")
    assert read_ref(repository, REF) is None
    assert swap(repository, one, two) is False
    assert swap(repository, None, one) is True
    assert swap(repository, None, two) is False
    git(repository.path, "pack-refs", "--all")
    assert read_ref(repository, REF) == one
    assert swap(repository, two, one) is False
    assert swap(repository, one, two) is True
    assert git(repository.path, "rev-parse", REF) == two


def test_a_move_by_git_in_between_is_not_overwritten(repository):
    """Our lock does not hold git; the comparison under git's lock does."""
    one, two, three = (commit(repository, str(n)) for n in range(3))
    swap(repository, None, one)
    deadline = time.monotonic() + 10
    with ref_writer(repository, REF, deadline=deadline) as writer:
        git(repository.path, "update-ref", REF, two)
        assert writer.swap(old=one, new=three, deadline=deadline) is False
    assert read_ref(repository, REF) == two


def lock_path(repository):
    return Path(repository.path, f"{REF}.lock")


def test_the_lock_of_a_git_at_work_is_waited_for(repository):
    """Git holds it for moments, when it packs refs for one."""
    one = commit(repository, "1")
    swap(repository, None, one)
    path = lock_path(repository)
    path.touch()
    freed = threading.Timer(0.2, path.unlink)
    freed.start()
    assert swap(repository, one, commit(repository, "2")) is True
    freed.join()


def test_a_lock_that_git_left_behind_is_named_not_removed(repository):
    """It may be in use: whoever reads the message can tell, we cannot."""
    one = commit(repository, "1")
    swap(repository, None, one)
    path = lock_path(repository)
    path.touch()
    with pytest.raises(GitError, match=r"notes\.lock") as caught:
        swap(repository, one, commit(repository, "2"), within=SOON)
    assert caught.value.specific_code == "ref-locked"
    assert caught.value.hints == (f"rm '{path}'",)
    assert read_ref(repository, REF) == one


@pytest.mark.parametrize("content", ["", "what it was about to write"])
def test_a_lock_that_a_writer_of_ours_left_behind_is_removed(repository, content):
    """It noted before what it would write, so whose lock it is can be told."""
    one, two = commit(repository, "1"), commit(repository, "2")
    swap(repository, None, one)
    path = lock_path(repository)
    path.write_text(content and two)
    note_what_would_be_written(repository, two)
    assert swap(repository, one, two) is True


def test_a_lock_with_other_content_than_ours_is_left(repository):
    """A writer of ours died, and a git took the lock after it."""
    one, two, three = (commit(repository, str(n)) for n in range(3))
    swap(repository, None, one)
    path = lock_path(repository)
    path.write_text(three)
    note_what_would_be_written(repository, two)
    with pytest.raises(GitError):
        swap(repository, one, two, within=SOON)


def note_what_would_be_written(repository, commit_id):
    """Leave behind what a writer that was killed in the middle leaves."""
    Path(repository.path, "windtunnel/refs_windtunnel_notes.lock").write_text(commit_id)


def test_a_writer_waits_for_another_and_then_gives_up(repository):
    """Bounded: a hook must not hang because another process does."""
    one = commit(repository, "1")
    with (
        ref_writer(repository, REF, deadline=time.monotonic() + 10),
        pytest.raises(GitError, match="another process") as caught,
    ):
        swap(repository, None, one, within=SOON)
    assert caught.value.specific_code == "ref-locked"
    assert swap(repository, None, one) is True


def test_other_refs_are_written_meanwhile(repository):
    """One lock for each ref."""
    one = commit(repository, "1")
    with ref_writer(repository, REF, deadline=time.monotonic() + 10):
        assert swap(repository, None, one, ref="refs/notes/windtunnel", within=SOON) is True


def test_a_ref_whose_name_is_a_folder_cannot_be_written(repository):
    """`refs/windtunnel` is the namespace; the error is git's, at once."""
    one = commit(repository, "1")
    swap(repository, None, one)
    with pytest.raises(GitError, match="refs/windtunnel") as caught:
        swap(repository, None, one, ref="refs/windtunnel")
    assert caught.value.specific_code == "ref-unwritable"


def test_a_repository_that_cannot_be_written_is_an_error_at_once(repository, tmp_path):
    """A mounted archive, for one: here, a file stands where our folder belongs."""
    (tmp_path / "r.git/windtunnel").write_text("")
    with pytest.raises(GitError, match="cannot be written") as caught:
        swap(repository, None, commit(repository, "1"))
    assert caught.value.specific_code == "ref-unwritable"


@pytest.mark.parametrize("content", ["", "0" * 39 + "\n", "\0" * 41])
def test_a_ref_whose_file_holds_no_id_is_our_error(repository, content):
    """A power cut can leave a file empty or full of zeros."""
    swap(repository, None, commit(repository, "1"))
    (Path(repository.path) / REF).write_text(content)
    with pytest.raises(GitError) as broken:
        read_ref(repository, REF)
    assert broken.value.specific_code == "notes-broken"
    assert broken.value.hints[0] == f"git update-ref -d {REF}"
