"""Commits and their files, from the object store alone."""

from __future__ import annotations

import pytest
from kit.repo import new_repo
from kit.verified_repos import clone

from wt_git.errors import GitError
from wt_git.git.history import History
from wt_git.git.libgit2 import open_repository


@pytest.fixture
def here(tmp_path):
    repo = new_repo(tmp_path / "here", {"a": "1", "folder/b": "2"})
    for number in range(3):
        repo.write({"a": f"v{number}"})
        repo.commit(f"commit {number}")
    return repo


def history(repo):
    found = open_repository(repo.path)
    assert found is not None
    return History(found)


def test_a_commit_as_it_was_written(here):
    """Tree, parents, time and subject, as git itself tells them."""
    facts = history(here).resolve("HEAD")
    told = here.git("show", "-s", "--format=%H %T %P %ct %s", "HEAD").split(" ", 4)
    assert [
        facts.id,
        facts.tree,
        facts.parents[0],
        str(int(facts.time.timestamp())),
        facts.subject,
    ] == told


def test_names_that_are_not_here(here):
    """None is not here; a tree is no commit, and that is an error."""
    assert history(here).resolve("nowhere") is None
    assert history(here).resolve("f" * 40) is None
    assert history(here).commit("f" * 40) is None
    assert history(here).commit(here.git("rev-parse", "HEAD^{tree}")) is None
    with pytest.raises(GitError):
        history(here).resolve("HEAD^{tree}")


def test_an_annotated_tag_is_its_commit(here):
    """However many tags are in between."""
    here.git("tag", "--annotate", "--message", "x", "one")
    here.git("tag", "--annotate", "--message", "x", "two", "one")
    assert history(here).resolve("two").id == here.git("rev-parse", "HEAD")


def test_files_of_a_tree(here):
    """Content, None for absent, an error for what is no file."""
    (here.path / "link").symlink_to("a")
    here.commit("link")
    found, tree = history(here), here.git("rev-parse", "HEAD^{tree}")
    assert found.file(tree, "a") == b"v2"
    assert found.file(tree, "folder/b") == b"2"
    assert found.file(tree, "c") is None
    for name in ("link", "folder"):
        with pytest.raises(GitError, match="not a file of its own"):
            found.file(tree, name)


def test_a_shallow_clone_knows_that_it_is_cut(here, tmp_path):
    """The oldest commit has the parent that it was written with, and that is not here."""
    there = clone(here.path, tmp_path / "there", "--depth=2")
    found = history(there)
    head = found.resolve("HEAD")
    (oldest,) = found.ancestors(head.id)
    assert oldest.parents == (here.git("rev-parse", "HEAD~2"),)
    assert found.shallow_commits == {oldest.id}
    assert found.lacks_ancestors(head.id)
    assert found.commit(oldest.parents[0]) is None
    assert not history(here).lacks_ancestors(here.git("rev-parse", "HEAD"))


@pytest.mark.parametrize(
    "spec", ["HEAD", "HEAD~2..HEAD", "HEAD~2..", "topic...HEAD", "..topic", "HEAD..topic", "topic"]
)
def test_ranges_are_those_of_git(here, spec):
    """The same commits as `git log` lists."""
    here.git("checkout", "--quiet", "-b", "topic", "HEAD~1")
    here.write({"t": "1"})
    here.commit("topic")
    here.git("checkout", "--quiet", "-")
    listed = here.git("rev-list", "--topo-order", spec).split()
    found = history(here).commits_in_range(spec)
    assert sorted(one.id for one in found) == sorted(listed)


def test_a_range_with_an_end_that_is_not_here(here):
    """None, not an empty range."""
    assert history(here).commits_in_range("nowhere..HEAD") is None
    assert history(here).commits_in_range("HEAD..nowhere") is None
    assert history(here).commits_in_range("nowhere") is None


def test_one_commit_contains_another(here):
    """Itself and what it builds on; what is not here is not known."""
    found = history(here)
    tip, below = here.git("rev-parse", "HEAD", "HEAD~1").split()
    assert found.contains(tip, tip)
    assert found.contains(tip, below)
    assert not found.contains(below, tip)
    assert not found.contains(tip, "f" * 40)


def test_a_commit_with_an_odd_time(here):
    """It is data of somebody else's; nothing breaks."""
    text = here.git("cat-file", "commit", "HEAD")
    for seconds in ("99999999999999", "-1", "x"):
        lines = [
            f"committer A <a@b> {seconds} +0000" if one.startswith("committer") else one
            for one in text.split("\n")
        ]
        (here.path / ".git" / "made").write_text("\n".join(lines) + "\n")
        made = here.git(
            "hash-object", "-t", "commit", "-w", "--literally", str(here.path / ".git" / "made")
        )
        assert history(here).commit(made).subject == "commit 2"
