"""`pre-push`, called as git calls it: what is let through, what is refused, and what is said."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from kit.evidence_rows import row, sweep
from kit.repo import Repo, git
from kit.verified_repos import agent_repo, cover, file_notes, notes_of, tree_of

from wt_git.githooks.git_hooks import GitHookCall
from wt_git.githooks.push_hooks import run_pre_push

if TYPE_CHECKING:
    from pathlib import Path

GATE = "[tool.windtunnel.gate]\n"
NOTES = "refs/windtunnel/notes"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit and the remote `origin`, to which notes are pushed."""
    git(tmp_path, "init", "--quiet", "--bare", "hub.git")
    made = agent_repo(tmp_path / "repo")
    made.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    made.git("config", "windtunnel.remote", "origin")
    return made


def push(repo: Repo, *refs: str, old: str = "", args=("origin", "url"), folder=None, **environ):
    """The result of pushing `SOURCE:BRANCH` refs, where the remote has `old`."""
    lines = []
    for ref in refs or ("HEAD:main",):
        source, _, branch = ref.partition(":")
        new = repo.git("rev-parse", source) if source else "0" * 40
        known = repo.git("rev-parse", old) if old else "0" * 40
        full = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        lines.append(f"{source or '(delete)'} {new} {full} {known}\n")
    stdin = "".join(lines).encode()
    return run_pre_push(GitHookCall(folder or repo.path, args, stdin, environ))


def said(result) -> str:
    return "\n".join(result.lines)


def test_a_push_of_tags_of_notes_or_of_nothing_is_let_through(repo):
    """No branch gets new commits."""
    assert push(repo, "HEAD:refs/tags/v1") == (0, ())
    assert push(repo, f"HEAD:{NOTES}") == (0, ())
    assert push(repo, ":main", old="HEAD") == (0, ())
    assert run_pre_push(GitHookCall(repo.path, (), b"", {})) == (0, ())


def test_a_covered_branch_is_let_through_with_its_evidence(repo):
    """One line names it."""
    cover(repo)
    result = push(repo)
    assert result.exit_code == 0
    assert len(result.lines) == 1
    assert result.lines[0].startswith("main at ")
    assert "is covered by focused evidence of sweep aaaaaaaaaaaa" in result.lines[0]


def test_a_branch_without_evidence_is_refused(repo):
    """With the rule, what was seen, the command, and the push to repeat."""
    result = push(repo)
    assert result.exit_code == 1
    assert result.lines[0].startswith("refused: main at ")
    assert result.lines[1].startswith("  rule: a pushed branch needs evidence of a focused")
    assert result.lines[2].startswith("  seen: there are no notes here")
    assert "  run: wt run --pack=PACK --runtime=RUNTIME" in result.lines
    assert "  or: wt verify --fetch" in result.lines
    assert result.lines[-1] == "then push again: git push origin HEAD:refs/heads/main"
    assert "first:" not in said(result)
    assert "an experiment must test the pushed commit" not in said(result)
    assert "wt notes rebuild" not in said(result)


def test_a_runs_directory_may_hold_evidence_that_is_not_in_the_notes(repo):
    """Then the notes can be written from it."""
    (repo.path / "runs").mkdir()
    assert "  or: wt notes rebuild" in push(repo).lines


def test_what_has_to_be_done_before_the_experiment(repo):
    """The working directory must be what is pushed, and the command runs in the top folder."""
    repo.write({"new.py": "x\n", "docs/new.md": "x\n", "pyproject.toml": GATE})
    assert "first: commit, undo or (in .git/info/exclude) ignore" in said(push(repo))
    repo.write({"pyproject.toml": f'{GATE}not_under_test = ["docs/**"]\n'})
    repo.git("add", "pyproject.toml")
    repo.git("commit", "--quiet", "--message", "policy")
    (step,) = [one for one in push(repo).lines if one.startswith("  first: ")]
    assert step.endswith("ignore these differences from that commit: 'new.py'")
    (repo.path / "new.py").unlink()
    assert "first:" not in said(push(repo))
    below = push(repo, GIT_PREFIX="docs/")
    assert f"  first: cd {repo.path}" in below.lines


def test_of_several_refused_branches_each_is_named(repo):
    """Where the experiment has to be made is not known then."""
    result = push(repo, "HEAD:main", "HEAD:other")
    assert [one[:20] for one in result.lines if one.startswith("refused")] == [
        "refused: main at " + repo.git("rev-parse", "HEAD")[:3],
        "refused: other at " + repo.git("rev-parse", "HEAD")[:2],
    ]
    assert "an experiment must test the pushed commit" in said(result)
    assert said(result).endswith("git push origin HEAD:refs/heads/main HEAD:refs/heads/other")


def test_of_many_refused_branches_the_first_are_named(repo):
    """The others are counted."""
    refs = [f"HEAD:b{number}" for number in range(9)]
    assert len([one for one in push(repo, *refs[:8]).lines if one.startswith("refused: ")]) == 8
    lines = [one for one in push(repo, *refs).lines if one.startswith("refused: ")]
    assert len(lines) == 9
    assert lines[-1] == "refused: 1 more commits have no evidence that counts"


