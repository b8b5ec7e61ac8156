"""`pre-commit` and `prepare-commit-msg`, called as git calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.evidence_rows import row, sweep
from kit.verified_repos import agent_repo, cover, file_notes

from wt_git.githooks.commit_hooks import run_pre_commit, run_prepare_commit_msg
from wt_git.githooks.git_hooks import GitHookCall

if TYPE_CHECKING:
    from pathlib import Path

    from kit.repo import Repo

GATE = "[tool.windtunnel.gate]\n"
UNCHECKED = "then commit again; unchecked: git commit --no-verify"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit."""
    return agent_repo(tmp_path / "repo")


def policy(repo: Repo, text: str) -> None:
    repo.write({"pyproject.toml": GATE + text})
    repo.git("add", "pyproject.toml")


def pre_commit(repo: Repo, **environ: str):
    return run_pre_commit(GitHookCall(repo.path, (), b"", environ))


def cover_staged(repo: Repo) -> None:
    """Put a focused pass on the staged tree."""
    tree = repo.git("write-tree")
    file_notes(repo, tree, row(tree), sweep())


def test_missing_evidence_is_said_and_the_commit_is_made(repo):
    """With one command."""
    result = pre_commit(repo)
    assert result.exit_code == 0
    assert result.lines[0] == "this commit has no evidence yet, and a push may require it"
    assert result.lines[1].startswith("  seen: there are no notes here")
    assert [one for one in result.lines if one.startswith(("  run:", "  or:"))] == [
        "  run: wt run --pack=PACK --runtime=RUNTIME"
    ]


def test_a_policy_may_refuse_the_commit(repo):
    """With every command that may help, and the way around."""
    repo.git("remote", "add", "origin", "url")
    policy(repo, 'pre_commit = "refuse"\n')
    result = pre_commit(repo)
    assert result.exit_code == 1
    assert result.lines[0] == "refused: this commit would have no evidence that counts"
    assert result.lines[1].startswith("  rule: ")
    assert [one[:5] for one in result.lines if one.startswith(("  run:", "  or:"))] == [
        "  run",
        "  or:",
    ]
    assert result.lines[-1] == UNCHECKED


def test_a_policy_may_want_nothing_to_be_said(repo):
    """The staged policy, not that of HEAD or of the working directory."""
    policy(repo, 'pre_commit = "off"\n')
    assert pre_commit(repo) == (0, ())
    repo.commit("off")
    policy(repo, 'pre_commit = "warn"\n')
    repo.write({"pyproject.toml": GATE + 'pre_commit = "off"\n'})
    assert len(pre_commit(repo).lines) > 1


def test_the_staged_tree_is_what_counts(repo):
    """Not what the working directory holds."""
    repo.write({"agent.py": "staged\n"})
    repo.git("add", "agent.py")
    cover_staged(repo)
    repo.write({"agent.py": "not staged\n"})
    result = pre_commit(repo)
    assert result.exit_code == 0
    assert len(result.lines) == 1
    assert result.lines[0].startswith("this commit is covered by focused evidence of sweep a")


def test_git_may_name_another_index(repo):
    """As it does for `git commit -a`."""
    cover_staged(repo)
    (repo.path / "other").write_bytes((repo.path / ".git/index").read_bytes())
    repo.write({"agent.py": "staged\n"})
    repo.git("add", "agent.py")
    assert "no evidence yet" in pre_commit(repo).lines[0]
    assert "is covered" in pre_commit(repo, GIT_INDEX_FILE="other").lines[0]
    (repo.path / ".git/index").unlink()
    assert "no evidence yet" in pre_commit(repo).lines[0]


def test_the_nearest_evidence_is_looked_for_from_head(repo):
    """What would be committed builds on it."""
    cover(repo)
    repo.write({"agent.py": "staged\n"})
    repo.git("add", "agent.py")
    seen = "\n".join(pre_commit(repo).lines)
    assert f"that of commit {repo.git('rev-parse', '--short=10', 'HEAD')}" in seen
    assert "'agent.py'" in seen


def test_what_cannot_be_told_does_not_stop_a_commit(repo, tmp_path):
    """An invalid policy is said; outside of a repository there is nothing to say."""
    policy(repo, 'require = "nothing"\n')
    result = pre_commit(repo)
    assert result.exit_code == 0
    assert len(result.lines) == 1
    assert "the evidence cannot be checked: " in result.lines[0]
    assert run_pre_commit(GitHookCall(tmp_path, (), b"", {})) == (0, ())


@pytest.fixture
def message(repo):
    """The file of a commit message, in a repository that wants trailers."""
    policy(repo, "trailer = true\n")
    file = repo.path / ".git/MESSAGE"
    file.write_text("subject\n\nbody\n")
    return file


def prepared(repo: Repo, message: Path) -> str:
    result = run_prepare_commit_msg(GitHookCall(repo.path, (".git/MESSAGE",), b"", {}))
    assert result == (0, ())
    return message.read_text().rstrip("\n")


def test_a_trailer_names_the_latest_evidence(repo, message):
    """It is written once, and taken out when it is no longer true."""
    assert prepared(repo, message) == "subject\n\nbody"
    cover_staged(repo)
    tree = repo.git("write-tree")
    later = row(tree, sweep="b" * 12, ts="2026-01-02T03:04:06Z")
    file_notes(repo, tree, later, sweep("b" * 12))
    expected = "Wind-Tunnel: focused evidence of sweep bbbbbbbbbbbb, recorded 2026-01-02T03:04:06Z"
    assert prepared(repo, message) == f"subject\n\nbody\n\n{expected}"
    assert prepared(repo, message) == f"subject\n\nbody\n\n{expected}"
    repo.write({"agent.py": "changed\n"})
    repo.git("add", "agent.py")
    assert "Wind-Tunnel" not in prepared(repo, message)


def test_no_trailer_is_written_unless_the_policy_wants_one(repo, message):
    """Nor where git names no file."""
    policy(repo, "trailer = false\n")
    cover_staged(repo)
    assert prepared(repo, message) == "subject\n\nbody"
    policy(repo, "trailer = true\n")
    assert run_prepare_commit_msg(GitHookCall(repo.path, (), b"", {})) == (0, ())


def test_a_trailer_that_cannot_be_written_does_not_stop_a_commit(repo, message):
    """A line says why."""
    policy(repo, "trailer = 3\n")
    result = run_prepare_commit_msg(GitHookCall(repo.path, (".git/MESSAGE",), b"", {}))
    assert result.exit_code == 0
    assert result.lines[0].startswith("no trailer: ")
