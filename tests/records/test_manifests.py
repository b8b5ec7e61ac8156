"""Listings of snapshots: small, whole, and not for ever."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from wt_git import files
from wt_git.records.fingerprint import (
    Manifest,
    listed_trees,
    prune_manifests,
    read_manifest,
    write_manifest,
)
from wt_git.records.ledger.ledger import Ledger

ids = st.text("0123456789abcdef", min_size=40, max_size=40)
paths = st.text(st.characters(), min_size=1)


@given(st.none() | ids, st.dictionaries(paths, st.none() | ids))
def test_a_listing_comes_back_as_it_was(base: str | None, entries: dict[str, str | None]) -> None:
    """With any file name, bytes that are not UTF-8 included."""
    manifest = Manifest(base, entries)
    tree = "a" * 40
    prune_manifests(Path(), set())
    write_manifest(Path(), tree, manifest)
    assert read_manifest(Path(), tree) == manifest


def test_a_large_listing_is_compressed_and_an_unreadable_one_replaced() -> None:
    """The name says which; both are read alike."""
    manifest = Manifest(None, {f"folder/file-{n}": "b" * 40 for n in range(5000)})
    write_manifest(Path(), "c" * 40, manifest)
    (path,) = Path(".fingerprints").iterdir()
    assert path.name == "c" * 40 + ".manifest.gz"
    assert path.stat().st_size < 60_000
    assert read_manifest(Path(), "c" * 40) == manifest
    path.write_bytes(b"torn")
    assert read_manifest(Path(), "c" * 40) is None
    write_manifest(Path(), "c" * 40, manifest)
    assert read_manifest(Path(), "c" * 40) == manifest


def test_an_older_listing_is_a_plain_object_of_every_entry() -> None:
    """It has no base."""
    Path(".fingerprints").mkdir()
    Path(".fingerprints/abc.manifest").write_text(json.dumps({"a": "1", "base": "2"}))
    assert read_manifest(Path(), "abc") == Manifest(None, {"a": "1", "base": "2"})


def _row(tree: str, target: str, *, tier: str = "focused", failed: bool = False) -> None:
    parts = {"git_tree": tree, "target": target}
    experiment = {"fingerprint_parts": parts, "tier": tier, "counts_as_failure": failed}
    files.append_line("ledger.ndjsonl", json.dumps({"experiment": experiment}), durable=False)


def test_listings_are_kept_from_the_latest_pass_of_each_target_on() -> None:
    """Older ones can explain nothing any more."""
    _row("old", "one")
    _row("pass", "one")
    _row("other-pass", "two")
    _row("failed", "one", failed=True)
    _row("regression", "one", tier="regression")
    assert Ledger(Path()).trees_that_matter() == {"pass", "other-pass", "failed", "regression"}
    for tree in ("old", "pass", "failed"):
        write_manifest(Path(), tree, Manifest(None, {}))
    assert prune_manifests(Path(), Ledger(Path()).trees_that_matter()) == 1
    assert set(listed_trees(Path())) == {"pass", "failed"}
