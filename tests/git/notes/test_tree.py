"""Notes trees of every size are read alike by git and by us, whoever wrote them."""

from __future__ import annotations

import os
import subprocess

import pytest
from kit.notes import (
    FILE,
    FOLDER,
    bare_notes,
    blob,
    commit_tree,
    content_of,
    key,
    opened,
    shown_by_git,
    spelt,
    sweep_id,
    text_line,
    tree_of,
)
from kit.repo import git, new_repo

from wt_git.git.notes.commit import Transaction
from wt_git.git.notes.lines import line_hash
from wt_git.git.notes.store import NOTES_REF, tracking_ref
from wt_git.git.notes.tree import PRUNED, write_tree
from wt_git.git.trees import Entry

MANY = pytest.param(70_000, marks=pytest.mark.thorough)
SIZES = [0, 1, 255, 256, "crowded", MANY]
REAL = 5
"""So many of the keys are commits, whose notes `git log` is asked to show."""


def commits(folder, count):
    repo = new_repo(folder)
    return repo, [repo.commit(f"number {n}") for n in range(count)]


def crowded(prefix):
    """Keys with `prefix` of which two share each next digit: then git splits them once more."""
    keys = [key((prefix, n)) for n in range(32)]
    return [f"{prefix}{n // 2:x}{one[len(prefix) + 1 :]}" for n, one in enumerate(keys)]


def keys_of(size):
    """So many keys; "crowded" are a hundred that git splits in one, two and three places."""
    if size == "crowded":
        return [one for prefix in ("", "ab", "abcd") for one in crowded(prefix)]
    return [key(n) for n in range(size)]


def listed_by_git(folder, ref):
    """What `git notes list` finds: the id of the note by key. It reads below refs/notes only."""
    git(folder, "update-ref", "refs/notes/copy", ref)
    lines = git(folder, "notes", "--ref=copy", "list").splitlines()
    return {key: blob for blob, key in (line.split(" ") for line in lines)}


@pytest.mark.parametrize("size", SIZES)
def test_git_reads_what_we_wrote(tmp_path, size):
    """Every text is found by git under its commit; the records beside them are no notes to it."""
    others = keys_of(size)
    repo, real = commits(tmp_path / "r", min(REAL, len(others)))
    keys = [*real, *others[len(real) :]]
    notes = opened(repo.path)
    with notes.transaction("fill") as tx:
        for n, one in enumerate(keys):
            tx.add_text(one, [text_line(n)])
            if n < 1000:
                tx.add(key(("tree", n)), sweep_id(n), [b'{"n":%d}' % n])
    if not keys:
        assert tx.changed is False
        assert notes.tip() is None
        return
    assert set(listed_by_git(repo.path, NOTES_REF)) == set(keys)
    assert shown_by_git(repo.path, real) == {one: [text_line(n)] for n, one in enumerate(real)}
    view = notes.view()
    assert set(view.text_keys()) == set(keys)
    assert set(view.record_keys()) == {key(("tree", n)) for n in range(min(len(keys), 1000))}
    assert view.text(keys[-1]) == (text_line(len(keys) - 1),)


@pytest.mark.parametrize("size", SIZES)
def test_we_read_what_git_wrote(tmp_path, size):
    """Git splits its paths by how many notes there are; each way is found, and added to."""
    repo, [real] = commits(tmp_path / "r", 1)
    ref = "refs/notes/windtunnel"
    keys = keys_of(size)
    if keys:
        repository = opened(repo.path).repository
        texts = {one: blob(repository, f"{text_line(n)}\n".encode()) for n, one in enumerate(keys)}
        commit_tree(repository, write_tree(repository, texts).id, ref)
        # Git writes the flat tree anew, its own way, when it adds one.
        repo.git("notes", "--ref=windtunnel", "add", "-m", text_line("git"), real)
        keys.append(real)
    notes = opened(repo.path, ref=ref)
    view = notes.view()
    assert set(view.text_keys()) == set(keys)
    assert all(view.text(one) == (text_line(n),) for n, one in enumerate(keys[:-1][:300]))
    with notes.transaction("add") as tx:
        tx.add_text(real, [text_line("more", second=9)])
        tx.add_text(key("new"), [text_line("new")])
        tx.add(key("tree"), sweep_id("x"), [b"{}"])
    assert set(listed_by_git(repo.path, ref)) == {*keys, real, key("new")}
    lines = [*([text_line("git")] if real in keys else []), text_line("more", second=9)]
    assert repo.git("notes", "--ref=windtunnel", "show", real).splitlines() == lines
    assert list(notes.view().text(real)) == lines


@pytest.mark.parametrize(
    ("size", "slashes"),
    [
        (300, {1}),
        ("crowded", {1, 2, 3}),
        pytest.param(70_000, {2}, marks=pytest.mark.thorough),
    ],
)
def test_git_splits_its_paths_in_more_ways_than_one(tmp_path, size, slashes):
    """What the test above relies on."""
    repo, [real] = commits(tmp_path / "r", 1)
    repository = opened(repo.path).repository
    note = blob(repository, b"x\n")
    flat = write_tree(repository, dict.fromkeys(keys_of(size), note)).id
    commit_tree(repository, flat, "refs/notes/windtunnel")
    repo.git("notes", "--ref=windtunnel", "add", "-m", "x", real)
    paths = repo.git("ls-tree", "-r", "--name-only", "refs/notes/windtunnel").splitlines()
    assert {path.count("/") for path in paths} == slashes


