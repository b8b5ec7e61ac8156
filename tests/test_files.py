"""Durable writes, and reading files that may be anything."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git import files

if TYPE_CHECKING:
    from collections.abc import Callable

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=20,
)
records = st.dictionaries(st.text(st.characters()), json_values)


@given(records)
def test_a_record_is_one_line_for_every_reader(record: dict[str, object]) -> None:
    """No text in it can end a line early, and it comes back as it was."""
    line = files.json_line(record)
    assert len(line.splitlines()) == 1
    line.encode()
    assert json.loads(line) == record


@pytest.mark.parametrize(("make", "why"), [(os.mkfifo, "not a regular file"), (os.mkdir, "folder")])
def test_what_is_no_file_is_refused_at_once(make: Callable[[str], None], why: str) -> None:
    """Nobody waits for the other end of a pipe."""
    make("odd")
    path = Path("odd")
    for read in (files.read_regular, lambda it: [*files.read_lines(it)],
                 lambda it: [*files.read_lines_backwards(it)]):  # fmt: skip
        with pytest.raises(OSError, match=why) as caught:
            read(path)
        assert caught.value.filename == "odd"
    with pytest.raises(FileNotFoundError):
        files.read_regular("absent")


@given(json_values)
def test_a_document_comes_back_as_it_was(value: object) -> None:
    """Two-space JSON with real Unicode, encodable whatever an agent wrote."""
    text = files.json_document(value)
    text.encode()
    assert json.loads(text) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    """Readers in other languages would choke on it."""
    with pytest.raises((ValueError, TypeError)):
        files.json_document({"a": value})
    with pytest.raises((ValueError, TypeError)):
        files.json_line({"a": value})


def test_a_whole_file_replaces_the_old_one_and_leaves_no_other() -> None:
    """A reader sees the old text or the new one."""
    files.write_whole("x.json", "old")
    files.write_whole("x.json", "ne\u00fc", durable=True)
    assert Path("x.json").read_bytes() == "ne\u00fc".encode()
    assert [path.name for path in Path().iterdir()] == ["x.json"]


def test_a_failed_write_changes_nothing() -> None:
    """The target keeps its text and no temporary file stays."""
    Path("folder.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        files.write_whole("folder.json", "text")
    assert [path.name for path in Path().iterdir()] == ["folder.json"]
    with pytest.raises(FileNotFoundError):
        files.write_whole("absent/x.json", "text")


def test_a_stream_becomes_a_file_when_it_ends() -> None:
    """What is too long for memory is written bit by bit, and appears as a whole."""
    files.write_whole("x.html", "old")
    with files.writing_whole("x.html") as stream:
        for part in ("ne\u00fc\n", "half a pair: \ud83d"):
            stream.write(part)
            assert Path("x.html").read_text() == "old"
    assert Path("x.html").read_bytes() == "ne\u00fc\nhalf a pair: \\ud83d".encode()
    assert [path.name for path in Path().iterdir()] == ["x.html"]


def test_a_stream_that_fails_changes_nothing() -> None:
    """Whoever writes it may fail at any time, and so may the target."""

    def half_a_page() -> None:
        with files.writing_whole("x.html") as stream:
            stream.write("half a page")
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        half_a_page()
    assert list(Path().iterdir()) == []
    Path("folder").mkdir()
    with pytest.raises(OSError, match="directory"), files.writing_whole("folder") as stream:
        stream.write("text")
    with pytest.raises(FileNotFoundError), files.writing_whole("absent/x"):
        pytest.fail("there is nothing to write to")
    assert [path.name for path in Path().iterdir()] == ["folder"]


def test_readers_never_see_half_a_file() -> None:
    """While one thread rewrites a file, another only ever reads whole versions of it."""
    versions = {character * 200_000 for character in "ab"}
    files.write_whole("x", "a" * 200_000)
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            for text in versions:
                files.write_whole("x", text)

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(200):
            assert Path("x").read_text() in versions
    finally:
        stop.set()
        thread.join()


def test_many_processes_append_whole_lines() -> None:
    """Nothing is interleaved and nothing is lost."""
    children = []
    for name in range(6):
        pid = os.fork()
        if pid == 0:
            for number in range(200):
                line = files.json_line({"name": name, "number": number, "pad": "x" * 5000})
                files.append_line("log", line, durable=False)
            os._exit(0)
        children.append(pid)
    for pid in children:
        assert os.waitpid(pid, 0)[1] == 0
    seen = [(line.record["name"], line.record["number"]) for line in files.read_lines(Path("log"))]
    assert sorted(seen) == [(name, number) for name in range(6) for number in range(200)]


def test_a_file_held_open_is_shared_with_those_who_are_not() -> None:
    """Lines of both arrive whole, a torn one in between stays alone, and closing frees it."""
    held = files.LineFile("log")
    held.append('{"n": 0}')
    files.append_line("log", '{"n": 1}', durable=False)
    with Path("log").open("a") as stream:
        stream.write("torn")
    held.append('{"n": 2}')
    held.close()
    held.append('{"n": 3}')
    held.close()
    assert [line.record["n"] for line in files.read_lines(Path("log"))] == [0, 1, 2, 3]


def test_a_line_that_does_not_fit_is_taken_back() -> None:
    """On a full disk the file keeps its last whole line."""
    with pytest.raises(OSError, match="No space left"):
        files.append_line("/dev/full", "{}", durable=False)


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(40, 255))
def test_a_short_name_fits_and_stays_itself_where_it_can(name: str, most: int) -> None:
    """Only what no folder could hold is cut, and then it is told apart."""
    short = files.short_name(name, most)
    assert len(short.encode()) <= most
    assert (short == name) == (len(name.encode()) <= most)
    if short != name:
        assert short != files.short_name(name + "x", most)
        assert name.startswith(short[:-17])


@pytest.mark.parametrize("name", ["漢" * 85, "x" * 255, "😀" * 63])
def test_a_file_of_the_longest_name_can_be_written(name: str) -> None:
    """The temporary name beside it must fit as well."""
    files.write_whole(Path(name), "whole")
    assert Path(name).read_text() == "whole"
    assert [path.name for path in Path().iterdir()] == [name]
