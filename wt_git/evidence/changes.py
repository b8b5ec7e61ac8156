"""Naming what differs between two fingerprints: the parts, and the files (docs/ladder.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence.listings import (
    Listing,
    differing,
    has_tree,
    listing_of_manifest,
    listing_of_snapshot,
    trees_of,
)
from wt_git.records.fingerprint import SNAPSHOT_FAILED
from wt_git.records.manifests import read_manifest
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.git.repository import Repository
    from wt_git.git.snapshot import Snapshot
    from wt_git.git.tree_objects import TreeSource
    from wt_git.records.fingerprint import FingerprintParts

MOST_FILES = 12

_PARTS = ("runtime", "target", "model", "soul", "agents", "plugin", "wt_version")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What differs between an earlier fingerprint and a later one.

    `parts` are the names of the parts, the tree left out. `tree`: the trees differ. `files` are the
    paths in which they do, empty when that cannot be said; `unseen` says why there is no tree to
    compare.
    """

    parts: tuple[str, ...]
    tree: bool
    files: tuple[str, ...] = ()
    unseen: str = ""

    def text(self) -> str:
        """Return it in one line: `changed: <parts>; files: <paths>`."""
        pieces = [f"changed: {', '.join(self.parts)}"] if self.parts else []
        if self.files:
            shown = ", ".join(one_line(path) for path in self.files[:MOST_FILES])
            more = len(self.files) - MOST_FILES
            pieces.append(f"files: {shown}" + (f" (+{more} more)" if more > 0 else ""))
        elif self.tree or self.unseen:
            pieces.append(f"the working tree{self.unseen}")
        return "; ".join(pieces) or "nothing recorded"


def changed_parts(then: Mapping[str, object], now: FingerprintParts) -> Changes:
    """Return which parts differ from those that a row recorded; no file is looked at.

    What a row of an older writer lacks counts as null, but for the target, by which rows are chosen.
    """
    current = now.as_record()
    past = {"target": now.target, **then}
    return Changes(
        parts=tuple(name for name in _PARTS if past.get(name) != current[name]),
        tree=past.get("git_tree") != current["git_tree"],
    )


def changes_since(
    then: Mapping[str, object], fingerprint: str | None, now: Fingerprint, runs_dir: Path
) -> Changes:
    """Return what changed since a row of `runs_dir` recorded the parts `then` and `fingerprint`."""
    found = changed_parts(then, now.parts)
    if fingerprint == SNAPSHOT_FAILED:
        return replace(found, unseen=", of which git could not take a snapshot then")
    if now.value == SNAPSHOT_FAILED:
        return replace(found, unseen=", of which git cannot take a snapshot now")
    tree = then.get("git_tree")
    if not found.tree or not isinstance(tree, str):
        return found
    return replace(found, files=tuple(_files_since(tree, now, runs_dir)))


def _files_since(tree: str, now: Fingerprint, runs_dir: Path) -> list[str]:
    """Return the paths that differ from `tree`; none when git lost what it was based on."""
    if now.repository is None or now.snapshot is None:
        return []
    try:
        source = trees_of(now.repository)
        listing = _listing(tree, source, runs_dir)
        return differing(listing, listing_of_snapshot(now.snapshot), source) if listing else []
    except GitError:
        return []


def _listing(tree: str, source: TreeSource, runs_dir: Path) -> Listing | None:
    if has_tree(tree, source):
        return Listing(tree)
    manifest = read_manifest(runs_dir, tree)
    return listing_of_manifest(manifest) if manifest is not None else None


def describe_change(before: Fingerprint, after: Fingerprint) -> str:
    """Return what changed between two fingerprints of one sweep, for people."""
    found = changed_parts(before.parts.as_record(), after.parts)
    was, now = before.snapshot, after.snapshot
    if found.tree and (was is None or now is None):
        found = replace(found, unseen=", of which git can no longer take a snapshot")
    elif found.tree and was is not None and now is not None:
        found = replace(found, files=tuple(_files_between(was, now, after.repository)))
    return found.text()


def _files_between(was: Snapshot, now: Snapshot, repository: Repository | None) -> list[str]:
    before, after = listing_of_snapshot(was), listing_of_snapshot(now)
    try:
        source = None
        if was.base != now.base:  # another commit was checked out
            if repository is None:
                return []
            source = trees_of(repository)
        return differing(before, after, source)
    except GitError:
        return []
