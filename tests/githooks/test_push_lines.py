"""What git writes to pre-push and pre-receive is read as git writes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.githooks.push_lines import (
    PushedRef,
    from_framework,
    from_pre_push,
    from_pre_receive,
)

A, B = "a" * 40, "b" * 40
ZERO = "0" * 40

ids = st.one_of(st.none(), st.text("0123456789abcdef", min_size=40, max_size=40))
ids = ids.filter(lambda one: one is None or one.strip("0"))
refs = st.from_regex(r"\Arefs/[!-~]{1,20}\Z")
sources = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)


def written(one: str | None, digits: int = 40) -> str:
    return one or "0" * digits


@given(st.lists(st.builds(PushedRef, sources, ids, refs, ids)), st.sampled_from([40, 64]))
def test_every_line_comes_back(pushed, digits):
    """Whatever was typed before the ids, spaces included; zeros of both lengths mean "none"."""
    lines = "".join(
        f"{one.source} {written(one.new, digits)} {one.ref} {written(one.old, digits)}\n"
        for one in pushed
    )
    assert from_pre_push(lines.encode()) == pushed


@given(st.lists(st.builds(PushedRef, st.just(""), ids, refs, ids)))
def test_every_received_line_comes_back(pushed):
    """Old id, new id, ref."""
    lines = "".join(f"{written(one.old)} {written(one.new)} {one.ref}\n" for one in pushed)
    assert from_pre_receive(lines.encode()) == pushed


@pytest.mark.parametrize(
    ("line", "branch", "updates"),
    [
        (f"refs/heads/main {A} refs/heads/main {B}", "main", True),
        (f"refs/heads/main {A} refs/heads/main {ZERO}", "main", True),
        (f"HEAD~1 {A} refs/heads/a/b {B}", "a/b", True),
        (f"HEAD@{{1 day ago}} {A} refs/heads/x {B}", "x", True),
        (f"{A} {A} refs/heads/x {ZERO}", "x", True),
        (f"(delete) {ZERO} refs/heads/x {B}", "x", False),
        (f"(delete) {'0' * 64} refs/heads/x {'b' * 64}", "x", False),
        (f"refs/tags/v1 {A} refs/tags/v1 {ZERO}", None, False),
        (f"refs/windtunnel/notes {A} refs/windtunnel/notes {B}", None, False),
        (f"HEAD {A} refs/for/main {ZERO}", None, False),
    ],
)
def test_which_lines_update_a_branch(line, branch, updates):
    """Neither tags nor deletions nor notes need evidence."""
    (one,) = from_pre_push(f"{line}\n".encode())
    assert (one.branch, one.updates_a_branch) == (branch, updates)


def test_nothing_to_push_is_no_line():
    """Git runs the hook all the same."""
    assert from_pre_push(b"") == from_pre_push(b"\n") == from_pre_receive(b"") == []


@pytest.mark.parametrize("line", [b"x", b"x y", b"refs/heads/main abc refs/heads/main"])
def test_a_line_of_another_form_is_an_error(line):
    """It must not pass for nothing to check."""
    with pytest.raises(ValueError, match="parts"):
        from_pre_push(line)


def test_the_framework_passes_variables():
    """From, to, and the names of both branches."""
    said = {
        "PRE_COMMIT_FROM_REF": B,
        "PRE_COMMIT_TO_REF": A,
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/x",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/y",
    }
    assert from_framework(said) == [PushedRef("refs/heads/x", A, "refs/heads/y", B)]


def test_the_framework_passes_no_ids_for_a_root_commit():
    """The local branch is what is pushed then; that is never "nothing to check"."""
    said = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/x", "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/y"}
    assert from_framework(said) == [PushedRef("refs/heads/x", "refs/heads/x", "refs/heads/y", None)]
    assert from_framework({}) == []
