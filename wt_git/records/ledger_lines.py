"""Lines of a ledger."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from wt_git import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator


def record_of(raw: bytes, *, one_of_many: bool = False) -> dict[str, Any] | None:
    """Return what a line of the ledger holds, exactly as `json_lines.read_lines` sees it.

    `one_of_many`: a parser is used that is twice as fast, once it is loaded.
    """
    if one_of_many:
        from pydantic_core import from_json  # noqa: PLC0415

        with contextlib.suppress(ValueError):  # half a surrogate pair, deep nesting, or no JSON
            record = from_json(raw)
            return record if isinstance(record, dict) else None
    line = json_lines.parse_line(raw.removesuffix(b"\n").removesuffix(b"\r"))
    return None if line is None else line.record


def scanned(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield every line with its offset, from the beginning."""
    start = 0
    with os.fdopen(os.dup(descriptor), "rb", buffering=1 << 18) as stream:
        stream.seek(0)
        for raw in stream:
            yield start, raw
            start += len(raw)
