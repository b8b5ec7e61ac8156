"""What git says about a working directory is read without losing a byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.errors import GitError
from wt_git.git.snapshot.status import Changed, parse_status
from wt_git.git.trees import Entry

ID, OTHER = "1" * 40, "2" * 40
names = st.binary(min_size=1, max_size=12).filter(
    lambda name: b"\0" not in name and not name.endswith(b"/")
)
modes = st.sampled_from([0, 0o100644, 0o100755, 0o120000, 0o160000])


@given(names, modes, modes, modes, st.sampled_from(["M.", ".M", "MM", "D.", ".D", ".A", "T."]))
def test_a_changed_path(name, base, staged, worktree, states):
    """Spaces, tabs and line breaks are part of a name."""
    line = f"1 {states} N... {base:06o} {staged:06o} {worktree:06o} {ID} {OTHER} ".encode()
    [one] = parse_status(line + name + b"\0").changed
    assert one == Changed(
        name,
        Entry(base, ID) if base else None,
        Entry(staged, OTHER) if staged else None,
        worktree,
        edited=states[1] != ".",
    )


@given(names, modes)
def test_an_unmerged_path_is_what_is_on_disk(name, worktree):
    """Its base is our side."""
    line = f"u UU N... 100644 100755 100644 {worktree:06o} {'3' * 40} {ID} {OTHER} ".encode()
    [one] = parse_status(line + name + b"\0").changed
    ours = Entry(0o100755, ID)
    assert one == Changed(name, ours, ours, worktree, edited=True, unmerged=True)


@given(st.lists(st.tuples(st.sampled_from("?!"), names, st.booleans())))
def test_untracked_nested_and_ignored(items):
    """A trailing slash tells a repository, or an ignored folder."""
    output = b"".join(
        kind.encode() + b" " + name + (b"/" if folder else b"") + b"\0"
        for kind, name, folder in items
    )
    status = parse_status(output)
    assert status.untracked == [n for kind, n, folder in items if kind == "?" and not folder]
    assert status.nested == [n for kind, n, folder in items if kind == "?" and folder]
    assert status.ignored == [
        n + (b"/" if folder else b"") for kind, n, folder in items if kind == "!"
    ]


def test_the_commit_and_headers_of_no_interest():
    """A branch without a commit has none."""
    assert parse_status(b"# branch.oid %b\0# stash 3\0" % ID.encode()).commit == ID
    assert parse_status(b"# branch.oid (initial)\0# branch.head main\0").commit is None


def test_a_line_of_an_unknown_kind_is_an_error():
    """A later git may print more; guessing would give a wrong tree."""
    with pytest.raises(GitError, match="unknown kind"):
        parse_status(b"9 what\0")
