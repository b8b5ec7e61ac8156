r"""Foreign text as Python source: whatever it holds, the source is valid and means the same text.

Written as by a person and as the usual formatters leave it. What is not printable is escaped, so
that no text can reverse or hide the code around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH = 88
_INDENT = "    "
_QUOTES = re.compile("(['\"])")
_AFTER_BREAKS = re.compile(r"(?<=\n)")


def literal(text: str) -> str:
    """Return `text` as one string literal on one line, in the quotes that need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    pieces = [
        (f"\\{quote}" if piece == quote else piece)
        if piece in {"'", '"'}
        else repr(piece).strip("'")
        for piece in _QUOTES.split(text)
    ]
    return f"{quote}{''.join(pieces)}{quote}"


def value(text: str, indent: str, *, before: str = "") -> str:
    """Return `text` as it stands behind `before` in a line of `indent`, with a comma behind it.

    A text of several lines that does not fit into one is written one below the other.
    """
    whole = f"{indent}{before}{literal(text)},"
    lines = [line for line in _AFTER_BREAKS.split(text) if line]
    if len(whole) <= _WIDTH or len(lines) == 1:
        return whole
    parts = [f"{indent}{_INDENT}{literal(line)}" for line in lines]
    return "\n".join([f"{indent}{before}(", *parts, f"{indent}),"])


def listing(items: Sequence[str], indent: str, *, before: str = "") -> str:
    """Return a list of texts as it stands behind `before` in a line of `indent`, with a comma."""
    whole = f"{indent}{before}[{', '.join(map(literal, items))}],"
    if len(whole) <= _WIDTH:
        return whole
    inside = [value(item, indent + _INDENT) for item in items]
    return "\n".join([f"{indent}{before}[", *inside, f"{indent}],"])
