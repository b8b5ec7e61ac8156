"""What stands on disk is what the records declare: each key, in its type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from kit.commands import write_pack, wt
from kit.repo import new_repo

from wt_git.records import events
from wt_git.records.sweep_records import LedgerRow, SweepRecord

if TYPE_CHECKING:
    from wt_git.records.record import Record

SETTINGS = """
[tool.windtunnel.ladder.pricing]
time_per_hour = 1
[tool.windtunnel.ladder.pricing.models]
default = { input_per_m = 1, output_per_m = 2 }
"""
# Left out of a document, not null, where nothing configures them.
NOT_ALWAYS_THERE = {"cost_usd", "cache_check"}
OF_EVENT = {
    field.default: kind
    for kind in events.Event.__subclasses__()
    for field in msgspec.structs.fields(kind)
    if field.name == "event"
}


def validated(document: dict[str, Any], kind: type[Record]) -> Record:
    """Return the record that a line holds; fails for a key that is missing, unknown or mistyped."""
    known = set(kind.__struct_fields__)
    assert set(document) | NOT_ALWAYS_THERE >= known >= set(document)
    return msgspec.convert(document, kind)


def test_every_line_has_the_declared_keys_in_their_types() -> None:
    """Rows, sweep records and events, of sweeps that pass, fail and predict."""
    project = new_repo(Path("project"), {"pyproject.toml": SETTINGS}).path
    write_pack("project/pack.py")
    for scenario, expected in (("passes", "pass"), ("fails", "fail")):
        asked = ("--scenario", scenario, "--question", "why é \udc80?", "--expect", expected)
        wt("run", "--pack-source", "pack.py:PACK", *asked, cwd=project)
    lines = {
        name: [json.loads(line) for line in read_lines(project / "runs" / f"{name}.ndjsonl")]
        for name in ("ledger", "experiments", "events")
    }
    assert {name: len(documents) for name, documents in lines.items()} == {
        "ledger": 2,
        "experiments": 2,
        "events": 10,
    }
    for kind, documents in ((LedgerRow, lines["ledger"]), (SweepRecord, lines["experiments"])):
        for document in documents:
            assert validated(document, kind).as_document() == document
    for event in lines["events"]:
        assert validated(event, OF_EVENT[event["event"]]).as_document() == event
    with pytest.raises(msgspec.ValidationError):
        validated(lines["ledger"][0] | {"runs": "1"}, LedgerRow)


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]
