"""The recorded fingerprint: other tools compute it too, so it is held to fixed values."""

from __future__ import annotations

import hashlib
import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from wt_git.records.fingerprint import FingerprintParts, content_hash, parts_from_record

VECTOR = FingerprintParts(
    git_tree="4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    runtime="my_runtime",
    target="my_runtime",
    model="target-model",
    soul=None,
    agents=None,
    plugin=None,
    wt_version="0.12.0",
)

texts = st.none() | st.text()
parts = st.builds(FingerprintParts, *[], **dict.fromkeys(VECTOR.as_record(), texts))


def test_the_published_values_hold() -> None:
    """Evidence written elsewhere must match."""
    assert VECTOR.value() == (
        "sha256:279cda1bff8d8c3b06e970a8812db759f7bf77ded513e7252fa938fc82089ddd"
    )
    assert content_hash(b"hello\n") == (
        "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    )


@given(parts, st.sampled_from(sorted(VECTOR.as_record())), texts)
def test_every_part_counts_and_nothing_else_does(
    one: FingerprintParts, name: str, other: str | None
) -> None:
    """Two fingerprints are equal exactly when all eight parts are."""
    changed = msgspec.structs.replace(one, **{name: other})
    assert (changed.value() == one.value()) == (changed == one)


@given(parts)
def test_a_row_that_was_written_hashes_to_its_fingerprint(one: FingerprintParts) -> None:
    """Through JSON and back, whatever the text."""
    read = parts_from_record(json.loads(json.dumps(one.as_record())))
    assert read == one
    canonical = json.dumps(one.as_record(), sort_keys=True, separators=(",", ":"))
    assert one.value() == "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def test_other_shapes_are_no_parts() -> None:
    """A part too few or too many would hash to something else."""
    record = VECTOR.as_record()
    assert parts_from_record(record | {"more": None}) is None
    assert parts_from_record({"git_tree": None}) is None
    assert parts_from_record(record | {"model": 5}) is None
