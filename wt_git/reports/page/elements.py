"""HTML that cannot be broken out of: every text becomes a text, whatever it holds.

Sections of the page are put together with `element`. What it returns is `Markup`; every other string
that it is given is text and is escaped. So the one way to write a tag is to ask for it by name.
"""

from __future__ import annotations

import html
import itertools
import re
from typing import TypeAlias

# What a reader cannot see or what changes the direction of the rest: controls except tab and line
# feed, bidirectional marks, zero-width and tag characters, halves of surrogate pairs. page.js has
# the same list.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]+"
)
_VOID = frozenset({"meta", "input", "col"})
_WORD_ENDS = re.compile(r"(?<=[_/.:])(?=[^_/.:])")


class Markup(str):
    """HTML made by `element`, which may stand in a page as it is."""

    __slots__ = ()


_BREAK = Markup("<wbr>")

Child: TypeAlias = str | int | None
"""What an element may hold: `Markup`, or a text, or a number; None holds the place of nothing."""


def element(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Return the element `name` with `children` and `attributes`.

    `class_` means `class`, `aria_label` means `aria-label`. An attribute that is True stands alone,
    one that is False or None is left out.
    """
    opening = f"<{name}{''.join(map(_attribute, attributes.items()))}>"
    if name in _VOID:
        return Markup(opening)
    return Markup(f"{opening}{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """Return `children` one after another."""
    return Markup("".join(_child(child) for child in children if child is not None))


def name_text(text: str, most: int = 200) -> Markup:
    """Return a name that somebody chose, cut at `most` characters, in its own direction.

    A long one may go on in the next line behind its words, as `snake_case` does not by itself.
    """
    first, *rest = _WORD_ENDS.split(shortened(text, most))
    return element("bdi", first, *(part for word in rest for part in (_BREAK, word)))


def shortened(text: str, most: int) -> str:
    """Return `text` with at most `most` characters, saying how long it was."""
    if len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text):,} characters)"


def _child(child: str | int) -> str:
    if isinstance(child, Markup):
        return child
    text = str(child).replace("\r\n", "\n")
    parts: list[str] = []
    end = 0
    for found in _UNSEEN.finditer(text):
        parts += (html.escape(text[end : found.start()]), _code_points(found.group()))
        end = found.end()
    return "".join((*parts, html.escape(text[end:])))


def _code_points(unseen: str) -> str:
    return f'<span class="unseen">{_numbers(unseen)}</span>'


def _numbers(unseen: str) -> str:
    """Return the numbers of characters; of one that is repeated, how often."""
    counted = ((one, len(list(same))) for one, same in itertools.groupby(unseen))
    return " ".join(
        f"U+{ord(one):04X}{f'×{count}' if count > 1 else ''}"  # noqa: RUF001 - a count
        for one, count in counted
    )


def _attribute(item: tuple[str, str | float | bool | None]) -> str:
    name = item[0].rstrip("_").replace("_", "-")
    value = item[1]
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{html.escape(_UNSEEN.sub(lambda found: _numbers(found.group()), text))}"'
