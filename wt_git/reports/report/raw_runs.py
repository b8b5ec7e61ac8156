"""Runs as their files have them, for those who look further than reports do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records import layout

if TYPE_CHECKING:
    from wt_git.reports.counted.groups import Group


def raw_run(group: Group) -> dict[str, Any] | None:
    """Return the latest run of `group`: `trace`, and `score` with the group's row as `_aggregate`.

    None for a run that is not there any more.
    """
    path = group.runs[-1].path
    try:
        trace, score = (
            json.loads(files.read_regular(one)) for one in (path, layout.sidecar_name(path))
        )
    except (OSError, ValueError, RecursionError):
        return None
    if group.row is not None:
        score["_aggregate"] = dict(group.row.record)
    return {"trace": trace, "score": score}
