"""Which repository a folder is in, and when that is no answer."""

from __future__ import annotations

import os

import pytest
from kit.repo import git, new_repo

from wt_git.errors import GitError
from wt_git.git.git_config import parse_config
from wt_git.git.repository import find_repository


def test_the_folders_of_a_repository(repo):
    """From anywhere inside, and from a path that does not exist yet."""
    for place in (".", "a", "a/b/new"):
        found = find_repository(repo.path / place)
        assert found is not None
        assert (found.top, found.git_dir, found.common_dir) == (
            repo.path,
            repo.path / ".git",
            repo.path / ".git",
        )
        assert (found.object_format, found.linked) == ("sha1", False)


def test_a_linked_worktree_shares_all_but_its_index(repo):
    """Objects, refs and what is ours are in the common directory."""
    repo.commit("one")
    repo.git("worktree", "add", "--quiet", "../side")
    found = find_repository(repo.path.parent / "side")
    assert found is not None
    assert found.linked
    assert found.common_dir == repo.path / ".git"
    assert found.git_dir == repo.path / ".git/worktrees/side"
    assert found.own_folder == repo.path / ".git/windtunnel"


@pytest.mark.parametrize("kind", ["outside", "bare", "inside .git"])
def test_without_a_working_directory_there_is_no_repository(tmp_path, repo, kind):
    """That is an answer, not a failure."""
    folder = {"outside": tmp_path, "bare": tmp_path / "bare.git", "inside .git": repo.path / ".git"}
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    assert find_repository(folder[kind]) is None


def test_a_broken_repository_is_an_error(repo):
    """It never passes for none."""
    (repo.path / ".git/HEAD").unlink()
    with pytest.raises(GitError, match="not a git repository"):
        find_repository(repo.path)


def test_a_working_directory_elsewhere_is_an_error(repo, tmp_path):
    """Git run in there would find another repository, or none."""
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(GitError, match=r"core\.worktree"):
        find_repository(repo.path)


def test_without_git_a_repository_is_an_error(repo, monkeypatch):
    """There is one, and nobody to read it."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(GitError, match="not installed"):
        find_repository(repo.path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_somebody_else_s_repository_is_an_error_with_its_remedy(repo):
    """As in a container that mounts the host's files."""
    os.chown(repo.path, 12345, 12345)
    os.chown(repo.path / ".git", 12345, 12345)
    with pytest.raises(GitError, match="belongs to another user") as caught:
        find_repository(repo.path)
    assert caught.value.specific_code == "git-ownership"
    assert caught.value.hints == (f"git config --global --add safe.directory {repo.path}",)
    git(repo.path, *caught.value.hints[0].split()[1:])
    assert find_repository(repo.path) is not None


def test_a_line_break_in_a_folder_s_name(tmp_path):
    """Such folders exist."""
    repo = new_repo(tmp_path / "line\nbreak")
    found = find_repository(repo.path)
    assert found is not None
    assert found.top == repo.path
    assert found.git_dir == repo.path / ".git"


def test_settings_as_git_reads_them():
    """The last of many holds; no value is true, and so is any number but 0."""
    config = parse_config(
        b"core.filemode\nfalse\0core.filemode\ntrue\0a.b\0a.c\n0\0a.d\n-1\0a.e\nyes\n\0"
        b"filter.My.Driver.clean\ncat\nline two\0filter.clean\nno\0"
    )
    assert config.get("core.filemode") == "true"
    flags = {name: config.flag(f"a.{name}", default=False) for name in "bcdex"}
    assert flags == {"b": True, "c": False, "d": True, "e": True, "x": False}
    assert config.flag("a.x", default=True)
    assert config.subsections("filter", "clean") == {"My.Driver": "cat\nline two"}
    assert config.digest != parse_config(b"a.b\0").digest
