"""Capturing the steering text a model is given; docs/writing-a-runtime.md, "The surface"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wt_git.runner.foreign_values import safe_text

if TYPE_CHECKING:
    from collections.abc import Callable


_STRICT = json.JSONEncoder(allow_nan=False)


def capture_surface(describe: Callable[[], Any]) -> tuple[dict[str, Any], str | None]:
    """Return the handle's surface block, and a warning when it is invalid.

    A raise, a block without a string `status` and one that is not JSON become an `invalid` block;
    what was offered is then not kept. Never raises: an invalid surface fails no run.
    """
    try:
        offered = describe()
    except Exception as error:  # noqa: BLE001 - the driver's own failure becomes evidence
        return _invalid(f"describe_surface raised {type(error).__name__}: {safe_text(error)}")
    if not isinstance(offered, Mapping):
        return _invalid(f"describe_surface returned {type(offered).__name__}, not an object")
    if not isinstance(offered.get("status"), str):
        return _invalid("the surface block has no string 'status'")
    try:
        block = _own_copy(offered)
    except (TypeError, ValueError, RecursionError) as error:
        return _invalid(f"the surface block is not JSON: {error}")
    if block["status"] == "invalid":
        return block, f"surface_invalid: {block.get('detail') or 'unspecified'}"
    return block, None


def _own_copy(offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the block as JSON data that nobody else holds. Raises where it is none."""
    if all(type(value) is str for value in offered.values()):
        return dict(offered)  # an absent surface, as most runs have it, need not be parsed
    copied: dict[str, Any] = json.loads(_STRICT.encode(dict(offered)))
    return copied


def _invalid(detail: str) -> tuple[dict[str, Any], str]:
    return {"status": "invalid", "detail": detail}, f"surface_invalid: {detail}"
