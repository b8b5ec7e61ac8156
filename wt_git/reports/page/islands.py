"""JSON inside a page, in a form that no parser of HTML can take for anything else."""

from __future__ import annotations

import json
from typing import Any

from wt_git.api.json_values import json_value

# Within JSON these three only occur inside strings, where an escape means the same character.
_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def island_json(value: object) -> str:
    """Return `value` as JSON for a `<script type="application/json">`.

    It is ASCII and holds none of `<`, `>` and `&`: no text in it can end the element, and no line
    separator or half surrogate pair reaches the page. What JSON cannot hold becomes its `repr`.
    """
    try:
        text = _compact(value)
    except (ValueError, TypeError, RecursionError):
        text = _compact(json_value(value))
    return text.translate(_MARKUP)


def _compact(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
