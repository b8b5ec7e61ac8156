"""Text from agents is inert wherever it is shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from wt_git.text import many_lines, one_line, xml_characters

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
