"""The listing of a snapshot: which files made its tree (docs/files.md, "Manifests").

A listing names what differs from the tree of `HEAD` at the time, so what it takes grows with the
change and not with the repository. It explains refusals; a missing one explains less.
"""

from __future__ import annotations

import contextlib
import gzip
import json
from typing import TYPE_CHECKING

import msgspec

from wt_git import files
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LARGE = 1 << 16
_PRUNE_EVERY = 64


class Manifest(msgspec.Struct, frozen=True):
    """`entries` maps each path that differs from `base` to its object id, None for a deletion.

    `base` is the tree of `HEAD`, None before the first commit. Bytes of a path that are not UTF-8
    are lone surrogates.
    """

    base: str | None
    entries: Mapping[str, str | None]


def write_manifest(runs_dir: Path, tree: str, manifest: Manifest) -> None:
    """Write the listing of `tree`, unless a readable one is there. Raises `OSError`."""
    if read_manifest(runs_dir, tree) is not None:
        return
    folder = runs_dir / layout.LISTINGS
    folder.mkdir(parents=True, exist_ok=True)
    entries = dict(sorted(manifest.entries.items()))
    text = json.dumps({"base": manifest.base, "entries": entries}) + "\n"
    if len(text) > _LARGE:
        files.write_whole(folder / f"{tree}.manifest.gz", gzip.compress(text.encode(), mtime=0))
    else:
        files.write_whole(folder / f"{tree}.manifest", text)


def read_manifest(runs_dir: Path, tree: str) -> Manifest | None:
    """Return the listing of `tree`; None when there is none that can be read."""
    folder = runs_dir / layout.LISTINGS
    with contextlib.suppress(OSError, ValueError, EOFError):
        plain = files.read_regular(folder / f"{tree}.manifest")
        return _parsed(json.loads(plain.decode("utf-8")))
    with contextlib.suppress(OSError, ValueError, EOFError):
        packed = files.read_regular(folder / f"{tree}.manifest.gz")
        return _parsed(json.loads(gzip.decompress(packed)))
    return None


def _parsed(document: object) -> Manifest:
    """Return the listing; older ones are a plain object of every entry."""
    if not isinstance(document, dict):
        raise ValueError("not an object")
    whole = not (set(document) == {"base", "entries"} and isinstance(document["entries"], dict))
    entries = document if whole else document["entries"]
    base = None if whole else document["base"]
    if not all(value is None or isinstance(value, str) for value in [base, *entries.values()]):
        raise ValueError("not a listing")
    return Manifest(base, entries)


def listed_trees(runs_dir: Path) -> dict[str, list[Path]]:
    """Return the files of every listing, by its tree."""
    found: dict[str, list[Path]] = {}
    with contextlib.suppress(OSError):
        for path in (runs_dir / layout.LISTINGS).iterdir():
            if path.name.endswith((".manifest", ".manifest.gz")):
                found.setdefault(path.name.partition(".")[0], []).append(path)
    return found


def is_time_to_prune(runs_dir: Path) -> bool:
    """Say whether as many listings came together that looking through the ledger is worth it."""
    return len(listed_trees(runs_dir)) % _PRUNE_EVERY == _PRUNE_EVERY - 1


def prune_manifests(runs_dir: Path, keep: set[str]) -> int:
    """Remove the listings of all trees but `keep`; return how many files went."""
    gone = 0
    for tree, paths in listed_trees(runs_dir).items():
        if tree in keep:
            continue
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()
                gone += 1
    return gone
