"""docs/messages.md has an entry for every error, and what it quotes is what the program says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from kit.documents import parse

from wt_git.runner.run import RESERVED_WARNINGS

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs" / "messages.md"
MESSAGES = PAGE.read_text("utf-8")
SOURCES = sorted((PROJECT / "wt_git").rglob("*.py"))
CODE = re.compile(r"[a-z]+(-[a-z]+)*")
# Headings that stand for a verdict or a text without a code of its own.
_ENTRY = re.compile(r"^### (?P<title>.+)\n(?P<body>(?:(?!^##).*\n)*)", re.MULTILINE)
ENTRIES = {entry["title"]: entry["body"] for entry in _ENTRY.finditer(MESSAGES)}
TELLING = 8
"""A shorter piece of text stands in too many messages to tell one."""
SAID = 0.3
"""At least so much of a quoted message is the program's and not an example's."""


def as_pattern(node: ast.expr) -> str | None:
    """A string of the source as a pattern: what is filled in may be anything."""
    match node:
        case ast.Constant(value=str()):
            return re.escape(node.value)
        case ast.JoinedStr():
            parts = [
                re.escape(part.value) if isinstance(part, ast.Constant) else ".*"
                for part in node.values
            ]
            return "".join(parts)
        case _:
            return None


def codes() -> set[str]:
    """Every code of an error in the package, as a pattern."""
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            value = None
            match node:
                case ast.keyword(arg="code"):
                    value = node.value
                case ast.AnnAssign(target=ast.Name(id="code")):
                    value = node.value
                case ast.Assign(targets=[ast.Name(id="code")]):
                    value = node.value
            pattern = None if value is None else as_pattern(value)
            if pattern:
                found.add(pattern)
    return found


CODES = sorted(codes())


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_an_entry(code):
    """Whoever meets an error finds it by its code."""
    assert [title for title in ENTRIES if re.fullmatch(code, title)] != []


OURS = {
    "UsageError",
    "LoadError",
    "ConfigurationError",
    "BusyError",
    "StorageError",
    "GitError",
    "GateRefusedError",
    "RuntimeFailureError",
    "SchedulerError",
}
SPECIFIC = {"BusyError", "SchedulerError"}
"""Classes whose own code says what happened."""
OF_A_SWEEP = [
    *(
        p
        for part in ("ladder", "runner", "sweep", "plugins", "replay", "rescore")
        for p in (PROJECT / "wt_git" / part).rglob("*.py")
    ),
    *(
        PROJECT / "wt_git" / name
        for name in (
            "config.py",
            "toml_table.py",
            "cli/run/output_file.py",
            "evidence/fingerprint.py",
            "evidence/written_paths.py",
            "git/process.py",
            "records/ledger/ledger.py",
            "records/runs_dir.py",
        )
    ),
]


@pytest.mark.parametrize("path", OF_A_SWEEP, ids=lambda path: path.stem)
def test_what_can_end_a_sweep_is_made_for_programs_too(path):
    """A code that says what happened, and facts by name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OURS:
            given = {one.arg for one in node.keywords}
            assert "facts" in given, ast.unparse(node)
            assert "code" in given or node.func.id in SPECIFIC, ast.unparse(node)


def test_every_entry_with_a_code_belongs_to_an_error():
    """An error that is gone takes its entry along."""
    coded = [title for title in ENTRIES if "-" in title or title in {"usage", "busy", "git"}]
    unknown = [title for title in coded if not any(re.fullmatch(code, title) for code in CODES)]
    assert len(coded) > 15
    assert unknown == []


@pytest.mark.parametrize("title", ENTRIES)
def test_an_entry_says_why_and_what_to_do(title):
    """Knowing what it means is not enough for somebody who is stuck."""
    body = ENTRIES[title]
    assert "**Why.** " in body
    assert "**Do.** " in body


def literals() -> frozenset[str]:
    """Every piece of text of the package that is written out and not filled in."""
    return frozenset(
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if len(node.value) >= TELLING
    )


@pytest.fixture(scope="module")
def pieces() -> frozenset[str]:
    return literals()


def share_said(quote: str, pieces: frozenset[str]) -> float:
    """The share of `quote` that is written out in the package."""
    said = [False] * len(quote)
    for piece in (piece for piece in pieces if piece in quote):
        for found in re.finditer(re.escape(piece), quote):
            said[found.start() : found.end()] = [True] * len(piece)
    return sum(said) / len(quote)


QUOTES = [
    *(block.text for block in parse("docs/messages.md", MESSAGES).blocks),
    *re.findall(r"`((?:note|warning): [^`]+)`", MESSAGES),
]


@pytest.mark.parametrize("quote", QUOTES)
def test_what_the_page_quotes_is_a_text_of_the_program(quote, pieces):
    """A reader searches the page for what is on the screen; a changed message changes the page.

    The rest of a quote are names and causes, which are examples.
    """
    assert share_said(quote.replace("…", "..."), pieces) > SAID


@pytest.mark.parametrize(
    "quote",
    ["there is no runtime that is called 'http_injekt'", "runtime 'x' has never been made: why"],
)
def test_what_the_program_does_not_say_is_noticed(quote, pieces):
    """The words alone may occur in it."""
    assert share_said(quote, pieces) < SAID


def test_every_marker_of_a_trace_is_explained():
    """The warnings that decide how a run is scored stand in docs/files.md."""
    page = (PROJECT / "docs" / "files.md").read_text("utf-8")
    assert [marker for marker in RESERVED_WARNINGS if f"| `{marker}` |" not in page] == []


def test_codes_are_lower_case_words():
    """They are for programs: stable, and the same in every language."""
    plain = [code.replace("\\-", "-") for code in CODES if ".*" not in code]
    assert [code for code in plain if not CODE.fullmatch(code)] == []