def test_a_mixed_tree_is_read_as_one_and_written_one_way(tmp_path):
    """Keys under other spellings, and what is no note, survive; what is touched moves to ours."""
    repo, real = commits(tmp_path / "r", 3)
    notes = opened(repo.path)
    flat, split, deep = (spelt(one, way) for way, one in enumerate(real))
    files = {
        flat: text_line(0),
        split: text_line(1),
        deep: text_line(2),
        spelt(real[2], 1): text_line("also"),
        "README": "whose this is",
        f"{real[0][:2]}/odd": "somebody's",
    }
    encoded = {path: f"{content}\n".encode() for path, content in files.items()}
    commit_tree(notes.repository, tree_of(notes.repository, encoded))
    assert [notes.view().text(one) for one in real[:2]] == [(text_line(0),), (text_line(1),)]
    assert set(notes.view().text(real[2])) == {text_line(2), text_line("also")}
    with notes.transaction("touch") as tx:
        for one in real:
            tx.add_text(one, [text_line("new", second=9)])
    tree = str(notes.repository[notes.tip()].tree_id)
    assert set(content_of(notes.repository, tree)) == {
        *(spelt(one, 1) for one in real),
        "README",
        f"{real[0][:2]}/odd",
    }
    assert [len(lines) for lines in shown_by_git(repo.path, real).values()] == [2, 2, 3]


def test_git_shows_a_ref_that_was_only_fetched_under_no_commit(tmp_path):
    """Readers of ours see fetched notes at once; git sees them once they are folded in."""
    repo, [real] = commits(tmp_path / "r", 1)
    repo.git("remote", "add", "origin", "../nowhere")
    notes = opened(repo.path)
    there = tree_of(notes.repository, {spelt(real, 1): f"{text_line(1)}\n".encode()})
    commit_tree(notes.repository, there, tracking_ref("origin"))
    assert notes.view().text(real) == (text_line(1),)
    assert notes.live_view().text(real) == ()
    assert bool(notes.live_view()) is False


def test_names_of_any_bytes_are_kept(tmp_path):
    """A tree may hold names that are not UTF-8; they are somebody's, and stay."""
    notes = bare_notes(tmp_path / "r.git")
    odd = os.fsdecode(b"caf\xe9")
    commit_tree(notes.repository, tree_of(notes.repository, {odd: b"x"}))
    with notes.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b"{}"])
        tx.prune([line_hash(b"other")])
    names = subprocess.run(
        ["git", "ls-tree", "-z", "--name-only", NOTES_REF],
        check=True,
        cwd=tmp_path / "r.git",
        capture_output=True,
    ).stdout.split(b"\0")
    assert os.fsencode(odd) in names


@pytest.mark.parametrize("mode", [0o120000, 0o160000, FILE, FOLDER])
def test_what_stands_where_a_note_belongs_cannot_stop_us(tmp_path, mode):
    """A submodule, a link, a file for a folder and the other way round, under every name of ours."""
    notes = bare_notes(tmp_path / "r.git")
    repository = notes.repository
    one = key(1)
    odd = Entry(
        mode,
        {FILE: blob(repository, b"\xff").id, FOLDER: tree_of(repository, {})}.get(mode, "1" * 40),
    )
    for paths in (
        [PRUNED, "README"],
        [one[:2]],
        [one],
        [f"{one[:2]}/{one[2:]}", f"{one[:2]}/{one[2:4]}"],
        [f"{one[:2]}/{one[2:]}/{sweep_id(1)}"],
    ):
        commit_tree(repository, write_tree(repository, dict.fromkeys(paths, odd)).id)
        theirs = notes.tip()
        assert notes.view().sweeps(one).get(sweep_id(1), ()) in {(), (b"\xff",)}
        assert notes.view().pruned == frozenset()
        with notes.transaction("add") as tx:
            tx.add(one, sweep_id(1), [b"{}"])
        assert b"{}" in notes.view().sweeps(one)[sweep_id(1)]
        git(notes.folder, "update-ref", "-d", NOTES_REF)
        with notes.transaction("ours") as tx:
            tx.add(one, sweep_id(1), [b"{}"])
        with notes.transaction("unite") as tx:
            tx.merge(theirs)
        assert b"{}" in notes.view().sweeps(one)[sweep_id(1)]


def test_a_key_is_an_object_id_and_a_name_has_no_path():
    """A caller's mistake is refused before anything is written."""
    tx = Transaction()
    for wrong in ("", "abc", "g" * 40, "A" * 40, f"{'0' * 38}/x"):
        with pytest.raises(ValueError, match="40 digits"):
            tx.add(wrong, "name", [])
    for wrong in ("", "a/b", "..", ".git"):
        with pytest.raises(ValueError, match="named"):
            tx.add("0" * 40, wrong, [])
