"""The stand-in for Git LFS gives its pointers, over git's own protocol."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.repo import new_repo

from wt_git.git.snapshot import lfs_pointer
from wt_git.git.snapshot.lfs_pointer import is_pointer, pointer

OID = hashlib.sha256(b"content").hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 7\n".encode()


def test_a_pointer_holds_hash_and_size():
    """Whatever pieces the content comes in."""
    assert pointer([b"con", b"tent"]) == POINTER


@given(st.lists(st.binary(max_size=2000)))
def test_a_pointer_of_a_pointer_is_itself(chunks):
    """And nothing stays nothing."""
    once = pointer(chunks)
    assert pointer([once]) == once
    assert is_pointer(once) == bool(b"".join(chunks))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (POINTER.rstrip(), True),
        (POINTER.replace(b"\n", b"\r\n"), True),
        (POINTER.replace(b"oid", b"ext-0-case sha256:" + OID.encode() + b"\noid"), True),
        (POINTER.replace(b"https://git-lfs.github.com", b"https://hawser.github.com"), True),
        (POINTER + b"more\n", False),
        (POINTER.replace(b"size 7", b"size x"), False),
        (POINTER.replace(b"sha256", b"md5"), False),
        (POINTER + b" " * 1024, False),
        (b"", False),
    ],
)
def test_what_git_lfs_takes_for_a_pointer(content, expected):
    """Old addresses and extensions too; nothing longer."""
    assert is_pointer(content) is expected


def packets(*lines: bytes) -> bytes:
    return b"".join(b"%04x" % (len(line) + 4) + line for line in lines) + b"0000"


def test_the_protocol():
    """Several files, in pieces, and an empty one."""
    source = io.BytesIO(
        packets(b"git-filter-client\n", b"version=2\n")
        + packets(b"capability=clean\n", b"capability=smudge\n", b"capability=delay\n")
        + packets(b"command=clean\n", b"pathname=a\n")
        + packets(b"con", b"tent")
        + packets(b"command=clean\n", b"pathname=b\n")
        + packets()
    )
    sink = io.BytesIO()
    lfs_pointer.serve(source, sink)
    assert sink.getvalue() == (
        packets(b"git-filter-server\n", b"version=2\n")
        + packets(b"capability=clean\n")
        + packets(b"status=success\n")
        + packets(POINTER)
        + packets()
        + packets(b"status=success\n")
        + packets()
        + packets()
    )


def test_git_talks_to_it(tmp_path):
    """Large files, empty ones and many of them, through one process."""
    repo = new_repo(tmp_path / "repo")
    program = Path(lfs_pointer.__file__)
    repo.git("config", "filter.lfs.process", f"'{sys.executable}' -I -S '{program}'")
    repo.git("config", "filter.lfs.required", "true")
    contents = {f"{number}.bin": b"%d" % number * 40000 for number in range(5)} | {"e.bin": b""}
    repo.write({".gitattributes": "*.bin filter=lfs\n", **contents})
    repo.commit("all")
    for name, content in contents.items():
        stored = repo.git("cat-file", "blob", f"HEAD:{name}")
        assert (stored + "\n" if stored else "").encode() == pointer([content])
