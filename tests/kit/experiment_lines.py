"""Lines of an experiments file, made from literals and changed in one place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kit import evidence_rows

from wt_git.files import json_line
from wt_git.records.experiments import read_experiment

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.records.experiments import FinishedSweep, Review


def read(record: dict[str, Any]) -> FinishedSweep | Review | None:
    """A record as it is read back from its line."""
    return read_experiment(json.dumps(record).encode())


def sweep_id(number: int) -> str:
    """An id that looks like those of sweeps, different for each number."""
    return f"{number:012x}"


def finished(number: int = 1, **changed: Any) -> dict[str, Any]:
    """The record of a focused sweep that held its prediction and reported all its tokens."""
    about = {
        "ts": "2026-01-02T03:04:05Z",
        "label": "retry-limit",
        "model": "target-model",
        "question": "does the retry limit hold?",
        "expect": "pass",
        "if_pass": None,
        "if_fail": None,
        "cost": cost(),
        "runtime": "mine",
        "fingerprint": "sha256:" + "0" * 64,
    }
    return {**evidence_rows.sweep(sweep_id(number)), **about, **changed}


def cost(
    wall_s: object = 10.5, tokens_in: object = 100, cached: object = 40, out: object = 7
) -> dict[str, Any]:
    """What a sweep used."""
    return {
        "wall_s": wall_s,
        "input_tokens": tokens_in,
        "cached_tokens": cached,
        "output_tokens": out,
    }


def usd(
    uncached: object = 0.009,
    cache_read: object = 0.0004,
    output: object = 0.04,
    time: object = 0.001,
    total: object = 0.0504,
    **changed: Any,
) -> dict[str, Any]:
    """What a sweep cost."""
    return {
        "uncached_input": uncached,
        "cache_read": cache_read,
        "output": output,
        "time": time,
        "total": total,
        "tokens_known": True,
        "cache_split_known": True,
        **changed,
    }


def reviewed(number: int = 1, *, changed: object = True, **more: Any) -> dict[str, Any]:
    """A review that says whether a sweep changed a decision."""
    return {
        "windtunnel_experiment": 1,
        "kind": "review",
        "ts": "2026-01-02T04:00:00Z",
        "sweep_id": sweep_id(number),
        "changed": changed,
        "decision": "ship it" if changed is True else None,
        **more,
    }


def write_experiments(runs_dir: Path, *lines: dict[str, Any] | str) -> Path:
    """Write an experiments file; what is text already stands there as it is."""
    runs_dir.mkdir(parents=True, exist_ok=True)
    path = runs_dir / "experiments.ndjsonl"
    path.write_text("".join(f"{x if isinstance(x, str) else json_line(x)}\n" for x in lines))
    return path
