"""Making text that agents, tools and people wrote inert before it is shown.

One function per medium. Everything an agent can influence (answers, tool names, scenario names,
questions) passes through here at the edge that prints it.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NOT_XML = re.compile(
    r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # the Char production of XML 1.0
)


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


def xml_characters(text: str) -> str:
    """Return `text` with the characters that XML 1.0 cannot hold replaced by U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)
