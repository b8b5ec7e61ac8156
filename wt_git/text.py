"""Making text that agents, tools and people wrote inert before it is shown.

One function per medium. Everything an agent can influence (answers, tool names, scenario names,
questions) passes through here at the edge that prints it.
"""

from __future__ import annotations

import re
import shlex

# Controls, line breaks of other kinds, what turns the direction of writing, half surrogate pairs.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What services that show a log would obey: `::error ...` where a line begins, `##[error]` anywhere.
_COMMAND_ANYWHERE = r"#(?=#\w*\[)"
_LOG_COMMAND = re.compile(rf"\A(\s*):(?=:)|{_COMMAND_ANYWHERE}")
_BACKTICKS = re.compile(r"`+")
# What GitHub links, or turns into a picture, after Markdown was read, so that no escape stops it:
# mentions, references to issues, addresses, short names of emoji (and not the time of a day).
_LINKED = (
    r"[@#](?=\w)|(?<![^\W_])GH-(?=\d)|:(?=//)|www(?=\.)|(?:mailto|xmpp):|:(?=(?!\d\d:)[\w+-]+:)"
)
_WORD_JOINER = "\u2060"
_MARKDOWN = {ord(c): f"\\{c}" for c in "\\`*[]~"} | {ord(c): f"&#{ord(c)};" for c in "|$"}
_MARKDOWN |= {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
# An underscore within a word means nothing; what begins a line may begin a list or a heading.
_MARKUP_BY_PLACE = r"(?<![^\W_])_|_(?![^\W_])|\A[-+=#:]"
_NUMBERED = r"\A(\d+)(?=[.)](?:\s|\Z))"
# The Char production of XML 1.0. Compiling it takes longer than a whole `wt --version` may wait.
_NOT_XML = r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

DECLARED = '--question "…" --expect pass'
"""What a printed `wt run` command ends with: a runs directory with history asks for it."""


def one_line(text: str, limit: int | None = None) -> str:
    r"""Return `text` for one line of a terminal: control characters escaped, cut at `limit`.

    Escape sequences could move the cursor or recolour a verdict, bidirectional overrides could
    reverse one, so all of them are written as `\x1b` and the like. A text that was cut ends in
    `...` and has exactly `limit` characters.
    """
    safe = _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
    if limit is not None and len(safe) > limit:
        return safe[: max(limit - 3, 0)] + "..."
    return safe


def many_lines(text: str) -> str:
    """Return `text` for a terminal with its line breaks kept and everything else as `one_line`."""
    return "\n".join(one_line(line) for line in text.split("\n"))


def log_line(text: str, limit: int | None = None) -> str:
    """Return `text` as `one_line` does, and such that no CI service takes it for a command.

    GitHub obeys `::name::` at the beginning of a line and `##[name]` anywhere, other services
    `##name[`; their first character is written as an escape.
    """
    return _LOG_COMMAND.sub(_escaped_command, one_line(text, limit))


def _escaped_command(found: re.Match[str]) -> str:
    return "\\x23" if found.group() == "#" else f"{found.group(1)}\\x3a"


def workflow_data(text: str) -> str:
    """Return `text`, whose line breaks are ours, as the message of a GitHub workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str) -> str:
    """Return `text` as the value of a property (`file`, `title`) of a GitHub workflow command."""
    return workflow_data(text).replace(":", "%3A").replace(",", "%2C")


def markdown_code(text: str) -> str:
    """Return `text` as an inline code span of Markdown, in which nothing else is markup.

    The fence is longer than any run of backticks inside. Do not use it in a table, where `|` would
    still end the cell.
    """
    safe = one_line(text)
    if not safe.strip():
        return "(empty)"
    fence = "`" * (max(map(len, _BACKTICKS.findall(safe)), default=0) + 1)
    return f"{fence} {safe} {fence}" if "`" in safe else f"{fence}{safe}{fence}"


def markdown_text(text: str, limit: int | None = None) -> str:
    """Return `text` as plain text of Markdown on one line, cells of tables included.

    It is shown as `one_line(text, limit)` without spaces around it. Nothing in it is markup or HTML,
    and an invisible word joiner breaks what GitHub would make a link of: mentions of people,
    references to issues, addresses. Use `markdown_code` for what a reader will copy.
    """
    shown = one_line(text, limit).strip()
    if not shown:
        return "(empty)"
    unlinked = re.sub(_LINKED, rf"\g<0>{_WORD_JOINER}", shown, flags=re.IGNORECASE)
    marked = re.sub(_MARKUP_BY_PLACE, r"\\\g<0>", unlinked.translate(_MARKDOWN))
    return re.sub(_NUMBERED, r"\1\\", marked)


def json_characters(document: str) -> str:
    """Return a JSON document in which what a terminal or a CI service would obey is escaped.

    It means the same. Line breaks between its parts stay: within strings, JSON has none.
    """
    shown = "\n".join(_CONTROL.sub(_json_escape, line) for line in document.split("\n"))
    return re.sub(_COMMAND_ANYWHERE, _json_escape, shown)


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def xml_characters(text: str) -> str:
    """Return `text` with the characters that XML 1.0 cannot hold replaced by U+FFFD."""
    return re.sub(_NOT_XML, "\ufffd", text)


def shell_word(text: str) -> str:
    r"""Return `text` as one word of a shell command that stands on one line and can be pasted.

    What a terminal would obey is written as the shell's own `$'\x1b'`, which bash, zsh and ksh read.
    """
    if one_line(text) == text:
        return shlex.quote(text)
    raw = text.encode("utf-8", "surrogateescape" if _is_from_bytes(text) else "replace")
    return "$'" + "".join(_ANSI_C.get(byte) or f"\\x{byte:02x}" for byte in raw) + "'"


def _is_from_bytes(text: str) -> bool:
    return not re.search(r"[\ud800-\udc7f\udd00-\udfff]", text)


_ANSI_C = {byte: chr(byte) for byte in range(0x20, 0x7F)} | {0x27: "\\'", 0x5C: "\\\\"}
"""Bytes within `$'...'`; the rest are written by number, as two digits that no third can join."""
