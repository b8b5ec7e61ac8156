"""Files are written in one place, so that nothing is ever half-written."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "wt_git"
# `files` writes whole files and whole lines; git keeps scratch copies; the command line has streams;
# lock files hold no data that anything depends on.
WRITERS = (
    "files.py",
    "git",
    "cli",
    "sweep/run_lock/file_locks.py",
    "sweep/run_lock/lock_holder.py",
)
WRITING_METHODS = {"write_text", "write_bytes", "touch"}
OS_WRITES = {"open", "write", "pwrite", "writev", "ftruncate", "truncate"}


def writes(source: str) -> list[int]:
    """The lines of `source` that write a file without asking `files` to."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and _writes(node)
    ]


def _writes(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open" and _is_writing_mode(call, position=1)
    if not isinstance(function, ast.Attribute):
        return False
    if isinstance(function.value, ast.Name) and function.value.id == "os":
        return function.attr in OS_WRITES
    if function.attr == "open":
        return _is_writing_mode(call, position=0)
    return function.attr in WRITING_METHODS


def _is_writing_mode(call: ast.Call, *, position: int) -> bool:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    mode = named[0] if named else dict(enumerate(call.args)).get(position)
    if mode is None:
        return False
    # A mode that is not spelt out is one that the reader cannot judge either.
    return not isinstance(mode, ast.Constant) or bool(set(str(mode.value)) & set("wax+"))


def test_only_the_writers_write():
    """Everything else hands its text to `files`, which renames it into place."""
    violations = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not str(path.relative_to(PACKAGE)).startswith(WRITERS)
        for line in writes(path.read_text("utf-8"))
    ]
    assert violations == []


@pytest.mark.parametrize("writer", [name for name in WRITERS if name.endswith(".py")])
def test_every_exception_is_needed(writer):
    """A writer that does not write any more leaves the list."""
    assert writes((PACKAGE / writer).read_text("utf-8")) != []


@pytest.mark.parametrize(
    "source",
    [
        "path.write_text('x')",
        "path.write_bytes(b'x')",
        "path.touch()",
        "open('f', 'w')",
        "open('f', mode='ab')",
        "open('f', mode)",
        "path.open('x')",
        "path.open(mode='r+')",
        "def f():\n    os.open('f', os.O_RDONLY)",
    ],
)
def test_writing_is_recognised(source):
    """Every way that the standard library offers to open a file for writing."""
    assert len(writes(source)) == 1


@pytest.mark.parametrize(
    "source",
    ["open('f')", "open('f', 'rb')", "path.open()", "path.open('rb')", "stream.write('x')"],
)
def test_reading_is_not_writing(source):
    """Reading is everybody's, and a stream was opened by somebody."""
    assert writes(source) == []
