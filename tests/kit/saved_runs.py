"""Runs directories made from literals: traces with their scores, and rows that name them."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from kit.traces import NOON, a_score, a_trace, user

from wt_git.files import append_line, json_line
from wt_git.records import layout
from wt_git.records.runs.sidecars import sidecar_document
from wt_git.records.runs_dir import RunsDir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.api.score import FailureCost


def run_id(number: int) -> str:
    """The id of run `number`, whose beginning tells it apart."""
    return str(UUID(int=number << 96))


def save_run(
    runs_dir: Path,
    number: int,
    *,
    scenario: str = "lookup_order",
    label: str = "candidate",
    layers: Mapping[str, bool] | None = None,
    gates: Sequence[Any] = ("outcome", "trajectory", "constraint"),
    metrics: Mapping[str, Any] | None = None,
    probe: bool = False,
    origin: str | None = None,
    cost: FailureCost | None = None,
    block: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    **trace: Any,
) -> Path:
    """Save run `number`, which begins so many seconds after noon; return the trace's path.

    `block` is more of the scenario that the score is about.
    """
    score = a_score(cost=cost, **(layers or {}), **(metrics or {}))
    sidecar = sidecar_document(score, gates, {"name": scenario, **(block or {})})
    if origin is not None:
        sidecar["origin"] = {"kind": origin}
    made = a_trace(
        user(),
        scenario_id=scenario,
        variant_id=label,
        run_id=run_id(number),
        started_at=NOON + timedelta(seconds=number),
        worker_warnings=[*(["replay_prefix: source=x turns=2"] if probe else []), *warnings],
        **trace,
    )
    return Path(RunsDir(runs_dir).write_run(made, sidecar))


def save_row(
    runs_dir: Path,
    numbers: Sequence[int],
    *,
    scenario: str = "lookup_order",
    label: str = "candidate",
    pack: str | None = "my_pack",
    tier: str = "regression",
    verdict: str = "PASS",
    experiment: Mapping[str, Any] | None = None,
    **changed: Any,
) -> None:
    """Append the ledger row of a sweep whose runs are `numbers`."""
    row = {
        "windtunnel_ledger": 1,
        "scenario_id": scenario,
        "label": label,
        "pack": pack,
        "verdict": verdict,
        "run_ids": [run_id(number) for number in numbers],
        "sweep_id": "9c1d0e77ab42",
        "experiment": {"tier": tier, "budget_exhausted": False, **(experiment or {})},
        **changed,
    }
    runs_dir.mkdir(parents=True, exist_ok=True)
    append_line(runs_dir / layout.LEDGER, json_line(row), durable=False)


def edit_json(path: Path, **changes: Any) -> None:
    """Change keys of a JSON file; None takes one out."""
    document = {**json.loads(path.read_text("utf-8")), **changes}
    path.write_text(json.dumps({k: v for k, v in document.items() if v is not None}), "utf-8")