def test_a_commit_that_is_not_checked_out_has_no_steps(repo):
    """The working directory is of another commit."""
    first = repo.git("rev-parse", "HEAD")
    repo.write({"agent.py": "new\n"})
    repo.commit("second")
    result = push(repo, f"{first}:main")
    assert "an experiment must test the pushed commit" in said(result)


def test_the_push_to_repeat_is_the_one_that_was_refused(repo):
    """A branch of the same name is short; what was forced is forced again."""
    assert said(push(repo, "refs/heads/main:main")).endswith("git push origin main")
    repo.write({"agent.py": "new\n"})
    repo.commit("second")
    assert said(push(repo, "refs/heads/main:main", old="HEAD~1")).endswith("git push origin main")
    repo.git("checkout", "--quiet", "--detach", "HEAD~1")
    repo.write({"agent.py": "other\n"})
    repo.commit("beside")
    assert said(push(repo, "HEAD:main", old="main")).endswith("origin +HEAD:refs/heads/main")
    # The remote has a commit that is not here.
    line = f"HEAD {repo.git('rev-parse', 'HEAD')} refs/heads/main {'e' * 40}\n".encode()
    result = run_pre_push(GitHookCall(repo.path, ("origin", "url"), line, {}))
    assert said(result).endswith("git push origin +HEAD:refs/heads/main")


def test_the_pre_commit_framework_passes_the_push_in_variables(repo):
    """It writes nothing to the hook's input."""
    environ = {
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": "url",
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/main",
        "PRE_COMMIT_TO_REF": repo.git("rev-parse", "HEAD"),
    }
    result = run_pre_push(GitHookCall(repo.path, (), b"", environ))
    assert result.exit_code == 1
    assert said(result).endswith("then push again: git push origin main")
    del environ["PRE_COMMIT_REMOTE_NAME"]
    result = run_pre_push(GitHookCall(repo.path, (), b"", environ))
    assert said(result).endswith("then push again: git push REMOTE main")


def test_a_policy_names_the_branches_that_it_is_about(repo):
    """Others need no evidence."""
    repo.write({"pyproject.toml": f'{GATE}branches = ["release/*"]\n'})
    repo.commit("policy")
    assert push(repo) == (0, ())
    assert push(repo, "HEAD:release/1").exit_code == 1


def test_commits_that_a_remote_branch_has_are_not_checked_again(repo):
    """A plain URL is no remote, and there is nothing to know of it."""
    repo.write({"pyproject.toml": f'{GATE}commits = "each"\n'})
    repo.commit("policy")
    repo.write({"agent.py": "new\n"})
    repo.commit("covered")
    cover(repo)
    repo.git("update-ref", "refs/remotes/origin/side", "HEAD~1")
    assert push(repo).exit_code == 0
    assert push(repo, args=("url", "url")).exit_code == 1
    assert push(repo, args=("elsewhere", "url")).exit_code == 1


def test_outside_of_a_repository_a_push_cannot_be_checked(repo, tmp_path):
    """What cannot be checked is refused, and the way around it is named."""
    result = push(repo, folder=tmp_path)
    assert result.exit_code == 1
    assert result.lines[0].startswith("refused: the evidence cannot be checked: ")
    assert result.lines[-1] == "  or push without the check: git push --no-verify"


def test_a_policy_that_is_invalid_refuses(repo):
    """The message names the key."""
    repo.write({"pyproject.toml": f'{GATE}require = "nothing"\n'})
    repo.commit("broken")
    result = push(repo)
    assert result.exit_code == 1
    assert "require" in result.lines[0]


def remote_notes(repo: Repo) -> str:
    return git(repo.path.parent / "hub.git", "for-each-ref", NOTES)


def test_notes_go_along_to_the_recorded_remote(repo):
    """And to no other, nor where the policy says no."""
    cover(repo)
    push(repo, args=("url", "url"))
    push(repo, args=("other", "url"))
    assert remote_notes(repo) == ""
    assert len(push(repo).lines) == 1
    assert remote_notes(repo) != ""
    before = remote_notes(repo)
    assert push(repo).exit_code == 0
    assert remote_notes(repo) == before


def test_notes_stay_here_where_the_policy_says_so(repo):
    """They are pushed by hand then."""
    repo.write({"pyproject.toml": f"{GATE}push_notes = false\n"})
    repo.commit("policy")
    cover(repo)
    assert push(repo).exit_code == 0
    assert remote_notes(repo) == ""


def test_a_push_goes_on_though_its_notes_cannot_be_pushed(repo):
    """Two lines say so."""
    cover(repo)
    shutil.rmtree(repo.path.parent / "hub.git")
    result = push(repo)
    assert result.exit_code == 0
    assert result.lines[-2].startswith("the push goes on, but the notes stayed here (fetch: ")
    assert result.lines[-1] == "  later: wt sync origin"


def test_pushing_sends_what_git_log_shows_too(repo):
    """The lines below commits are written before the notes are pushed."""
    tree = tree_of(repo)
    cover(repo)
    file_notes(repo, tree, row(tree, sweep="b" * 12), sweep("b" * 12))
    push(repo)
    shown = notes_of(repo).live_view().text(repo.git("rev-parse", "HEAD"))
    assert len(shown) == 2
    ours = repo.git("rev-parse", NOTES)
    assert remote_notes(repo).startswith(ours)
