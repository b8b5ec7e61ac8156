"""Git runs in the surroundings that we choose, and its failures are told apart."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from kit.repo import new_repo

from wt_git.errors import GitError
from wt_git.git.process import ask, clean_environment, run


def test_output_is_returned_as_bytes(repo):
    """A path that is no text comes back as it is."""
    repo.write({os.fsdecode(b"caf\xe9"): ""})
    assert run(["ls-files", "-z", "--others"], cwd=repo.path) == b"caf\xe9\0"


def test_the_variables_of_a_hook_are_not_obeyed(repo, tmp_path, monkeypatch):
    """Inside a hook git names its own repository and index; the folder decides all the same."""
    other = new_repo(tmp_path / "other", {"a": ""})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    found = run(["rev-parse", "--show-toplevel"], cwd=repo.path)
    assert found == os.fsencode(repo.path) + b"\n"
    assert run(["ls-files"], cwd=repo.path) == b""


def test_configuration_and_credentials_of_the_user_stay():
    """What people set to reach their configuration and hosts is theirs; the rest goes."""
    kept = {
        "PATH": "/bin",
        "GIT_CONFIG_GLOBAL": "g",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "k",
        "GIT_CONFIG_VALUE_0": "v",
        "GIT_SSH_COMMAND": "ssh -x",
    }
    dropped = {
        "GIT_DIR": "d",
        "GIT_INDEX_FILE": "i",
        "GIT_CONFIG_PARAMETERS": "p",
        "GIT_QUARANTINE_PATH": "q",
        "GIT_NAMESPACE": "n",
    }
    cleaned = clean_environment(kept | dropped)
    assert kept.items() <= cleaned.items()
    assert not dropped.keys() & cleaned.keys()
    assert cleaned["GIT_OPTIONAL_LOCKS"] == "0"


def test_the_index_is_not_refreshed_behind_the_users_back(repo):
    """A question leaves the index alone, so it never collides with the user's own git."""
    repo.write({"a": "1"})
    repo.commit("one")
    (repo.path / "a").touch()
    index = repo.path / ".git/index"
    before = index.stat().st_mtime_ns, index.read_bytes()
    run(["status"], cwd=repo.path)
    assert (index.stat().st_mtime_ns, index.read_bytes()) == before


def test_a_failure_is_an_error_in_gits_words(repo):
    """The message holds the command, the place and what git said."""
    with pytest.raises(GitError, match=r"git cat-file -p nothing in .*: fatal: Not a valid") as bad:
        run(["cat-file", "-p", "nothing"], cwd=repo.path)
    assert str(repo.path) in bad.value.message


def test_a_long_command_is_cut_in_the_message(repo):
    """A thousand paths do not bury what went wrong."""
    with pytest.raises(GitError) as bad:
        run(["cat-file", "-p", "x" * 5000], cwd=repo.path)
    assert "..." in bad.value.message.partition("failed")[0]


def test_a_failure_can_be_an_answer(repo):
    """Whoever wants to judge the status gets it instead of an error."""
    answer = ask(["rev-parse", "--verify", "--quiet", "nothing"], cwd=repo.path)
    assert (answer.status, answer.out, answer.err) == (1, b"", "")


def test_git_that_is_missing_is_said(repo, monkeypatch):
    """Without git on PATH the message says so, not that there is no repository."""
    monkeypatch.setenv("PATH", str(repo.path))
    with pytest.raises(GitError, match="git is not installed"):
        run(["status"], cwd=repo.path)


def test_a_git_that_cannot_start_is_said(repo, monkeypatch):
    """A git that is no program is told apart from one that is missing."""
    (repo.path / "git").write_text("no program")
    (repo.path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(repo.path))
    with pytest.raises(GitError, match="could not be started"):
        run(["status"], cwd=repo.path)


def test_a_folder_that_is_missing_is_said(tmp_path):
    """A folder that was deleted is not taken for a missing git."""
    with pytest.raises(GitError, match="no folder"):
        run(["status"], cwd=tmp_path / "gone")


def test_a_git_that_hangs_is_ended_with_its_children(repo):
    """The limit is named, and a helper that git started does not stay behind."""
    pidfile = repo.path / "pid"
    repo.git("config", "alias.hang", f"!echo $$ > {pidfile}; exec sleep 600")
    with pytest.raises(GitError, match=r"git took longer than 2 s: git hang in ") as caught:
        run(["hang"], cwd=repo.path, timeout_s=2)
    assert caught.value.retryable
    while _runs(int(pidfile.read_text())):  # the kernel takes a moment to bury it
        time.sleep(0.01)


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
