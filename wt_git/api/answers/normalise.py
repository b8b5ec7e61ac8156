"""One form for texts that a person reads as equal.

Answers and facts go through `normalised` before any of the matching rules sees them. Lines stay
lines: they are boundaries of sentences and of tables.
"""

# ruff: noqa: RUF001 - characters that look like others are the subject

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_GROUPS = {
    "": "™®©℠\N{COMBINING ENCLOSING KEYCAP}\N{ARABIC TATWEEL}",
    "'": "‘’ʼ′´＇‛",
    '"': "“”„‟«»″",
    # A hyphen joins, and between figures so does a dash. A long dash is a boundary of clauses.
    "-": "‐‑‒–−﹣－⁃",
    "~": "〜",
    "—": "―",
    "\n": "\r\v\f\x85\u2028\u2029",
    "°": "º",
    ".": "٫।",
    ",": "٬،",
    "%": "٪",
    "?": "؟",
    ";": "؛",
    # With a space, so that it never groups figures.
    ", ": "，",
    "n°": "№",
    "...": "…",
}
_CHARACTERS = {ord(one): to for to, group in _GROUPS.items() for one in group}
# A power, a note's number and a circled number are no figures of the number before them.
_CHARACTERS |= {ord(one): f"^{figure}" for figure, one in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_CHARACTERS |= {ord("①") + n: f"({n + 1})" for n in range(20)}
# The vowel signs of Arabic, which most writers leave out.
_CHARACTERS |= dict.fromkeys(range(0x64B, 0x653), "")
_CHARACTERS |= dict.fromkeys((0xFE0E, 0xFE0F), "")

# Marks that few answers have. `re` compiles them for the first that has one: ranges of characters
# are slow to compile.
_ENTITY = r"(?i)&(?:#x?[0-9a-f]{1,6}|[a-z]{2,8});"
_TAG = r"(?i)</?(?:b|i|u|em|strong|span|code|mark|font)(?:\s[^<>]*)?>"
_LINE_BREAK_TAG = r"(?i)<br\s*/?>"
_LINK = r"\[([^\[\]\n]*)\](?=\([^()\s]*\))"
# Scripts without spaces, beside which a mark of emphasis may stand.
_SPACELESS = "\u0e00-\u0eff\u3005-\u9fff\uac00-\ud7af"
_OPENS = rf"(?:(?<![\w*])|(?<=[{_SPACELESS}]))"
_CLOSES = rf"(?:(?![\w*])|(?=[{_SPACELESS}]))"
_STARS = rf"(?<![0-9])\*{{2,3}}|\*{{2,3}}(?![0-9])|{_OPENS}\*(?=[^\s*])|(?<=[^\s*])\*{_CLOSES}"
# Underscores around words; those inside `client_lookup` stay.
_UNDERSCORES = (
    rf"{_OPENS}(_{{1,3}})(?=[^\W_])((?:[^\n]|\n(?!\s*\n)){{1,300}}?)(?<=[^\s_])\1{_CLOSES}"
)
_SPACES = re.compile(r"[^\S\n]{2,}|\t")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
# The dot of a capital I in lower case, and its dotless sister: Turkish and English write one word.
# The hamza on an Arabic alef, which most writers leave out.
SAME_LETTERS = str.maketrans(
    {"\N{COMBINING DOT ABOVE}": "", "ı": "i", **dict.fromkeys("أإآٱ", "ا")}
)


def normalised(text: str) -> str:
    """Return the form of `text` in which texts that a person reads as equal are equal."""
    if "&" in text:
        import html  # noqa: PLC0415 - a long table that few answers need

        text = re.sub(_ENTITY, lambda found: html.unescape(found.group()), text)
    text = text.replace("\r\n", "\n")
    text = text.lower() if text.isascii() else _in_plain_characters(text)
    return _without_markup(text)


@lru_cache(maxsize=1024)
def normalised_fact(text: str) -> str:
    """Return the form of a fact, which is asked for again with every answer."""
    return normalised(text).strip()


def _in_plain_characters(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_CHARACTERS)).translate(_CHARACTERS)
    if not text.isascii():
        text = "".join(one for one in text if one.isascii() or unicodedata.category(one) != "Cf")
        text = _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.digit(found.group(), 0)), text)
    return unicodedata.normalize("NFC", text.casefold().translate(SAME_LETTERS))


def _without_markup(text: str) -> str:
    """Return `text` without emphasis and code marks; a link keeps its text and its address."""
    if "  " in text or "\t" in text:
        text = _SPACES.sub(" ", text)
    if "`" in text:
        text = text.replace("`", "")
    if "*" in text:
        text = re.sub(_STARS, "", text)
    if "_" in text:
        text = re.sub(_UNDERSCORES, r"\2", text)
    if "](" in text:
        text = re.sub(_LINK, r"\1 ", text)
    if "<" in text:
        text = re.sub(_TAG, "", re.sub(_LINE_BREAK_TAG, "\n", text))
    return text
