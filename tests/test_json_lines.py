"""The reader of line files that forgives."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_objects

from wt_git import files


@given(st.lists(json_objects(), max_size=8), st.binary(max_size=30).filter(lambda b: b"{" not in b))
def test_a_broken_line_spoils_only_itself(written: list[dict[str, object]], junk: bytes) -> None:
    """Whatever bytes stand between records, all records are read, and the junk is counted."""
    path = Path("lines.ndjsonl")
    path.unlink(missing_ok=True)
    for index, record in enumerate(written):
        files.append_line(path, files.json_line(record), durable=False)
        if index == 0:
            with path.open("ab") as stream:
                stream.write(junk)
    report = files.LineReport()
    assert [line.record for line in files.read_lines(path, report)] == written
    has_junk = any(part.strip() for part in junk.split(b"\n"))
    assert bool(report.skipped) == bool(written and has_junk)


@given(
    st.lists(st.binary(max_size=20) | st.sampled_from([b'{"a": 1}', b"{}\r", b"", b"{"])),
    st.integers(1, 9),
    st.booleans(),
)
def test_reading_backwards_is_reading_forwards_reversed(
    lines: list[bytes], block: int, ended: bool
) -> None:
    """Whatever the lines, wherever the blocks fall, with or without a last line break."""
    path = Path("lines.ndjsonl")
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended else b""))
    forward, backward = files.LineReport(), files.LineReport()
    expected = list(files.read_lines(path, forward))
    assert list(files.read_lines_backwards(path, backward, block=block)) == expected[::-1]
    assert forward.skipped == backward.skipped


def test_a_missing_file_reads_as_empty() -> None:
    """A directory without history is not an error."""
    assert list(files.read_lines(Path("absent"))) == []
    assert list(files.read_lines_backwards(Path("absent"))) == []


@given(st.lists(st.binary(max_size=20)), st.integers(1, 9))
def test_lines_from_behind_know_where_they_begin(lines: list[bytes], block: int) -> None:
    """Reading on from such an offset reads that line."""
    text = b"\n".join(lines)
    stream = io.BytesIO(text)
    for start, data in files.lines_before(stream, len(text), block=block):
        assert text[start:].split(b"\n")[0].removesuffix(b"\r") == data
        assert start == 0 or text[start - 1 : start] == b"\n"
