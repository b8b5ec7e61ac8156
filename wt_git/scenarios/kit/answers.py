"""The one shape in which mock tools answer.

An object whose `result` is a JSON text of the answer proper, as the systems that these mocks stand
for send it. A tabular answer adds `columns`, `rows` and `schemaVersion` beside it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def envelope(inner: Mapping[str, Any]) -> dict[str, Any]:
    """Return `inner` as an answer without a table."""
    return {"result": json.dumps(inner, ensure_ascii=False)}


def table(
    inner: Mapping[str, Any], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return `inner` as an answer with a table; each row's values stand in the columns' order."""
    return {
        **envelope(inner),
        "columns": list(columns),
        "rows": [[row.get(column) for column in columns] for row in rows],
        "schemaVersion": 1,
    }


def page(
    found: Sequence[dict[str, Any]], *, limit: int, offset: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of one page, and the `pagination` object that says whether there are more."""
    start, size = max(offset, 0), max(limit, 0)
    shown = list(found[start : start + size])
    return shown, {
        "offset": start,
        "limit": size,
        "returned": len(shown),
        "matchedCount": len(found),
        "hasMore": start + size < len(found),
    }
