"""`--out` may never cost a record."""

from __future__ import annotations

import pytest
from kit.commands import DECLARED, ledger, write_pack, wt


@pytest.mark.parametrize(
    "out",
    [
        "runs/ledger.ndjsonl",
        "runs/experiments.ndjsonl",
        "runs/events.ndjsonl",
        "runs/.wt-outputs",
        "runs/.gitignore",
        "runs/../runs/ledger.ndjsonl",
        "runs/.fingerprints/x.manifest",
        "runs/passes/wt-cli/x.json",
        "runs",
    ],
)
def test_a_place_of_our_own_records_is_refused(out: str) -> None:
    """Also before there is any: the document would replace the record at the end of the sweep."""
    ran = wt("run", "--pack-source", write_pack(), "--format", "json", "--out", out)
    assert ran.code == 2
    assert "--out" in ran.err
    assert ledger() == []


def test_a_document_beside_the_records_is_fine() -> None:
    """It is found where the rest of the sweep is."""
    source = write_pack(scenarios=[("fails", "something else", [])])
    options = ("run", "--pack-source", source, "--format", "json", "--out", "runs/all.json")
    for _ in range(2):
        assert wt(*options, *DECLARED).code == 1
    assert len(ledger()) == 2
