"""A note is a set of lines: the rules of its union, on generated lines."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.notes import RECORD_LINES, TEXT_LINES, subsets

from wt_git.git.notes.lines import (
    TEXT_LINE_LIMIT,
    inert_line,
    line_hash,
    line_sweep,
    parse_hashes,
    split_lines,
    union_hashes,
    union_records,
    union_text,
)

HASHES = [line_hash(line) for line in (*RECORD_LINES, *map(line_sweep, TEXT_LINES))]

record_blobs = st.one_of(st.binary(max_size=60), subsets(RECORD_LINES).map(b"\n".join))
text_blobs = st.one_of(st.binary(max_size=60), subsets(TEXT_LINES).map(b"\r\n".join))
hash_blobs = st.one_of(
    st.binary(max_size=60), subsets(HASHES).map(lambda found: "\n".join(found).encode())
)
UNIONS = [
    pytest.param(union_records, record_blobs, id="records"),
    pytest.param(union_text, text_blobs, id="text"),
    pytest.param(union_hashes, hash_blobs, id="hashes"),
]


@pytest.mark.parametrize(("union", "blobs"), UNIONS)
@given(data=st.data())
def test_a_union_is_the_same_in_any_order_and_grouping_and_when_repeated(union, blobs, data):
    """Any number of people may merge in any order, as often as they like."""
    a, b, c = (data.draw(blobs) for _ in range(3))
    whole = union([a, b, c])
    assert union([c, a, b]) == whole
    assert union([union([a, b]), c]) == whole
    assert union([a, union([b, c])]) == whole
    assert union([whole, b, whole]) == whole


@given(record_blobs, record_blobs)
def test_records_are_kept_byte_for_byte_each_once_and_sorted(a, b):
    """A line's hash is what ties it to the runs directory, so nothing about it may change."""
    lines = split_lines(union_records([a, b]))
    assert lines == sorted({*split_lines(a), *split_lines(b)})


def test_lines_end_at_lf_only_and_blank_ones_go():
    """A Unicode line separator inside a question is part of the line."""
    blob = b'{"q":"a\xe2\x80\xa8b\x85"}\r\n\n  \n{"z":1}'
    assert split_lines(blob) == [b'{"q":"a\xe2\x80\xa8b\x85"}', b'{"z":1}']


def test_of_two_texts_about_one_sweep_the_greatest_stays():
    """Text is a cache: a later telling replaces an earlier one, on every machine alike."""
    earlier, later, _, own = TEXT_LINES
    assert union_text([later, earlier]) == later + b"\n"
    assert split_lines(union_text([later, own, earlier])) == [later, own]


@given(st.binary(max_size=900))
@example(b"\xc2\x85\xe2\x80\xae" * 200)
@example(b"x" * 2000)
def test_a_text_line_is_inert_and_stays_as_it_is(raw):
    """Whoever reads `git log` must not meet another person's escape sequences."""
    line = inert_line(raw.replace(b"\n", b" "))
    text = line.decode()
    assert text.isprintable() or not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text)
    assert len(text) <= TEXT_LINE_LIMIT
    assert inert_line(line) == line


@given(subsets(RECORD_LINES), subsets(RECORD_LINES), subsets(RECORD_LINES))
def test_a_pruned_record_is_gone_whoever_brings_it(a, b, pruned):
    """Pruning before or after a union gives the same."""
    hashes = {line_hash(line) for line in pruned}
    left = {*a, *b} - set(pruned)
    blobs = [b"\n".join(a), b"\n".join(b)]
    assert set(split_lines(union_records(blobs, hashes))) == left
    assert union_records([union_records([blobs[0]], hashes), blobs[1]], hashes) == union_records(
        blobs, hashes
    )


@given(st.permutations(TEXT_LINES), st.sampled_from(TEXT_LINES))
def test_a_pruned_sweep_has_no_text_not_even_a_lesser_one(lines, about):
    """The greater line must not have hidden one that then comes back."""
    hashes = {line_hash(line_sweep(about))}
    one_by_one = b""
    for line in lines:
        one_by_one = union_text([one_by_one, line], hashes)
    subject = line_sweep(inert_line(about))
    assert one_by_one == union_text(lines, hashes)
    assert subject not in {line_sweep(line) for line in split_lines(one_by_one)}


def test_what_is_no_hash_is_not_pruned():
    """A file that anybody can push to cannot hold anything but hashes."""
    found = hashlib.sha256(b"x").hexdigest()
    blob = f"{found}\nnot a hash\n{found.upper()}\n{found[:-1]}\n".encode()
    assert union_hashes([blob]) == f"{found}\n".encode()
    assert parse_hashes(blob) == {found}
