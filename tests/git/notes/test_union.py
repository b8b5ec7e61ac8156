"""The union of two notes trees, whichever way their keys are spelt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.notes import (
    FILE,
    KEYS,
    RECORD_LINES,
    SWEEPS,
    TEXT_LINES,
    bare_notes,
    blob,
    commit_tree,
    content_of,
    key,
    opened,
    spelt,
    subsets,
    sweep_id,
    text_line,
    tree_of,
)

from wt_git.errors import GitError
from wt_git.git.notes.lines import line_hash, line_sweep, split_lines
from wt_git.git.notes.store import NotesView
from wt_git.git.notes.tree import write_tree
from wt_git.git.notes.union import NoteEdits, apply_edits, union_trees
from wt_git.git.trees import Entry

RECORD_KEYS, TEXT_KEYS = KEYS[::2], KEYS[1::2]
HASHES = [line_hash(line) for line in (*RECORD_LINES, *map(line_sweep, TEXT_LINES))]
FOREIGN = ["README", "zz/readme", "0a/not-a-key", "ff/12/also-none"]


def joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in sorted(lines))


@st.composite
def trees(draw: st.DrawFn) -> dict[str, bytes]:
    """The files of a notes tree, in one or several spellings, with and without what is foreign."""
    files: dict[str, bytes] = {}
    pruned = draw(subsets(HASHES))
    for one in draw(subsets(KEYS)):
        for spelling in draw(st.lists(st.integers(0, 2), unique=True, min_size=1, max_size=2)):
            path = spelt(one, spelling)
            if one in TEXT_KEYS:
                lines = [
                    line
                    for line in draw(subsets(TEXT_LINES))
                    if line_hash(line_sweep(line)) not in pruned
                ]
                files |= {path: joined(lines)} if lines else {}
                continue
            for name in draw(subsets(SWEEPS)):
                lines = [
                    line for line in draw(subsets(RECORD_LINES)) if line_hash(line) not in pruned
                ]
                files |= {f"{path}/{name}": joined(lines)} if lines else {}
    for path in draw(subsets(FOREIGN)):
        files[path] = draw(st.sampled_from([b"one", b"two"]))
    if pruned:
        files["PRUNED"] = joined([one.encode() for one in pruned])
    return files


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return bare_notes(tmp_path_factory.mktemp("union") / "r.git").repository


def meaning(repository, *roots: str) -> dict[str, object]:
    """What a reader finds, apart from how it is laid out."""
    view = NotesView(repository, roots)
    return {
        **{one: view.records(one) for one in KEYS if view.records(one)},
        **{one: view.text(one) for one in KEYS if view.text(one)},
        "pruned": view.pruned,
    }


@given(trees(), trees(), trees())
def test_the_union_of_trees_is_the_same_in_any_order_and_grouping_and_when_repeated(
    repository, a, b, c
):
    """Not only what they mean: the very same tree, so that two clones end at the same."""
    one, two, three = (tree_of(repository, files) for files in (a, b, c))
    whole = union_trees(repository, union_trees(repository, one, two), three)
    assert content_of(repository, union_trees(repository, one, one)) == content_of(repository, one)
    assert union_trees(repository, one, two) == union_trees(repository, two, one)
    assert union_trees(repository, one, union_trees(repository, two, three)) == whole
    assert union_trees(repository, whole, two) == whole


@given(trees(), trees())
def test_a_union_means_what_a_reader_of_both_saw_before(repository, a, b):
    """Fetched notes are read beside the live ones until they are united; that changes no answer."""
    one, two = tree_of(repository, a), tree_of(repository, b)
    united = union_trees(repository, one, two)
    assert meaning(repository, united) == meaning(repository, one, two)


@given(trees(), trees())
def test_nothing_is_lost_but_what_was_pruned(repository, a, b):
    """Every line of either side is there afterwards, or its hash is."""
    united = content_of(
        repository, union_trees(repository, tree_of(repository, a), tree_of(repository, b))
    )
    kept = {line for content in united.values() for line in split_lines(content)}
    for path, content in (*a.items(), *b.items()):
        if path.rpartition("/")[2] in SWEEPS:
            assert all(
                line in kept or line_hash(line).encode() in kept for line in split_lines(content)
            )


@given(trees(), st.sampled_from(RECORD_KEYS), subsets(RECORD_LINES))
def test_adding_means_the_union_with_what_is_added(repository, files, one, lines):
    """The quick way in and the thorough one agree."""
    tree = tree_of(repository, files)
    edited = apply_edits(repository, tree, NoteEdits(records={one: {SWEEPS[0]: lines}}))
    blob_of_lines = joined(lines)
    added = {f"{spelt(one, 1)}/{SWEEPS[0]}": blob_of_lines} if blob_of_lines else {}
    united = union_trees(repository, tree, tree_of(repository, added))
    assert meaning(repository, edited) == meaning(repository, united)
    assert apply_edits(repository, edited, NoteEdits(records={one: {SWEEPS[0]: lines}})) == edited


@given(trees(), subsets(HASHES))
def test_pruning_takes_lines_out_of_every_spelling(repository, files, hashes):
    """No line with a pruned hash stands anywhere any more, and the hashes are remembered."""
    tree = tree_of(repository, files)
    pruned = content_of(repository, apply_edits(repository, tree, NoteEdits(pruned=set(hashes))))
    for path, content in pruned.items():
        if path.rpartition("/")[2] in SWEEPS:
            assert not {line_hash(line) for line in split_lines(content)} & set(hashes)
    remembered = set(pruned.get("PRUNED", b"").decode().split())
    assert set(hashes) <= remembered


def test_what_is_equal_is_not_read(tmp_path):
    """A merge costs what differs: here the content of equal keys is not even in the repository."""
    notes = bare_notes(tmp_path / "r.git")
    repository = notes.repository
    absent = Entry(FILE, "1" * 40)
    same = {f"ab/{'0' * 38}": absent, f"cd/{'0' * 38}/{sweep_id(1)}": absent}
    new = f"ef/{'0' * 38}/{sweep_id(2)}"
    ours = write_tree(repository, same).id
    theirs = write_tree(repository, {**same, new: blob(repository, b"{}\n")}).id
    assert union_trees(repository, ours, theirs) == theirs


def test_an_object_that_had_to_be_read_and_is_not_here_is_named(tmp_path):
    """A partial clone may have the trees of the notes without their blobs."""
    notes = bare_notes(tmp_path / "r.git")
    absent = Entry(FILE, "1" * 40)
    path = f"ab/{'0' * 38}/{sweep_id(1)}"
    tree = write_tree(notes.repository, {path: absent}).id
    other = tree_of(notes.repository, {path: b"{}\n"})
    with pytest.raises(GitError, match="1111") as caught:
        union_trees(notes.repository, tree, other)
    assert caught.value.specific_code == "notes-incomplete"
    commit_tree(notes.repository, tree)
    with pytest.raises(GitError, match="1111"):
        opened(tmp_path / "r.git").view().records("ab" + "0" * 38)


def test_records_win_over_a_text_under_the_same_key(tmp_path):
    """The text can be made again; a hostile text must not hide evidence."""
    repository = bare_notes(tmp_path / "r.git").repository
    one = key("x")
    records = tree_of(repository, {f"{spelt(one, 1)}/{sweep_id(1)}": b'{"a":1}\n'})
    text = tree_of(repository, {spelt(one, 1): text_line(1).encode()})
    for pair in ((records, text), (text, records)):
        view = NotesView(repository, (union_trees(repository, *pair),))
        assert view.records(one) == {sweep_id(1): (b'{"a":1}',)}
        assert view.text(one) == ()
