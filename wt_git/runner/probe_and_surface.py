"""The state probe's observations and the prompt surface of a run, as JSON data.

docs/writing-a-scenario.md, "External state"; docs/writing-a-runtime.md, "The surface".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wt_git.errors import exception_text
from wt_git.runner.safe_values import json_with_reprs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.spi.state_probe import StateProbe


def capture_observations(probe: StateProbe) -> tuple[dict[str, Any], str | None]:
    """Return the probe's snapshot as JSON data, and a warning when there is none. Never raises.

    Parts that are not JSON become their repr. An exception, a snapshot that is no object and one
    that contains itself give empty observations.
    """
    try:
        snapshot = probe.capture()
    except Exception as error:  # noqa: BLE001 - the probe's failure becomes a warning
        return {}, f"probe_error: capture failed: {exception_text(error)}"
    if not isinstance(snapshot, dict):
        return {}, f"probe_error: capture returned {type(snapshot).__name__}, not an object"
    copy = json_with_reprs(snapshot)
    if not isinstance(copy, dict):
        return {}, "probe_error: the snapshot cannot be written as JSON: it contains itself"
    return copy, None


def bind_workspace(probe: StateProbe, workspace: Path) -> None:
    """Pass the agent's workspace to a probe that has a method for it; its exceptions pass through."""
    for name in ("bind_workspace", "set_workspace_dir"):
        bind = getattr(probe, name, None)
        if callable(bind):
            bind(workspace)
            return


def capture_surface(describe: Callable[[], Any]) -> tuple[dict[str, Any], str | None]:
    """Return the handle's surface block, and a warning when it is invalid. Never raises.

    An exception, a block without a string `status` and one that is not JSON give an `invalid` block
    without the offered content. An invalid surface fails no run.
    """
    try:
        offered = describe()
    except Exception as error:  # noqa: BLE001 - the driver's own failure becomes evidence
        return _invalid_surface(f"describe_surface raised {exception_text(error)}")
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
    """Return a copy of the block as JSON data; raises where it is not JSON."""
    if all(type(value) is str for value in offered.values()):
        return dict(offered)  # most runs have no surface, and that block need not be parsed
    copied: dict[str, Any] = json.loads(json.dumps(dict(offered), allow_nan=False))
    return copied


def _invalid_surface(detail: str) -> tuple[dict[str, Any], str]:
    return {"status": "invalid", "detail": detail}, f"surface_invalid: {detail}"
