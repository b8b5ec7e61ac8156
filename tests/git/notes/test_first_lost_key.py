"""What an older notes tree has and a newer one lacks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.notes import bare_notes, blob, key, sweep_id, text_line

from wt_git.git.notes.lines import line_hash
from wt_git.git.notes.store import first_lost_key
from wt_git.git.notes.tree import PRUNED, write_tree
from wt_git.git.notes.union import NoteEdits, apply_edits, union_trees

LINES = [b"a", b"b", b"c"]
notes_of_a_tree = st.dictionaries(
    st.integers(0, 1),
    st.dictionaries(st.integers(0, 1), st.lists(st.sampled_from(LINES), min_size=1)),
)
sides = st.tuples(notes_of_a_tree, st.sets(st.sampled_from(LINES), max_size=1))


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return bare_notes(tmp_path_factory.mktemp("notes") / "n.git").repository


def tree_with(repository, side):
    """The notes tree with these lines, by tree and sweep, after these were pruned."""
    held, pruned = side
    records = {
        key(tree): {sweep_id(sweep): lines for sweep, lines in of.items()}
        for tree, of in held.items()
    }
    edits = NoteEdits(records=records, pruned={line_hash(line) for line in pruned})
    return apply_edits(repository, write_tree(repository, {}).id, edits)


@given(old=sides, new=sides)
def test_a_union_lacks_nothing_and_anything_else_is_told(repository, old, new):
    """As the lines themselves say it: which are there, and which are pruned."""
    before, after = tree_with(repository, old), tree_with(repository, new)
    assert first_lost_key(repository, before, union_trees(repository, before, after)) is None
    assert first_lost_key(repository, before, before) is None
    left = {
        (tree, sweep, line)
        for tree, of in old[0].items()
        for sweep, lines in of.items()
        for line in lines
        if line not in old[1] | new[1] and line not in new[0].get(tree, {}).get(sweep, [])
    }
    found = first_lost_key(repository, before, after)
    if not old[1] <= new[1]:
        assert found == PRUNED
    else:
        assert found in ({key(tree) for tree, _, _ in left} or {None})


def test_another_spelling_of_a_path_is_no_loss(repository):
    """Git itself may split the paths of notes otherwise."""
    before = tree_with(repository, ({1: {1: [b"a"]}}, set()))
    entry = blob(repository, b"a\n")
    flat = write_tree(repository, {f"{key(1)}/{sweep_id(1)}": entry}).id
    assert first_lost_key(repository, before, flat) is None
    assert first_lost_key(repository, flat, before) is None


def test_text_is_no_loss(repository):
    """It is made from the records, and can be made again."""
    edits = NoteEdits(texts={key(1): [text_line(1).encode()]})
    before = apply_edits(repository, write_tree(repository, {}).id, edits)
    assert first_lost_key(repository, before, write_tree(repository, {}).id) is None
