"""What was under test, as recorded: the parts of a fingerprint, and the listing of its snapshot (docs/files.md)."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
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


TREE_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

CHANGED_DURING_SWEEP = "changed-during-sweep"
"""In place of the hash: the code under test changed before the row was written."""

SNAPSHOT_FAILED = "snapshot-failed"
"""In place of the hash: there is a repository, but its tree could not be taken."""

OUTSIDE = "outside"
"""In place of a path: the source is not in the tree."""

COMPILED_SUFFIXES = (".pyc", ".pyo")
"""Files that Python compiles from source: in no snapshot, tracked or not."""

COMPILED_PATTERNS = tuple(f"**/*{suffix}" for suffix in COMPILED_SUFFIXES)

PACK_SOURCE = "pack_source:"
"""The name of a source that is a pack: this, and the pack source as it was typed."""


class FingerprintParts(msgspec.Struct, frozen=True, kw_only=True):
    """The parts; None where a part does not apply or is not known.

    `git_tree` is the tree of the working directory, `target` the backend that `runtime` resolves
    to, `model` the plugin's label, `soul` and `agents` hashes of the files, `plugin` the plugin's own
    account of code outside the tree.
    """

    git_tree: str | None
    runtime: str | None
    target: str | None
    model: str | None
    soul: str | None
    agents: str | None
    plugin: str | None
    wt_version: str | None

    def value(self) -> str:
        """Return the fingerprint: `sha256:` and the hash of the parts as canonical JSON.

        Keys sorted, no spaces, non-ASCII escaped, nulls kept.
        """
        canonical = json.dumps(msgspec.structs.asdict(self), sort_keys=True, separators=(",", ":"))
        return f"sha256:{hashlib.sha256(canonical.encode('ascii')).hexdigest()}"

    def as_record(self) -> dict[str, str | None]:
        """Return the parts as a ledger row holds them."""
        return msgspec.structs.asdict(self)


def parts_from_record(record: Mapping[str, object]) -> FingerprintParts | None:
    """Return the parts that a row recorded; None unless it holds exactly the eight."""
    names = set(FingerprintParts.__struct_fields__)
    if set(record) != names:
        return None
    if not all(value is None or isinstance(value, str) for value in record.values()):
        return None
    return FingerprintParts(**record)  # type: ignore[arg-type]


def content_hash(data: bytes) -> str:
    """Return the part for a file's bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
