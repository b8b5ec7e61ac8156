"""The documentation is executed, and what it and the code point at exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.document_sessions import Reader
from kit.documents import EXECUTED, PROJECT, Block, anchor, commands, not_printed, pages, parse
from kit.generated_docs import PARTS, pages_with_parts, part_names, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGES = {page.name: page for page in pages()}
SOURCES = sorted(
    path
    for folder in ("wt_git", "tests", "docs")
    for path in (PROJECT / folder).rglob("*.py")
    if path != Path(__file__)
)
# A page, then perhaps the sections of it that are meant: docs/x.md, "One" and "Two".
_REFERENCE = re.compile(
    r'(?P<page>docs/[\w/.-]*\w)(?P<sections>(?:,| and)?(?:\s+"[^"]+"(?:\s+and)?)*)'
)
_SECTION = re.compile(r'"([^"]+)"')
_PROJECT_PATH = re.compile(r"`((?:wt_git|tests|docs|\.ci)/[\w./-]+)`")


FOLLOWED = [
    name for name, page in PAGES.items() if any(b.language in EXECUTED for b in page.blocks)
]


@pytest.mark.long
@pytest.mark.parametrize("page", FOLLOWED)
def test_what_a_page_says_happens_when_a_reader_follows_it(page, tmp_path):
    """Every command and every Python block of the page works, in order, and prints what is shown."""
    _follow([block for block in PAGES[page].blocks if not block.is_slow], tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_works_with_programs_that_start_as_for_its_reader(page, tmp_path):
    """All of it: the slow blocks in their place, too, which the suite leaves out."""
    _follow(PAGES[page].blocks, tmp_path, forks=False)


def _follow(blocks: Iterable[Block], tmp_path: Path, *, forks: bool = True) -> None:
    reader = Reader(_new_folder(tmp_path), forks=forks)
    try:
        wrong = [
            problem
            for block in blocks
            if block.language in EXECUTED and block.skip is None
            for problem in reader.follow(block)
        ]
    finally:
        reader.close()
    assert wrong == [], "\n\n".join(wrong)


def _new_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    return folder


def test_hardly_any_block_is_skipped():
    """A block that is not executed rots; each has a reason, and they are counted."""
    skipped = [block.where for page in PAGES.values() for block in page.blocks if block.skip]
    assert len(skipped) <= 6, skipped
    slow = [block.where for page in PAGES.values() for block in page.blocks if block.is_slow]
    assert len(slow) <= 2, slow


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_its_language(page):
    """A block of unknown language would be passed over without anybody noticing."""
    known = {*EXECUTED, "json", "text", "xml"}
    assert [b.where for b in PAGES[page].blocks if b.language not in known] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page):
    """The file exists, and the section of it that the link names."""
    broken = [target for target in PAGES[page].links if not _exists(page, target)]
    assert broken == []


def _exists(page: str, target: str) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True
    path, _, section = target.partition("#")
    file = (PROJECT / page).parent / path if path else PROJECT / page
    if not file.exists():
        return False
    name = str(file.resolve().relative_to(PROJECT))
    return not section or section in {anchor(heading) for heading in PAGES[name].headings}


def references(text: str) -> list[tuple[str, str | None]]:
    """The (page, section) pairs that the text of a source file names; None for no section."""
    found: list[tuple[str, str | None]] = []
    plain = re.sub(r"\s*\n[ #]*", " ", text)
    for reference in _REFERENCE.finditer(plain):
        sections = _SECTION.findall(reference["sections"])
        found += [(reference["page"], section) for section in sections or [None]]
    return found


def test_every_page_and_section_that_the_code_names_exists():
    """Docstrings send their readers to a page and a heading; both are there.

    Tests also have paths such as docs/x.md in the repositories that they make; there only what names
    a section is taken for a reference.
    """
    assert len(SOURCES) > 300
    missing = [
        f"{source}: {page}, {section!r}"
        for source in SOURCES
        for page, section in references(source.read_text("utf-8"))
        if not _is_there(page, section)
        and not (section is None and source.is_relative_to(PROJECT / "tests"))
    ]
    assert missing == []


def _is_there(page: str, section: str | None) -> bool:
    if section is None:
        return (PROJECT / page).exists()
    return page in PAGES and section in PAGES[page].headings


def test_references_are_read_from_docstrings():
    """One section or several, also where a line ends in between."""
    text = 'see docs/a.md, "One"\nand "Two". Also docs/b.md has it; docs/c.md,\n    # "A, b", too'
    assert references(text) == [
        ("docs/a.md", "One"),
        ("docs/a.md", "Two"),
        ("docs/b.md", None),
        ("docs/c.md", "A, b"),
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_of_the_project_that_a_page_names_exists(page):
    """`wt_git/api/scenario.py` in a page is a file that can be opened."""
    text = (PROJECT / page).read_text("utf-8")
    assert [path for path in _PROJECT_PATH.findall(text) if not (PROJECT / path).exists()] == []


def test_every_page_is_listed_in_the_index():
    """Nobody finds a page that docs/README.md does not name."""
    listed = {
        str((PROJECT / "docs" / target).resolve().relative_to(PROJECT))
        for target in PAGES["docs/README.md"].links
        if "://" not in target and target.partition("#")[0].endswith(".md")
    }
    of_docs = {name for name in PAGES if name.startswith("docs/")} - {"docs/README.md"}
    assert {name for name in of_docs if "/examples/" not in name} <= listed


@pytest.mark.parametrize("page", list(pages_with_parts()), ids=lambda path: path.name)
def test_generated_parts_are_what_the_code_says_now(page):
    """After a change: `python tests/kit/generated_docs.py`, and read the difference."""
    text = page.read_text("utf-8")
    assert rewritten(text) == text


def test_every_generated_part_stands_on_a_page():
    """The layer table and the command reference have a place."""
    found = [name for page in pages_with_parts() for name in part_names(page.read_text("utf-8"))]
    assert sorted(found) == sorted(PARTS)


SAMPLE = """\
# One `page`

