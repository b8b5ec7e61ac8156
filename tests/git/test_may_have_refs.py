"""Whether there may be refs of a kind: a look at files, and never a wrong no."""

from __future__ import annotations

import pytest
from kit.repo import new_repo

from wt_git.git.repository import may_have_refs


@pytest.mark.parametrize("ref", ["refs/windtunnel/notes", "refs/windtunnel/remotes/origin/notes"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_ref_is_seen_loose_and_packed(tmp_path, ref, packed):
    """`git gc` moves refs into one file."""
    repo = new_repo(tmp_path / "repo", {"a": "a"})
    common = repo.path / ".git"
    assert not may_have_refs(common, "refs/windtunnel/")
    repo.git("update-ref", ref, "HEAD")
    if packed:
        repo.git("pack-refs", "--all", "--prune")
        assert not (common / ref).exists()
    assert may_have_refs(common, "refs/windtunnel/")


def test_a_single_ref_is_seen(tmp_path):
    """A notes ref of another name."""
    repo = new_repo(tmp_path / "repo", {"a": "a"})
    repo.git("update-ref", "refs/notes/mine", "HEAD")
    assert may_have_refs(repo.path / ".git", "refs/notes/mine")
    assert not may_have_refs(repo.path / ".git", "refs/notes/yours")


def test_refs_that_are_kept_another_way_may_be_anything(tmp_path):
    """Then the repository has to be opened to tell."""
    (tmp_path / "reftable").mkdir()
    assert may_have_refs(tmp_path, "refs/windtunnel/")
