"""Ledger rows, sweep records and reviews as lines, for tests of what notes make of them."""

from __future__ import annotations

from typing import Any

from kit import evidence_rows
from kit.notes import sweep_id

from wt_git.files import json_line
from wt_git.records.fingerprint import FingerprintParts

TREE = "a" * 40
OTHER_TREE = "b" * 40


def parts(**changes: Any) -> FingerprintParts:
    known: dict[str, Any] = {
        "git_tree": TREE,
        "runtime": "mine",
        "target": "mine",
        "model": "m-1",
        "soul": None,
        "agents": None,
        "plugin": None,
        "wt_version": "0",
    }
    return FingerprintParts(**{**known, **changes})


def row(sweep: object = 1, *, tree: str | None = TREE, **changes: Any) -> dict[str, Any]:
    """A row that counts; a change named `experiment_x` is made to `x` of its experiment."""
    inner = {
        name.removeprefix("experiment_"): value
        for name, value in changes.items()
        if name.startswith("experiment_")
    }
    outer = {name: value for name, value in changes.items() if not name.startswith("experiment_")}
    made = evidence_rows.row(
        sweep=sweep_id(sweep),
        pack="shop",
        fingerprint_parts=parts(git_tree=tree).as_record(),
        experiment=inner,
    )
    return {**made, **outer}


def sweep(of: object = 1, **changes: Any) -> dict[str, Any]:
    about = {
        "ts": "2026-01-02T03:04:06Z",
        "label": "retry-limit",
        "question": "does the retry limit hold?",
        "expect": "pass",
        "cost": {"wall_s": 12.6},
    }
    return {**evidence_rows.sweep(sweep_id(of)), **about, **changes}


def review(of: object = 1, **changes: Any) -> dict[str, Any]:
    return {
        "windtunnel_experiment": 1,
        "kind": "review",
        "ts": "2026-01-02T04:00:00Z",
        "sweep_id": sweep_id(of),
        "changed": False,
        "decision": None,
        **changes,
    }


def lines(*records: dict[str, Any]) -> list[bytes]:
    """The records as they stand in the runs directory, without LF."""
    return [json_line(record).encode() for record in records]
