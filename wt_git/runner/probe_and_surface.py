"""The state probe's observations and the prompt surface of a run, as JSON data.

docs/writing-a-scenario.md, "External state"; docs/writing-a-runtime.md, "The surface".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wt_git.runner.safe_values import json_copy, safe_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.spi.state_probe import StateProbe


def capture_observations(probe: StateProbe) -> tuple[dict[str, Any], str | None]:
    """Return the probe's snapshot as JSON data, and a warning when there is none to be had.

    Parts that are not JSON become their repr. A raise, a snapshot that is no object and one that
    cannot be copied give empty observations. Never raises.
    """
    try:
        snapshot = probe.capture()
    except Exception as error:  # noqa: BLE001 - the probe's failure becomes a warning
        return {}, f"probe_error: capture failed: {type(error).__name__}: {safe_text(error)}"
    if not _is_object(snapshot):
        return {}, f"probe_error: capture returned {type(snapshot).__name__}, not an object"
    copy = json_copy(snapshot)
    if not _is_object(copy):
        return {}, "probe_error: the snapshot cannot be written as JSON: it contains itself"
    return copy, None


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def bind_workspace(probe: StateProbe, workspace: Path) -> None:
    """Tell a probe that wants to know where the agent works; what it raises is the caller's."""
    for name in ("bind_workspace", "set_workspace_dir"):
        bind = getattr(probe, name, None)
        if callable(bind):
            bind(workspace)
            return


_STRICT = json.JSONEncoder(allow_nan=False)


def capture_surface(describe: Callable[[], Any]) -> tuple[dict[str, Any], str | None]:
    """Return the handle's surface block, and a warning when it is invalid.

    A raise, a block without a string `status` and one that is not JSON become an `invalid` block;
    what was offered is then not kept. Never raises: an invalid surface fails no run.
    """
    try:
        offered = describe()
    except Exception as error:  # noqa: BLE001 - the driver's own failure becomes evidence
        return _invalid_surface(
            f"describe_surface raised {type(error).__name__}: {safe_text(error)}"
        )
    if not isinstance(offered, Mapping):
        return _invalid_surface(
            f"describe_surface returned {type(offered).__name__}, not an object"
        )
    if not isinstance(offered.get("status"), str):
        return _invalid_surface("the surface block has no string 'status'")
    try:
        block = _strict_copy(offered)
    except (TypeError, ValueError, RecursionError) as error:
        return _invalid_surface(f"the surface block is not JSON: {error}")
    if block["status"] == "invalid":
        return block, f"surface_invalid: {block.get('detail') or 'unspecified'}"
    return block, None


def _strict_copy(offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the block as JSON data that nobody else holds. Raises where it is none."""
    if all(type(value) is str for value in offered.values()):
        return dict(offered)  # an absent surface, as most runs have it, need not be parsed
    copied: dict[str, Any] = json.loads(_STRICT.encode(dict(offered)))
    return copied


def _invalid_surface(detail: str) -> tuple[dict[str, Any], str]:
    return {"status": "invalid", "detail": detail}, f"surface_invalid: {detail}"
