"""Freezing the world a probe sees; docs/writing-a-scenario.md, "External state"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.runner.foreign_values import frozen, safe_text

if TYPE_CHECKING:
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
    copy = frozen(snapshot)
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
