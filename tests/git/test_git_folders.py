"""Finding a repository's folders: from a folder, and as git tells a hook."""

from __future__ import annotations

import pytest
from kit.repo import git, new_repo

from wt_git.errors import GitError
from wt_git.git.repository import find_git_folders


def test_a_working_directory_and_its_subfolders(repo):
    """All lead to the top."""
    (repo.path / "deep/er").mkdir(parents=True)
    for folder in (repo.path, repo.path / "deep/er"):
        found = find_git_folders(folder)
        assert found is not None
        assert (found.top, found.git_dir, found.bare) == (repo.path, repo.path / ".git", False)
        assert found.home == repo.path


def test_a_linked_worktree(tmp_path):
    """It has a git directory of its own and shares the rest."""
    repo = new_repo(tmp_path / "repo", {"a": "a"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    found = find_git_folders(tmp_path / "linked")
    assert found is not None
    assert found.top == tmp_path / "linked"
    assert found.git_dir == repo.path / ".git/worktrees/linked"
    assert found.common_dir == repo.path / ".git"


def test_a_bare_repository_has_no_top(tmp_path):
    """Git starts hooks in the repository itself then."""
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    found = find_git_folders(tmp_path / "bare.git")
    assert found is not None
    assert (found.top, found.bare, found.home) == (None, True, tmp_path / "bare.git")


def test_inside_a_git_directory_there_is_no_top(repo):
    """Neither bare nor a working directory."""
    found = find_git_folders(repo.path / ".git")
    assert found is not None
    assert (found.top, found.bare) == (None, False)


def test_what_git_says_in_variables_counts_only_where_it_is_passed_on(repo, tmp_path):
    """A working directory whose git directory is elsewhere is found by its variables alone."""
    (tmp_path / "home").mkdir()
    said = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(tmp_path / "home")}
    assert find_git_folders(tmp_path / "home") is None
    found = find_git_folders(tmp_path / "home", said)
    assert found is not None
    assert (found.top, found.git_dir) == (tmp_path / "home", repo.path / ".git")


def test_no_repository_and_a_broken_one_are_two_answers(repo, tmp_path):
    """What git will not read must not pass for nothing being there."""
    (tmp_path / "none").mkdir()
    assert find_git_folders(tmp_path / "none") is None
    (repo.path / ".git/config").write_text("[broken")
    with pytest.raises(GitError):
        find_git_folders(repo.path)
