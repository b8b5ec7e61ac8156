"""Trees put together, walked, compared and thinned out as git would."""

from __future__ import annotations

import subprocess

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.repo import new_repo

from wt_git.errors import GitError
from wt_git.git import trees
from wt_git.git.libgit2 import Libgit2Trees
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.snapshot.staging import GitTrees
from wt_git.git.trees import TREE, Entry, empty_tree, object_id, tree_bytes, tree_entries

BLOBS = [object_id("blob", content, "sha1") for content in (b"", b"one", b"two")]
MODES = [0o100644, 0o100755, 0o120000, 0o160000]
NAMES = [b"a", b"a-", b"a0", b"a.b", b"b", b"\xff", b"z z"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(b"/".join)
entry = st.builds(Entry, st.sampled_from(MODES), st.sampled_from(BLOBS))
listings = st.dictionaries(paths, entry, max_size=12)


class Memory:
    """Trees held in a dict, as a source to read from."""

    object_format = "sha1"

    def __init__(self):
        self.held = {empty_tree("sha1"): b""}
        self.asked = []

    def read(self, ids):
        self.asked += ids
        return {tree: self.held[tree] for tree in ids}

    def store(self, listing):
        """Store the tree with `listing`, made the plain way, and return its id."""
        below = {}
        content = {}
        for path, one in listing.items():
            name, _, rest = path.partition(b"/")
            if rest:
                below.setdefault(name, {})[rest] = one
            else:
                content[name] = one
        for name, inner in below.items():
            content[name] = Entry(TREE, self.store(inner))
        raw = tree_bytes(content)
        tree = object_id("tree", raw, "sha1")
        self.held[tree] = raw
        return tree


def without_clashes(listing):
    """Drop the files that have the name of a folder: no tree can hold both."""
    folders = {path[:at] for path in listing for at, byte in enumerate(path) if byte == 0x2F}
    return {path: one for path, one in listing.items() if path not in folders}


@given(listings, listings.map(without_clashes))
def test_changes_lead_from_any_tree_to_any_other(old, new):
    """What `compare` finds is what `compose` needs, and `walk` gives the listing back."""
    source = Memory()
    old = without_clashes(old)
    before, after = source.store(old), source.store(new)
    assert dict(trees.walk_files(after, source)) == new
    changes = trees.compare_trees(before, after, source)
    assert {p: pair[0] for p, pair in changes.items() if pair[0]} == {
        p: e for p, e in old.items() if new.get(p) != e
    }
    assert {p: pair[1] for p, pair in changes.items() if pair[1]} == {
        p: e for p, e in new.items() if old.get(p) != e
    }
    assert trees.compose_tree(before, {p: pair[1] for p, pair in changes.items()}, source) == after
    assert trees.compose_tree(None, new, source) == after


@given(listings.map(without_clashes), st.lists(paths, max_size=4))
def test_removing_paths_leaves_no_empty_folder(listing, gone):
    """A path may be a file or a whole folder, there or not."""
    source = Memory()
    left = {
        path: one
        for path, one in listing.items()
        if not any(path == one_gone or path.startswith(one_gone + b"/") for one_gone in gone)
    }
    made = trees.compose_tree(source.store(listing), dict.fromkeys(gone), source)
    assert made == source.store(left)


@given(listings.map(without_clashes), st.sampled_from(["a", "**/a", "*", "a/**", "**/*.b", "b/a"]))
def test_thinning_out_is_a_listing_without_the_matches(listing, pattern):
    """With folders that cannot match left unread."""
    source = Memory()
    patterns = PathPatterns([pattern])
    left = {path: one for path, one in listing.items() if not patterns.match(path)}
    assert trees.tree_without(source.store(listing), patterns, source) == source.store(left)


@given(listings, st.sampled_from([b".b", b"a0", b"\xff", b"a"]))
def test_certainly_without_is_never_wrong(listing, end):
    """It may not be sure; but where it is, there is no such name, and what it learnt holds."""
    source, known = Memory(), set()
    tree = source.store(listing)
    suffix = end.decode("utf-8", "surrogateescape")
    sure = trees.certainly_without(tree, (suffix,), source, known=known)
    assert not (sure and any(path.endswith(end) for path in listing))
    for one in known:
        assert not any(path.endswith(end) for path, _ in trees.walk_files(one, source))


def test_of_a_second_tree_only_what_changed_is_read():
    """A repository has hundreds of folders, and hundreds of commits are asked about at a time."""
    source, known = Memory(), set()
    same = {b"x/a": Entry(0o100644, BLOBS[0]), b"x/y/a": Entry(0o100644, BLOBS[1])}
    first = source.store({**same, b"z/a": Entry(0o100644, BLOBS[0])})
    second = source.store({**same, b"z/a": Entry(0o100644, BLOBS[2])})
    assert trees.certainly_without(first, (".pyc",), source, known=known)
    source.asked.clear()
    assert trees.certainly_without(second, (".pyc",), source, known=known)
    assert len(source.asked) == 2
    third = source.store({**same, b"z/a.pyc": Entry(0o100644, BLOBS[2])})
    assert not trees.certainly_without(third, (".pyc",), source, known=known)


def test_only_the_folders_along_a_change_are_read():
    """A tree of many folders costs what the change costs."""
    source = Memory()
    files = [b"%d/%d/f" % (a, b) for a in range(20) for b in range(20)]
    base = source.store({path: Entry(0o100644, object_id("blob", path, "sha1")) for path in files})
    trees.compose_tree(base, {b"3/4/f": None}, source)
    assert len(source.asked) == 3
    source.asked.clear()
    trees.tree_without(base, PathPatterns(["3/**"]), source)
    assert len(set(source.asked)) == 1 + 1 + 20


def test_a_path_is_looked_up():
    """A file, a folder, and what is not there."""
    source = Memory()
    tree = source.store({b"d/a": Entry(0o100644, BLOBS[1])})
    assert trees.find_entry(tree, b"d/a", source) == Entry(0o100644, BLOBS[1])
    assert trees.find_entry(tree, b"d", source).mode == TREE
    for path in (b"x", b"d/x", b"d/a/x"):
        assert trees.find_entry(tree, path, source) is None
    assert trees.find_entry(None, b"d", source) is None


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return new_repo(tmp_path_factory.mktemp("trees") / "repo")


@given(listings.map(without_clashes))
def test_the_id_is_the_one_that_git_gives(store, listing):
    """Sorting and modes included."""
    lines = b"".join(
        b"%o %s\t%s\0" % (one.mode, one.id.encode(), path) for path, one in listing.items()
    )
    (store.path / ".git/index").unlink(missing_ok=True)
    for args, given_lines in (
        (("update-index", "-z", "--index-info"), lines),
        (("write-tree", "--missing-ok"), b""),
    ):
        done = subprocess.run(
            ["git", *args], check=True, cwd=store.path, input=given_lines, capture_output=True
        )
    assert trees.compose_tree(None, listing, Memory()) == done.stdout.decode().strip()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_trees_are_read_by_git_as_they_are(tmp_path, object_format):
    """Both hashes, odd names, and one process for many."""
    repo = new_repo(tmp_path / "repo")
    if object_format == "sha256":
        subprocess.run(["rm", "-r", repo.path / ".git"], check=True)
        repo.git("init", "--quiet", "--object-format=sha256")
    repo.write({"a\nb": "1", "d/e": "2", "d/é": "3"})
    repo.commit("one")
    source = GitTrees(repo.path, object_format)
    top = repo.git("rev-parse", "HEAD^{tree}")
    folder = repo.git("rev-parse", "HEAD:d")
    raw = source.read([top, folder, top])
    assert set(tree_entries(raw[top], object_format)) == {b"a\nb", b"d"}
    assert set(tree_entries(raw[folder], object_format)) == {b"e", "é".encode()}
    assert source.read([]) == {}
    assert {path for path, _ in trees.walk_files(top, source)} == {b"a\nb", b"d/e", "d/é".encode()}


@pytest.mark.parametrize("kind", ["git", "libgit2"])
def test_a_tree_that_is_not_there_is_named(repo, kind):
    """A partial clone may lack it; so may a shallow one."""
    repo.write({"a": "1"})
    commit = repo.commit("one")
    source = (
        GitTrees(repo.path, "sha1") if kind == "git" else Libgit2Trees(pygit2.Repository(repo.path))
    )
    with pytest.raises(GitError, match="1234567"):
        source.read(["1234567" * 5 + "12345"])
    with pytest.raises(GitError, match=commit):
        source.read([commit])
