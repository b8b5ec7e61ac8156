"""Writing the report document piece by piece, so that it is never held as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.records.encoding import document as encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_ROWS = "scenarios"


def json_parts(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of `document` as two-space indented JSON, without a final newline.

    Its rows, under `scenarios`, may be anything that yields them one after another.
    """
    before = "{"
    for key, value in document.items():
        yield f"{before}\n  {encoded(key).decode()}: "
        if key == _ROWS:
            yield from _rows(value)
        else:
            yield _indented(value, "  ")
        before = ","
    yield "\n}"


def _rows(rows: Iterable[Any]) -> Iterator[str]:
    before = "["
    for row in rows:
        yield f"{before}\n    {_indented(row, '    ')}"
        before = ","
    yield "[]" if before == "[" else "\n  ]"


def _indented(value: object, indentation: str) -> str:
    """Return `value` as JSON whose further lines are indented. Within strings, JSON has no line breaks."""
    return encoded(value).decode().replace("\n", f"\n{indentation}")
