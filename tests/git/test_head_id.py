"""The commit that a sweep started from."""

from __future__ import annotations

import pytest
from kit.repo import new_repo

from wt_git.errors import GitError
from wt_git.git.repository import head_short_id


def test_the_head_is_abbreviated_as_git_does(repo):
    """The id that people see in git log, from any folder of the repository."""
    repo.write({"a/b": ""})
    full = repo.commit("one")
    short = head_short_id(repo.path / "a")
    assert short == repo.git("rev-parse", "--short", "HEAD")
    assert full.startswith(short)
    assert head_short_id(repo.path / "a/b") == short


def test_a_detached_head_has_an_id(repo):
    """CI checks out commits, not branches."""
    full = repo.commit("one")
    repo.git("checkout", "--quiet", "--detach")
    assert full.startswith(head_short_id(repo.path))


def test_a_linked_worktree_has_its_own_head(repo, tmp_path):
    """Each work tree is asked for itself."""
    repo.commit("one")
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    two = repo.commit("two")
    assert two.startswith(head_short_id(repo.path))
    assert not two.startswith(head_short_id(tmp_path / "side"))


def test_before_the_first_commit_there_is_none(repo):
    """A new repository is no failure."""
    assert head_short_id(repo.path) is None


def test_outside_a_repository_there_is_none(tmp_path, monkeypatch):
    """Nor is a folder without one, even where git is not installed."""
    monkeypatch.setenv("PATH", "")
    assert head_short_id(tmp_path) is None


@pytest.mark.parametrize("damaged", ["HEAD", "refs/heads/main", "config"])
def test_a_damaged_repository_is_an_error(tmp_path, damaged):
    """A repository that git cannot read is never taken for an empty one."""
    repo = new_repo(tmp_path / "r", {"a": ""})
    (repo.path / ".git" / damaged).write_text("[junk")
    with pytest.raises(GitError):
        head_short_id(repo.path)
