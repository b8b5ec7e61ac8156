"""The fingerprint of the code under test: eight parts and one hash over them (docs/files.md)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

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
