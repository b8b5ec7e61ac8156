"""Rows and sweep records as notes hold them, made from literals and changed in one place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wt_git.records.fingerprint import FingerprintParts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TREE = "1" * 40
OTHER_TREE = "2" * 40
SWEEP = "aaaaaaaaaaaa"
EARNING = "bbbbbbbbbbbb"
RUNTIME = "my_runtime"
TARGET = "agent.plugin:Plugin|http://127.0.0.1:8647"


def parts(tree: str = TREE, **changed: str | None) -> dict[str, str | None]:
    """The parts of a fingerprint for `tree`."""
    made: dict[str, Any] = {
        "git_tree": tree,
        "runtime": RUNTIME,
        "target": TARGET,
        "model": "small",
        "soul": None,
        "agents": None,
        "plugin": None,
        "wt_version": "0.1.0",
    }
    return {**made, **changed}


def row(
    tree: str = TREE,
    *,
    sweep: str = SWEEP,
    scenario: str = "refund",
    pack: str | None = "orders",
    verdict: str = "PASS",
    runs: int = 3,
    passed: int | None = None,
    tier: str = "focused",
    fingerprint_parts: Mapping[str, Any] | None = None,
    experiment: Mapping[str, Any] | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """A ledger row that counts, unless what is passed makes it another."""
    of = dict(fingerprint_parts or parts(tree))
    fails = verdict in {"FAIL", "INVALID"}
    return {
        "windtunnel_ledger": 1,
        "ts": "2026-01-02T03:04:05Z",
        "scenario_id": scenario,
        "pack": pack,
        "owner": None,
        "label": "round",
        "verdict": verdict,
        "runs": runs,
        "passed": (0 if fails else runs) if passed is None else passed,
        "pass_rate": 1.0,
        "sweep_id": sweep,
        "experiment": {
            "tier": tier,
            "counts_as_failure": fails,
            "interrupted": False,
            "question": "does it refund once?",
            "expect": "pass",
            "cost": {
                "wall_s": 1.5,
                "input_tokens": 10,
                "cached_tokens": 0,
                "output_tokens": 5,
            },
            "budget_exhausted": False,
            "fingerprint": FingerprintParts(**of).value(),
            "fingerprint_parts": of,
            "baseline": False,
            "tree_under_test": of["git_tree"],
            "snapshot": {
                "method": "libgit2",
                "absent": [],
                "dirty_submodules": [],
                "hidden_edits": [],
                "ignored": 0,
            },
            "sources": {"pack_source:packs/orders.py:PACK": "packs/orders.py"},
            "earned_by": None,
            "excluded_failing": [],
            **(experiment or {}),
        },
        **changed,
    }


def sweep(sweep_id: str = SWEEP, **changed: Any) -> dict[str, Any]:
    """The record of a sweep of one scenario that ran to its end."""
    return {
        "windtunnel_experiment": 1,
        "kind": "sweep",
        "ts": "2026-01-02T03:05:00Z",
        "sweep_id": sweep_id,
        "label": "round",
        "tier": "focused",
        "outcome": "pass",
        "prediction_held": True,
        "budget_exhausted": False,
        "scenarios": 1,
        "exit_code": 0,
        "status": "completed",
        "errors": 0,
        "not_started": [],
        "cost": {"wall_s": 1.5},
        **changed,
    }


def line(record: Mapping[str, Any]) -> bytes:
    """A record as a line of a note."""
    return json.dumps(record, sort_keys=True).encode()


def note(*records: Mapping[str, Any] | bytes) -> tuple[bytes, ...]:
    """The lines of a sweep's note; what is bytes already stays as it is."""
    made = [one if isinstance(one, bytes) else line(one) for one in records]
    return tuple(sorted(made))


def notes(*records: Mapping[str, Any]) -> dict[str, tuple[bytes, ...]]:
    """The notes under one tree: the records, each in the note of its sweep."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in records:
        found.setdefault(one["sweep_id"], []).append(one)
    return {sweep_id: note(*of) for sweep_id, of in found.items()}


def regression(
    tree: str = TREE,
    sweep_id: str = SWEEP,
    *,
    scenarios: Iterable[str] = ("refund", "order_status"),
    earned_by: str | None = EARNING,
    **changed: Any,
) -> list[dict[str, Any]]:
    """The rows of a regression and its record."""
    experiment = {"earned_by": earned_by, **changed}
    rows = [
        row(tree, sweep=sweep_id, scenario=name, tier="regression", experiment=experiment)
        for name in scenarios
    ]
    return [*rows, sweep(sweep_id, tier="regression", scenarios=len(rows))]