[link](other.md#there) `[no](link)`

<!-- test: exit 2 -->
```console
$ first \\
> more
out ... put
...

$ second
```
<!-- test: skip: needs the network -->
```sh
curl
```
   ```python
   # pack.py
   x = 1
   ```
"""


def test_a_page_is_taken_apart():
    """Headings, links, blocks, what is said about them, and commands with their output."""
    page = parse("docs/x.md", SAMPLE)
    assert page.headings == ("One `page`",)
    assert page.links == ("other.md#there",)
    console, script, python = page.blocks
    assert (console.language, console.line, console.exit, console.skip) == ("console", 6, 2, None)
    first, second = commands(console)
    assert first.text == "first \\\nmore"
    assert first.expected == ("out ... put", "...")
    assert (second.text, second.expected) == ("second", ())
    assert (script.skip, commands(script)[0].text) == ("needs the network", "curl")
    assert (python.file_name, python.text) == ("pack.py", "# pack.py\nx = 1")
    assert anchor(page.headings[0]) == "one-page"


def test_a_block_without_an_end_is_refused():
    """Else the rest of the page would silently be part of it."""
    with pytest.raises(ValueError, match=r"docs/x\.md:1: the block is never closed"):
        parse("docs/x.md", "```sh\ntrue\n")


@pytest.mark.parametrize(
    ("expected", "printed", "missing"),
    [
        (("a", "b"), "a\nb\n", []),
        (("b", "a"), "a\nb\n", []),
        (("a",), "a\nb\n", []),
        (("a", "a"), "a\nb\n", ["a"]),
        (("a ... c",), "a b c", []),
        (("a", "...", "", "d"), "a\nb\nc\n", ["d"]),
        (("a",), "ab", ["a"]),
        (("a.c",), "abc", ["a.c"]),
    ],
)
def test_every_line_that_is_shown_must_be_printed(expected, printed, missing):
    """In any order, each once; three dots stand for any text, and alone for lines left out."""
    assert not_printed(expected, printed) == missing


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (Block("p", 1, "console", "$ echo hello\nhello"), None),
        (Block("p", 1, "console", "$ echo hello\ngoodbye"), "and not\ngoodbye"),
        (Block("p", 1, "console", "$ false"), "ended with 1, not 0"),
        (Block("p", 1, "console", "$ true\n$ false", exit=1), None),
        (Block("p", 1, "sh", "true\nfalse"), "ended with 1, not 0"),
        (Block("p", 1, "python", "assert 1 == 2"), "AssertionError"),
        (Block("p", 1, "python", "int('x')", raises="ValueError"), None),
        (Block("p", 1, "python", "int('1')", raises="ValueError"), "ended with 0"),
        (Block("p", 1, "python", "import sys; sys.exit(3)"), "SystemExit"),
        (Block("p", 1, "console", "$ exit 3"), "ended with gone"),
        (Block("p", 1, "console", "$ (sleep 0.2; echo up; sleep 60) &\nup\n$ kill %1"), None),
    ],
)
def test_a_reader_notices_what_goes_wrong(block, problem, tmp_path):
    """Output, exit codes and exceptions are all compared with what the page says."""
    reader = Reader(_new_folder(tmp_path))
    try:
        wrong = reader.follow(block)
    finally:
        reader.close()
    assert bool(wrong) == (problem is not None)
    assert problem is None or problem in wrong[0]


def test_blocks_of_a_page_share_names_files_and_variables(tmp_path):
    """A later block uses what an earlier one made, as a reader would."""
    reader = Reader(_new_folder(tmp_path))
    blocks = [
        Block("p", 1, "python", "# made/here.py\nANSWER = 42"),
        Block("p", 5, "python", "assert ANSWER == 42\nimport made.here"),
        Block("p", 9, "console", "$ place=made\n$ tail -n 1 $place/here.py\nANSWER = 42"),
        Block("p", 13, "toml", "# more.toml\n[x]"),
        Block("p", 17, "console", "$ cat more.toml\n# more.toml\n[x]"),
    ]
    try:
        assert [problem for block in blocks for problem in reader.follow(block)] == []
    finally:
        reader.close()
