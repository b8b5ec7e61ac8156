"""What `wt notes show` finds under the trees of a commit, or under a tree."""

from __future__ import annotations

import pytest
from kit.evidence_rows import OTHER_TREE, line, row, sweep
from kit.verified_repos import agent_repo, cover, file_notes, notes_of, tree_of

from wt_git.errors import UsageError
from wt_git.evidence.notes.show import show_notes

THINNING = '[tool.windtunnel.gate]\nnot_under_test = ["docs/**"]\n'


@pytest.fixture
def repo(tmp_path):
    return agent_repo(tmp_path / "repo")


def test_a_commit_and_its_tree_show_the_same(repo):
    """By each name, with one line for each sweep and its records as they are."""
    cover(repo)
    commit, tree = repo.git("rev-parse", "HEAD"), tree_of(repo)
    by_commit, by_tree = show_notes(notes_of(repo), "HEAD"), show_notes(notes_of(repo), tree)
    assert (by_commit.named, by_tree.named) == (commit, tree)
    assert by_commit.trees == by_tree.trees == (tree,)
    assert len(by_commit.lines) == 1
    assert by_commit.lines == by_tree.lines
    assert by_commit.records == {"aaaaaaaaaaaa": [row(tree), sweep()]}
    assert by_commit.problems == ()
    assert by_commit.as_document() == {
        "windtunnel_notes": 1,
        "revision": commit,
        "trees": [tree],
        "sweeps": [{"sweep_id": "aaaaaaaaaaaa", "records": [row(tree), sweep()]}],
        "problems": [],
    }


def test_a_record_under_two_trees_is_shown_once(repo):
    """Evidence is filed under the thinned tree, too."""
    repo.write({"pyproject.toml": THINNING})
    repo.commit("policy")
    tree = tree_of(repo)
    repo.git("rm", "--quiet", "--cached", "-r", "docs")
    thin = repo.git("write-tree")
    repo.git("read-tree", "HEAD")
    made = row(tree, experiment={"tree_under_test": thin})
    for one in (tree, thin):
        file_notes(repo, one, made, sweep())
    found = show_notes(notes_of(repo), "HEAD")
    assert found.trees == (tree, thin)
    assert found.records == {"aaaaaaaaaaaa": [made, sweep()]}
    assert len(found.lines) == 1
    assert found.problems == ()


def test_lines_that_count_for_nothing_are_named_and_counted(repo):
    """Unreadable ones by why, and rows about other trees."""
    tree = tree_of(repo)
    with notes_of(repo).transaction("made by a test") as tx:
        rows = [line(one) for one in (row(tree), row(OTHER_TREE), sweep())]
        tx.add(tree, "aaaaaaaaaaaa", [*rows, b"{", b"[", b"[1]"])
    found = show_notes(notes_of(repo), "HEAD")
    assert found.records == {"aaaaaaaaaaaa": [row(tree), sweep()]}
    assert len([one for one in found.problems if " unreadable lines (" in one]) == len(
        {one.partition("(")[2] for one in found.problems if "unreadable" in one}
    )
    assert sum(int(one.split()[2]) for one in found.problems if "unreadable" in one) == 3
    assert found.problems[-1] == (
        "sweep aaaaaaaaaaaa: 1 rows are not about this tree and count for nothing"
    )


def test_what_is_no_commit_and_no_tree_is_an_error(repo):
    """A file, for one."""
    with pytest.raises(UsageError, match="neither a commit nor a tree"):
        show_notes(notes_of(repo), "HEAD:agent.py")
    assert show_notes(notes_of(repo), "HEAD").lines == ()
