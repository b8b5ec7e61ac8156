"""Which repository a path is in, and whether git tracks it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.repo import new_repo

from wt_git.errors import GitError
from wt_git.git.repository import is_tracked, top_level


def test_the_top_of_a_repository_is_found_from_below(repo):
    """From any folder, and from a path that does not exist yet."""
    repo.write({"a/b/c": ""})
    for place in (".", "a/b", "a/b/c", "a/new/file.json"):
        assert top_level(repo.path / place) == repo.path


def test_outside_a_repository_there_is_no_top(tmp_path):
    """No repository is an answer, not a failure, and needs no git."""
    assert top_level(tmp_path) is None
    assert not is_tracked(tmp_path / "file")


def test_outside_a_repository_git_is_not_needed(tmp_path, monkeypatch):
    """Somebody without git can run scenarios outside of a repository."""
    monkeypatch.setenv("PATH", "")
    assert top_level(tmp_path) is None


def test_a_relative_path_is_one_from_the_working_directory(repo, monkeypatch):
    """Paths mean what they mean in the shell."""
    repo.write({"in/a": ""})
    repo.commit("one")
    monkeypatch.chdir(repo.path / "in")
    assert is_tracked(Path("a"))
    assert not is_tracked(Path("../a"))
    assert top_level(Path("new")) == repo.path


def test_a_folder_with_odd_bytes_in_its_name(tmp_path):
    """A name that is not UTF-8 and ends in a line break comes back as it is."""
    path = tmp_path / os.fsdecode(b"caf\xe9 \n")
    repo = new_repo(path, {"a": ""})
    assert top_level(repo.path) == path
    assert is_tracked(path / "a")


@pytest.mark.parametrize("kind", ["bare", "inside .git"])
def test_without_a_work_tree_there_is_no_top(tmp_path, kind):
    """A bare repository and the inside of .git track no file."""
    repo = new_repo(tmp_path / "r", {"a": ""})
    folder = repo.path / ".git"
    if kind == "bare":
        folder = tmp_path / "bare.git"
        repo.git("clone", "--quiet", "--bare", str(repo.path), str(folder))
    assert top_level(folder) is None
    assert not is_tracked(folder / "config")


def test_a_broken_repository_is_an_error(repo):
    """A repository that git cannot read is never taken for none."""
    (repo.path / ".git/HEAD").write_text("junk")
    with pytest.raises(GitError, match="not a git repository"):
        top_level(repo.path)
    with pytest.raises(GitError):
        is_tracked(repo.path / "a")


def test_files_are_tracked_or_not(repo):
    """A file is tracked from the moment it is staged, also after it was deleted."""
    repo.write({"staged": "", "gone/deep": "", "loose": "", ".gitignore": "ignored"})
    repo.git("add", "staged", "gone", ".gitignore")
    repo.write({"ignored": ""})
    (repo.path / "gone/deep").unlink()
    (repo.path / "gone").rmdir()
    assert [
        is_tracked(repo.path / name) for name in ("staged", "gone/deep", "loose", "ignored", "new")
    ] == [True, True, False, False, False]


def test_a_folder_is_tracked_when_anything_in_it_is(repo):
    """A runs directory that holds somebody's source is recognised."""
    repo.write({"src/pkg/a.py": "", "runs/x.json": ""})
    repo.git("add", "src")
    assert is_tracked(repo.path / "src")
    assert is_tracked(repo.path)
    assert not is_tracked(repo.path / "runs")


def test_a_name_is_never_a_pattern(repo):
    """Asking for out*.xml says nothing about outs.xml."""
    repo.write({"outs.xml": "", ":weird": ""})
    repo.commit("one")
    assert not is_tracked(repo.path / "out*.xml")
    assert is_tracked(repo.path / ":weird")


def test_a_link_is_tracked_for_itself(repo, tmp_path):
    """A link to a folder elsewhere is judged by the link, not by what is behind it."""
    (tmp_path / "elsewhere").mkdir()
    (repo.path / "link").symlink_to(tmp_path / "elsewhere")
    assert not is_tracked(repo.path / "link")
    repo.git("add", "link")
    assert is_tracked(repo.path / "link")
