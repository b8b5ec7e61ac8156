"""The pages of the documentation as data: headings, links, and blocks that can be executed.

How a page says what to do with a block, in a comment on the line right above it:

    <!-- test: skip: WHY -->    not executed; there should be almost none of these
    <!-- test: thorough -->    executed under `-m thorough` only: slow, and much like another block
    <!-- test: exit 2 -->       the last command of the block ends with this code instead of 0
    <!-- test: raises NAME -->  the Python block raises an exception of this name

`console` blocks hold commands behind `$ `, each with output below it. A page may leave lines out, but
every line that it shows is printed; `...` stands for any text, and alone on a line for lines left out.
`sh` blocks are scripts. A `python` or `toml` block that begins with a comment that is only a file name,
such as `# pack.py`, is written to that file, and so a later command can use it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[2]
EXECUTED = ("console", "sh", "python", "toml")

_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>```+) *(?P<language>[\w-]*)[^`]*")
_DIRECTIVE = re.compile(
    r"<!-- test: (?:skip: (?P<skip>.+)|(?P<thorough>thorough)|exit (?P<exit>\d+)|raises (?P<raises>\w+)) -->"
)
_HEADING = re.compile(r"#+ (?P<text>.*\S)")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_CODE = re.compile(r"`[^`]*`")
_FILE_NAME = re.compile(r"# (?P<name>[\w./-]+\.(?:py|toml))")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: where its fence stands, and what the page says about it."""

    page: str
    line: int
    language: str
    text: str
    skip: str | None = None
    exit: int = 0
    raises: str | None = None
    is_slow: bool = False

    @property
    def where(self) -> str:
        """The place as editors understand it."""
        return f"{self.page}:{self.line}"

    @property
    def file_name(self) -> str | None:
        """The file that the block is, when its first line says so."""
        found = _FILE_NAME.fullmatch(self.text.partition("\n")[0])
        return found["name"] if found else None


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file; `name` is its path below the project."""

    name: str
    blocks: tuple[Block, ...]
    headings: tuple[str, ...]
    links: tuple[str, ...]


def pages() -> list[Page]:
    """Every page of the documentation, the README included."""
    files = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return [read_page(file) for file in files]


def read_page(file: Path) -> Page:
    """Read one page of the project."""
    return parse(str(file.relative_to(PROJECT)), file.read_text("utf-8"))


def parse(name: str, text: str) -> Page:
    """Take a page apart. Raises `ValueError` for a fence that is never closed."""
    blocks: list[Block] = []
    prose: list[str] = []
    above = ""
    lines = iter(enumerate(text.split("\n"), 1))
    for number, line in lines:
        fence = _FENCE.fullmatch(line)
        if fence is None:
            prose.append(line)
        else:
            body = _body(lines, fence, f"{name}:{number}")
            directive = _DIRECTIVE.fullmatch(above.strip())
            said = directive.groupdict() if directive else {}
            blocks.append(
                Block(
                    page=name,
                    line=number,
                    language=fence["language"],
                    text=body,
                    skip=said.get("skip"),
                    exit=int(said.get("exit") or 0),
                    raises=said.get("raises"),
                    is_slow=bool(said.get("thorough")),
                )
            )
        above = line
    headings = tuple(found["text"] for line in prose if (found := _HEADING.fullmatch(line)))
    links = tuple(
        found["target"] for line in prose for found in _LINK.finditer(_CODE.sub("", line))
    )
    return Page(name, tuple(blocks), headings, links)


def _body(lines: Iterator[tuple[int, str]], fence: re.Match[str], where: str) -> str:
    inside: list[str] = []
    for _, line in lines:
        if line.strip().startswith(fence["ticks"]) and not line.strip().strip("`"):
            return "\n".join(inside)
        inside.append(line.removeprefix(fence["indent"]))
    raise ValueError(f"{where}: the block is never closed")


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets on a web page."""
    plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return plain.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a `console` block and the output that the page shows for it."""

    text: str
    expected: tuple[str, ...]


def commands(block: Block) -> list[Command]:
    """Return the commands of a `console` or `sh` block; a script is one command without output."""
    if block.language == "sh":
        return [Command(block.text, ())]
    found: list[tuple[list[str], list[str]]] = []
    continued = False
    for line in block.text.split("\n"):
        if line.startswith("$ "):
            found.append(([line.removeprefix("$ ")], []))
        elif not found:
            raise ValueError(f"{block.where}: a console block begins with '$ '")
        elif continued:
            found[-1][0].append(line.removeprefix("> "))
        else:
            found[-1][1].append(line)
        continued = line.endswith("\\") and not found[-1][1]
    return [Command("\n".join(typed), _without_blank_end(shown)) for typed, shown in found]


def _without_blank_end(lines: list[str]) -> tuple[str, ...]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[:end])


def not_printed(expected: tuple[str, ...], printed: str) -> list[str]:
    """Return the lines of `expected` that `printed` lacks, each printed line counting once.

    The order is not compared: programs that run side by side print as they please.
    """
    left = [line.rstrip() for line in printed.split("\n")]
    missing = []
    for line in expected:
        if line.strip() in {"", "..."}:
            continue
        pattern = re.compile(".*".join(map(re.escape, line.rstrip().split("..."))))
        found = next(
            (at for at, candidate in enumerate(left) if pattern.fullmatch(candidate)), None
        )
        if found is None:
            missing.append(line)
        else:
            del left[found]
    return missing
