"""What stands on disk is what the records declare: each key, in its type."""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kit.commands import write_pack, wt
from kit.repo import new_repo

from wt_git.records import events
from wt_git.records.experiments import SweepRecord
from wt_git.records.fields import Record
from wt_git.records.rows import LedgerRow

SETTINGS = """
[tool.windtunnel.ladder.pricing]
time_per_hour = 1
[tool.windtunnel.ladder.pricing.models]
default = { input_per_m = 1, output_per_m = 2 }
"""
# Left out of a document, not null, where nothing configures them.
NOT_ALWAYS_THERE = {"cost_usd", "cache_check"}
OF_EVENT = {kind.declared["event"]: kind for kind in events.Event.__subclasses__()}


def fits(value: Any, hint: Any) -> bool:
    """Whether what was read from JSON is of the annotated type."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        return any(fits(value, one) for one in of)
    if origin is Literal:
        return value in of
    if origin in {list, dict}:
        parts = value.values() if isinstance(value, dict) else value
        return type(value) is origin and all(fits(one, of[-1]) for one in parts)
    if isinstance(hint, type) and issubclass(hint, Record):
        return isinstance(value, dict) and misfits(value, hint) == []
    accepted = {float: {float, int}, None: {NoneType}, Any: {type(value)}}
    return type(value) in accepted.get(hint, {hint})


def misfits(document: dict[str, Any], kind: type[Record]) -> list[str]:
    """The keys that are missing, unknown, or of another type than declared."""
    hints = get_type_hints(kind)
    wrong = [name for name in kind.declared if name not in document]
    wrong += [name for name in document if name not in kind.declared]
    wrong = [name for name in wrong if name not in NOT_ALWAYS_THERE]
    return wrong + [
        f"{name}: {value!r}"
        for name, value in document.items()
        if name in kind.declared and not fits(value, hints[name])
    ]


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
    assert [misfits(row, LedgerRow) for row in lines["ledger"]] == [[], []]
    assert [misfits(record, SweepRecord) for record in lines["experiments"]] == [[], []]
    assert [misfits(event, OF_EVENT[event["event"]]) for event in lines["events"]] == [[]] * 10


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]
