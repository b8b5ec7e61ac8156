"""Objects whose file a power cut left half written."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest
from kit.repo import new_repo

from wt_git.errors import GitError
from wt_git.git import libgit2
from wt_git.git.history import History


@pytest.fixture
def repo(tmp_path):
    return new_repo(tmp_path / "repo", {"a.txt": "a\n" * 100, "below/b.txt": "b"})


def opened(repo):
    return pygit2.Repository(str(repo.path))


def cut(repo, name, keep):
    """Cut the file of the object to `keep` of its bytes."""
    object_id = repo.git("rev-parse", name)
    path = repo.path / ".git/objects" / object_id[:2] / object_id[2:]
    content = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(content[: keep(len(content))])
    return object_id


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:a.txt", "HEAD:below"])
@pytest.mark.parametrize(
    "keep", [lambda _: 2, lambda size: size // 2, lambda size: size - 5], ids=["2", "half", "most"]
)
def test_an_object_that_is_cut_short_is_not_there(repo, name, keep):
    """Left to libgit2, reading it would never end."""
    object_id = cut(repo, name, keep)
    assert libgit2.is_cut_short(opened(repo), object_id)
    with pytest.raises(KeyError):
        libgit2.read_object(opened(repo), object_id)


def test_whole_objects_are_read_loose_and_packed(repo):
    """Also from a linked worktree, whose objects stand elsewhere."""
    ids = [repo.git("rev-parse", name) for name in ("HEAD", "HEAD^{tree}", "HEAD:a.txt")]
    plain = [opened(repo).read(one) for one in ids]
    assert [libgit2.read_object(opened(repo), one) for one in ids] == plain
    repo.git("worktree", "add", "--quiet", "../linked")
    linked = pygit2.Repository(str(repo.path.parent / "linked"))
    assert [libgit2.read_object(linked, one) for one in ids] == plain
    cut(repo, "HEAD:below/b.txt", lambda _: 3)
    assert libgit2.is_cut_short(linked, repo.git("rev-parse", "HEAD:below/b.txt"))


def test_packed_objects_are_left_to_libgit2(repo):
    """They have no file of their own."""
    object_id = repo.git("rev-parse", "HEAD")
    repo.git("gc", "--quiet")
    assert not Path(repo.path / ".git/objects" / object_id[:2] / object_id[2:]).exists()
    assert not libgit2.is_cut_short(opened(repo), object_id)
    assert libgit2.read_object(opened(repo), object_id)[0] == 1


def test_history_says_what_is_missing(repo):
    """A commit that is cut short is not here; a tree is an error that names it."""
    commit = repo.git("rev-parse", "HEAD")
    tree = cut(repo, "HEAD^{tree}", lambda size: size // 2)
    history = History(opened(repo))
    with pytest.raises(GitError, match=tree):
        history.file(tree, "a.txt")
    cut(repo, commit, lambda size: size // 2)
    assert History(opened(repo)).commit(commit) is None
    assert History(opened(repo)).resolve(commit) is None
