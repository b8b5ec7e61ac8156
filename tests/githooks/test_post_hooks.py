"""`post-commit`, `post-merge` and `post-rewrite`, called as git calls them: what git log shows then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.evidence_rows import row, sweep
from kit.verified_repos import agent_repo, cover, file_notes, notes_of, tree_of

from wt_git.evidence.notes.sync import Synced
from wt_git.githooks.commit_notes import share
from wt_git.githooks.git_hooks import GitHookCall
from wt_git.githooks.post_hooks import run_post_commit, run_post_merge, run_post_rewrite

if TYPE_CHECKING:
    from pathlib import Path

    from kit.repo import Repo

NOTES = "refs/windtunnel/notes"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with three commits that are covered, and show nothing yet."""
    made = agent_repo(tmp_path / "repo")
    cover(made)
    for number in (1, 2):
        made.write({"agent.py": f"{number}\n"})
        made.commit(f"edit {number}")
        cover(made, sweep_id=str(number) * 12)
    made.git("update-ref", "ORIG_HEAD", "HEAD~2")
    return made


def shown(repo: Repo) -> list[int]:
    """How many lines each of the last three commits shows, the newest first."""
    live = notes_of(repo).live_view()
    return [len(live.text(one)) for one in repo.git("rev-list", "--max-count=3", "HEAD").split()]


def call(run, repo: Repo, *args: str, stdin: str = ""):
    result = run(GitHookCall(repo.path, args, stdin.encode(), {}))
    assert result.exit_code == 0
    return result.lines


def test_a_new_commit_shows_the_evidence_on_its_tree(repo):
    """One line for each sweep, however often."""
    assert shown(repo) == [0, 0, 0]
    assert call(run_post_commit, repo) == ()
    assert call(run_post_commit, repo) == ()
    assert shown(repo) == [1, 0, 0]
    tree = tree_of(repo)
    file_notes(repo, tree, row(tree, sweep="b" * 12), sweep("b" * 12))
    call(run_post_commit, repo)
    assert shown(repo) == [2, 0, 0]


def test_in_a_rebase_its_commits_show_theirs_at_its_end(repo):
    """Not one by one; an amendment during a stop is left to the end too."""
    folder = repo.path / ".git/rebase-merge"
    folder.mkdir()
    line = f"{'e' * 40} {repo.git('rev-parse', 'HEAD')}\n"
    call(run_post_commit, repo)
    call(run_post_rewrite, repo, "amend", stdin=line)
    assert shown(repo) == [0, 0, 0]
    call(run_post_rewrite, repo, "rebase", stdin=line)
    assert shown(repo) == [1, 1, 0]


def test_an_amended_commit_shows_its_evidence(repo):
    """It alone; the pre-commit framework names none, so that those since ORIG_HEAD are looked at."""
    line = f"{'e' * 40} {repo.git('rev-parse', 'HEAD')}\n"
    call(run_post_rewrite, repo, "amend", stdin=line)
    assert shown(repo) == [1, 0, 0]
    call(run_post_rewrite, repo, "amend")
    assert shown(repo) == [1, 1, 0]


def test_merged_commits_show_their_evidence(repo):
    """All since the merge began, also in a rebase; and a squash has made none."""
    call(run_post_merge, repo, "1")
    assert shown(repo) == [0, 0, 0]
    (repo.path / ".git/rebase-merge").mkdir()
    call(run_post_merge, repo, "0")
    assert shown(repo) == [1, 1, 0]


def test_a_merge_takes_in_what_was_fetched(repo):
    """A commit shows it, and leaves it where it is."""
    repo.git("remote", "add", "origin", "url")
    fetched = repo.git("rev-parse", NOTES)
    repo.git("update-ref", "-d", NOTES)
    repo.git("update-ref", "refs/windtunnel/remotes/origin/notes", fetched)
    call(run_post_commit, repo)
    assert shown(repo) == [1, 0, 0]
    assert fetched not in repo.git("rev-list", NOTES)
    repo.git("update-ref", "-d", NOTES)
    call(run_post_merge, repo, "0")
    assert fetched in repo.git("rev-list", NOTES)
    assert shown(repo) == [1, 1, 0]


def test_without_notes_nothing_is_written(repo):
    """Nor outside of a repository."""
    repo.git("update-ref", "-d", NOTES)
    for run in (run_post_commit, run_post_merge, run_post_rewrite):
        assert call(run, repo) == ()
    assert repo.git("for-each-ref", "refs/windtunnel") == ""
    assert run_post_commit(GitHookCall(repo.path.parent, (), b"", {})) == (0, ())


def test_what_cannot_be_read_is_said_and_stops_nothing(repo):
    """The commit is made already."""
    repo.write({"pyproject.toml": "[tool.windtunnel.gate]\nrequire = 3\n"})
    lines = call(run_post_commit, repo)
    assert "require" in lines[0]


def test_notes_are_synced_a_second_time_only_for_new_lines(repo, tmp_path):
    """The first sharing adds lines under commits and pushes them too; the second has none to add."""
    repo.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    first = share(notes_of(repo), "origin", timeout_s=60)
    again = share(notes_of(repo), "origin", timeout_s=60)
    assert isinstance(first, Synced)
    assert isinstance(again, Synced)
    assert (first.attempts, again.attempts) == (2, 1)
    assert shown(repo) == [1, 1, 1]
