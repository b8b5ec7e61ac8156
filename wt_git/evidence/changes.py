"""Naming what differs between two fingerprints: the parts, and the files (docs/files.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.records.fingerprint import FingerprintParts
    from wt_git.records.manifests import Manifest

_SHOWN = 8


def changed_parts(before: FingerprintParts, after: FingerprintParts) -> list[str]:
    """Return the names of the parts that differ, in their order."""
    was, now = before.as_record(), after.as_record()
    return [name for name in was if was[name] != now[name]]


def changed_files(before: Manifest, after: Manifest) -> list[str] | None:
    """Return the paths whose content differs between two listings; None when they share no base."""
    if before.base != after.base:
        return None
    paths = before.entries.keys() | after.entries.keys()
    missing = object()
    return sorted(
        path
        for path in paths
        if _entry(before.entries, path, missing) != _entry(after.entries, path, missing)
    )


def _entry(entries: Mapping[str, str | None], path: str, missing: object) -> object:
    return entries.get(path, missing)


def describe_change(before: Fingerprint, after: Fingerprint) -> str:
    """Return what changed between two fingerprints of one sweep, for people."""
    parts = [name for name in changed_parts(before.parts, after.parts) if name != "git_tree"]
    was, now = before.manifest(), after.manifest()
    if was is None or now is None:
        return ", ".join(parts) or "the working tree can no longer be read"
    files = changed_files(was, now)
    if files is None:
        parts.append("another commit was checked out")
    else:
        parts += [f"'{path}'" for path in files[:_SHOWN]]
        if len(files) > _SHOWN:
            parts.append(f"{len(files) - _SHOWN} more files")
    return ", ".join(parts) or "the mode of a file"
