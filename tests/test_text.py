"""Text from agents is inert wherever it is shown."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from wt_git import files
from wt_git.text import (
    json_characters,
    log_line,
    many_lines,
    markdown_code,
    markdown_text,
    one_line,
    shell_word,
    workflow_data,
    workflow_property,
    xml_characters,
)

anything = st.text(st.characters())


@given(anything)
def test_one_line_is_one_line_without_control_characters(text: str) -> None:
    """No escape sequence, line break or direction override survives."""
    safe = one_line(text)
    assert len(safe.splitlines()) <= 1
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in safe)
    assert not set(safe) & set("\u2028\u2029\u202e\u2066")


@given(anything, st.integers(1, 50))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    """A cut text ends in dots where there is room for them."""
    safe = one_line(text, limit)
    assert len(safe) <= max(limit, 3)


@given(anything)
def test_line_breaks_survive_where_lines_are_wanted(text: str) -> None:
    """Only LF breaks a line; each line is inert."""
    assert many_lines(text).split("\n") == [one_line(line) for line in text.split("\n")]


@given(anything)
def test_xml_text_can_be_parsed_back(text: str) -> None:
    """Whatever an agent wrote, the document is well-formed and holds it, odd characters replaced."""
    element = ET.Element("a", {"b": xml_characters(text)})
    element.text = xml_characters(text)
    parsed = ET.fromstring(ET.tostring(element))
    expected = xml_characters(text).replace("\r\n", "\n").replace("\r", "\n")
    assert (parsed.text or "").replace("\r", "\n") == expected


def test_what_is_harmless_stays() -> None:
    """Real Unicode is shown as it is."""
    assert one_line("Grüße, 世界 🎈") == "Grüße, 世界 🎈"
    assert one_line("a\x1b[31mb\n") == "a\\x1b[31mb\\n"


HOSTILE = st.text() | st.sampled_from(["::error::x", " ::x::", "##[error]x", "###vso[x]", "##x[y]"])


@given(HOSTILE)
def test_a_line_of_a_log_is_no_command_of_any_service(text):
    """GitHub looks at the beginning of a line and for `##[` anywhere; others for `##name[`."""
    line = log_line(text)
    assert not line.lstrip().startswith("::")
    assert not re.search(r"##\w*\[", line)
    assert one_line(line) == line


@given(st.text())
def test_a_code_span_of_markdown_ends_where_we_end_it(text):
    """Its fence is longer than any run of backticks within."""
    span = markdown_code(text)
    assert "\n" not in span
    if "`" in span:
        fence = span[: len(span) - len(span.lstrip("`"))]
        inside = span[len(fence) : -len(fence)]
        assert fence not in inside
        assert inside.strip(" ") == one_line(text).strip(" ")


@given(st.recursive(st.text(), st.lists))
def test_a_document_means_the_same_with_its_characters_escaped(value):
    """And a terminal obeys nothing in it."""
    document = files.json_document(value)
    inert = json_characters(document)
    assert json.loads(inert) == value
    assert one_line(inert.replace("\n", "")) == inert.replace("\n", "")


def test_a_document_in_a_log_commands_nobody():
    """GitHub obeys `##[name]` in the middle of a line, and lets it set what a step answers."""
    value = {"##[set-output name=x]y": ["###[error]", "#1 [a]", "::error::"]}
    shown = json_characters(json.dumps(value))
    assert "##[" not in shown
    assert json.loads(shown) == value


def test_half_a_surrogate_pair_can_be_printed():
    """File names bring them along."""
    assert one_line("a\udc80") == r"a\udc80"


@given(st.text())
def test_values_of_a_workflow_command_end_where_we_end_them(text):
    """Neither a line break nor the signs between values are left in one."""
    assert not set(workflow_property(text)) & set("\r\n:,")
    assert not set(workflow_data(text)) & set("\r\n")


@given(anything)
def test_a_shell_word_is_one_word_on_one_line(text: str) -> None:
    """Where a terminal would obey nothing of it, it is quoted as usual."""
    word = shell_word(text)
    assert one_line(word) == word
    if one_line(text) == text:
        assert shlex.split(word) == [text]
    else:
        assert word.startswith("$'")
        assert word.endswith("'")
        assert "'" not in word[2:-1].replace("\\'", "")


MARKUP = st.text(st.sampled_from("\\`*_[]()<>&|~#$!@:-+=.1a \n\u202e{}^\"'"))
JOINER = "\u2060"
PEOPLE = re.compile(r"(?:^|\W)@[a-z0-9]|(?:^|\W)#\d|gh-\d|://|www\.|:[+a-z-]+:", re.IGNORECASE)
"""What GitHub links in the text of a page, whatever its Markdown was."""


def shown_by_markdown(document: str) -> list[tuple[str, str]]:
    """Return what a parser makes of `document`: names and texts of what is shown within lines."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    blocks = parser.parse(document)
    found = [(token.type, "") for token in blocks if token.type not in TABLE]
    found += [("text", "".join(part.content for part in cell.children)) for cell in blocks
              if cell.type == "inline" and {part.type for part in cell.children} <= {"text"}]  # fmt: skip
    return found


TABLE = {
    *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td", "paragraph")
      for end in ("open", "close")),
    "inline",
}  # fmt: skip


@given(MARKUP | anything)
def test_text_of_markdown_is_shown_as_it_is(text: str) -> None:
    """A parser finds one paragraph of plain text, or the three cells that the table has."""
    expected = ("text", one_line(text).strip() or "(empty)")
    safe = markdown_text(text)
    plain = [(name, said.replace(JOINER, "")) for name, said in shown_by_markdown(safe)]
    assert plain == [expected]
    row = shown_by_markdown(f"| a | b |\n| --- | --- |\n| {safe} | {safe} |")
    cells = [(name, said.replace(JOINER, "")) for name, said in row]
    assert cells == [("text", "a"), ("text", "b"), expected, expected]


@given(MARKUP | anything)
def test_text_of_markdown_names_nobody(text: str) -> None:
    """No mention, reference, address or emoji is left for GitHub to find in the finished page."""
    ((_, shown),) = shown_by_markdown(markdown_text(text))
    assert not PEOPLE.search(shown)
    assert not {"<", ">", "|"} & set(markdown_text(text))


def test_text_of_markdown_by_example() -> None:
    """What is harmless stays as people wrote it; a limit is that of what is shown."""
    assert markdown_text("lookup_order 80% 12:30:45 (n=5)") == "lookup_order 80% 12:30:45 (n=5)"
    assert markdown_text("a|b`c`<img src=x>") == r"a&#124;b\`c\`&lt;img src=x&gt;"
    assert markdown_text("@octocat #12 https://x.y") == (
        f"@{JOINER}octocat #{JOINER}12 https:{JOINER}//x.y"
    )
    assert markdown_text("- a\n# b") == r"\- a\\n# b"
    assert markdown_text("*****", 4) == r"\*..."
    assert markdown_text(" \t") == r"\\t"
    assert markdown_text("1. x") == r"1\. x"
    assert markdown_text("  ") == "(empty)"
