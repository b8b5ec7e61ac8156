"""Whose notes and whose policy decide about the commits of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.verified_repos import agent_repo, clone, cover, notes_of, tree_of

from wt_git.config import Gate, Settings
from wt_git.evidence.coverage.result import Covered, NotCovered
from wt_git.evidence.verification import VerificationScope, Verifier

if TYPE_CHECKING:
    from pathlib import Path

    from kit.repo import Repo


@pytest.fixture
def request_repo(tmp_path: Path):
    """A pull request whose base moved on: CI merged `topic` into `main`, and both have no notes."""
    repo = agent_repo(tmp_path / "base")
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.write({"agent.py": "topic\n"})
    repo.commit("topic")
    repo.git("checkout", "--quiet", "main")
    repo.write({"other.py": "moved\n"})
    repo.commit("moved")
    repo.git("checkout", "--quiet", "-b", "merge")
    repo.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    return repo


@pytest.fixture
def fork(request_repo: Repo, tmp_path: Path):
    """A fork, whose author may record anything."""
    return clone(request_repo.path, tmp_path / "fork")


def verify(repo: Repo, fork: Repo, revision: str, *, base: str = "main", merge: str | None = None):
    """The answer for a commit, checked under the base's policy with the notes of the fork."""
    scope = VerificationScope(
        policy=Settings(gate=Gate()),
        base=repo.git("rev-parse", base),
        merge=repo.git("rev-parse", merge) if merge else None,
    )
    notes = notes_of(repo)
    verifier = Verifier(notes.repository, notes.view(), scope, fork=notes_of(fork).view())
    commit = verifier.history.resolve(revision)
    assert commit is not None
    return verifier.verify(revision, commit).result


def test_the_notes_of_a_fork_do_not_count_for_a_merge_that_only_ci_built(request_repo, fork):
    """Its tree is not that of the fork's head: the fork could not have tested it."""
    cover(fork, "origin/merge")
    answer = verify(request_repo, fork, "merge", merge="merge")
    assert isinstance(answer, NotCovered)
    assert answer.reasons[0].code == "merge-untested"


def test_the_notes_of_a_fork_count_for_a_merge_with_the_tree_of_its_head(request_repo, fork):
    """The base stood still, so the merge is what the fork tested."""
    request_repo.git("checkout", "--quiet", "--detach", "main~1")
    request_repo.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    assert tree_of(request_repo) == tree_of(request_repo, "topic")
    cover(fork, "origin/topic")
    answer = verify(request_repo, fork, "HEAD", base="main~1", merge="HEAD")
    assert isinstance(answer, Covered)


def test_the_notes_of_a_fork_count_for_its_head_and_not_for_the_base(request_repo, fork):
    """Also where CI built a merge of both."""
    cover(fork, "origin/topic")
    cover(fork, "origin/main", sweep_id="b" * 12)
    assert isinstance(verify(request_repo, fork, "topic", merge="merge"), Covered)
    assert isinstance(verify(request_repo, fork, "main", merge="merge"), NotCovered)
    assert isinstance(verify(request_repo, fork, "main~1", merge="merge"), NotCovered)


def test_a_fork_adds_to_the_notes_here_and_replaces_none(request_repo, fork):
    """What is recorded here about the request's own commits counts beside the fork's notes."""
    cover(request_repo, "topic")
    cover(fork, "origin/main", sweep_id="b" * 12)
    assert isinstance(verify(request_repo, fork, "topic", merge="merge"), Covered)
