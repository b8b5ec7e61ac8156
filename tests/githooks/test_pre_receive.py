"""`pre-receive`, called as git calls it: whose policy applies, and what may happen to the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.evidence_rows import row, sweep
from kit.repo import Repo, git
from kit.verified_repos import agent_repo, cover, file_notes, tree_of

from wt_git.githooks.git_hooks import GitHookCall
from wt_git.githooks.push_hooks import run_pre_receive

if TYPE_CHECKING:
    from pathlib import Path

GATE = "[tool.windtunnel.gate]\n"
NOTES = "refs/windtunnel/notes"
NONE = "0" * 40


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a covered commit on main, at the receiving side."""
    made = agent_repo(tmp_path / "repo")
    cover(made)
    return made


def receive(repo: Repo, *lines: tuple[str | None, str | None, str]):
    """The result of a push of `(old, new, ref)` revisions."""

    def id_of(revision: str | None) -> str:
        return repo.git("rev-parse", revision) if revision else NONE

    text = "".join(f"{id_of(old)} {id_of(new)} {ref}\n" for old, new, ref in lines)
    return run_pre_receive(GitHookCall(repo.path, (), text.encode(), {}))


def said(result) -> str:
    return "\n".join(result.lines)


def on_a_side_branch(repo: Repo, files: dict[str, str]) -> None:
    repo.git("checkout", "--quiet", "-B", "side", "main")
    repo.write(files)
    repo.commit("pushed")


def test_nothing_is_said_about_nothing(repo):
    """An empty push, and refs that are no branches."""
    assert run_pre_receive(GitHookCall(repo.path, (), b"", {})) == (0, ())
    assert receive(repo, (None, "main", "refs/tags/v1")) == (0, ())
    assert receive(repo, ("main", None, "refs/heads/main")) == (0, ())


def test_a_covered_branch_is_let_in_and_another_is_not(repo):
    """With the evidence, and with what to do."""
    result = receive(repo, (None, "main", "refs/heads/main"))
    assert result.exit_code == 0
    assert "is covered by focused evidence of sweep aaaaaaaaaaaa" in said(result)
    on_a_side_branch(repo, {"agent.py": "new\n"})
    result = receive(repo, ("main", "side", "refs/heads/main"))
    assert result.exit_code == 1
    assert "refused: main at " in said(result)
    assert result.lines[-1].startswith("with the evidence in git, push it before or along: wt sync")


def test_a_push_cannot_weaken_its_own_check(repo):
    """The branch's policy before the push applies; a new branch has that of the default branch."""
    on_a_side_branch(repo, {"pyproject.toml": f'{GATE}branches = ["none"]\n'})
    assert receive(repo, ("main", "side", "refs/heads/main")).exit_code == 1
    repo.git("checkout", "--quiet", "main")
    assert receive(repo, (None, "side", "refs/heads/new")).exit_code == 1
    assert receive(repo, ("side", "side", "refs/heads/side")).exit_code == 0


def test_the_first_push_brings_its_own_policy(repo, tmp_path):
    """There is no other."""
    on_a_side_branch(repo, {"pyproject.toml": f'{GATE}branches = ["none"]\n'})
    git(tmp_path, "clone", "--quiet", "--bare", str(repo.path), "hub.git")
    hub = Repo(tmp_path / "hub.git")
    pushed = hub.git("rev-parse", "side")
    hub.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert receive(hub, (None, pushed, "refs/heads/new")).exit_code == 0
    hub.git("symbolic-ref", "HEAD", "refs/heads/main")
    assert receive(hub, (None, pushed, "refs/heads/new")).exit_code == 1


def test_commits_that_some_branch_has_are_not_checked_again(repo):
    """A policy for each commit is about new ones."""
    repo.write({"pyproject.toml": f'{GATE}commits = "each"\n'})
    repo.commit("policy")
    on_a_side_branch(repo, {"agent.py": "new\n"})
    cover(repo, "side")
    assert receive(repo, (None, "side", "refs/heads/new")).exit_code == 0
    repo.git("checkout", "--quiet", "--detach", "side")
    repo.git("branch", "--quiet", "--force", "main", "main~1")
    repo.git("branch", "--quiet", "--delete", "--force", "side")
    assert receive(repo, (None, "HEAD", "refs/heads/new")).exit_code == 1


def made_of(repo: Repo, tree: str, *parents: str) -> str:
    options = [word for parent in parents for word in ("-p", parent)]
    return repo.git("commit-tree", "-m", "made", *options, tree)


def test_notes_are_not_deleted(repo):
    """They hold everybody's evidence."""
    result = receive(repo, (NOTES, None, NOTES))
    assert result.exit_code == 1
    assert "is not deleted" in said(result)


def test_notes_of_an_unrelated_history_are_refused(repo):
    """They would replace those that are there."""
    other = made_of(repo, f"{NOTES}^{{tree}}")
    result = receive(repo, (NOTES, other, NOTES))
    assert result.exit_code == 1
    assert "that others recorded" in said(result)
    assert receive(repo, (None, other, NOTES)).exit_code == 0


def test_notes_that_lose_lines_are_refused(repo):
    """Also on top of those that are there."""
    before = repo.git("rev-parse", NOTES)
    tree = tree_of(repo)
    file_notes(repo, tree, row(tree, sweep="b" * 12), sweep("b" * 12))
    assert receive(repo, (before, NOTES, NOTES)).exit_code == 0
    assert receive(repo, (NOTES, NOTES, NOTES)).exit_code == 0
    less = made_of(repo, f"{before}^{{tree}}", NOTES)
    result = receive(repo, (NOTES, less, NOTES))
    assert result.exit_code == 1
    assert f"it lacks lines under {tree}" in said(result)


def test_notes_that_are_no_commit_are_refused(repo):
    """Nobody could read them."""
    result = receive(repo, (NOTES, "HEAD:agent.py", NOTES))
    assert result.exit_code == 1
    assert "cannot be checked" in said(result)


def test_evidence_in_the_same_push_counts(repo):
    """The notes as they will be after the push decide."""
    on_a_side_branch(repo, {"agent.py": "new\n"})
    before = repo.git("rev-parse", NOTES)
    cover(repo, "side", sweep_id="b" * 12)
    after = repo.git("rev-parse", NOTES)
    repo.git("update-ref", NOTES, before)
    branch = ("main", "side", "refs/heads/main")
    assert receive(repo, branch).exit_code == 1
    assert receive(repo, branch, (before, after, NOTES)).exit_code == 0


def test_what_cannot_be_checked_is_refused(repo, tmp_path):
    """Outside of a repository, and with a policy that is invalid."""
    line = f"{NONE} {'e' * 40} refs/heads/main\n".encode()
    result = run_pre_receive(GitHookCall(tmp_path, (), line, {}))
    assert result.exit_code == 1
    assert result.lines[0].startswith("refused: the evidence cannot be checked: ")
    assert run_pre_receive(GitHookCall(repo.path, (), line, {})).exit_code == 1
