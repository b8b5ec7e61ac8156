"""The review record: whether a finished sweep changed a decision (docs/files.md, "Reviews")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wt_git.records.experiments import EXPERIMENT_VERSION
from wt_git.records.fields import Record, Text


@dataclass(frozen=True, kw_only=True)
class ReviewRecord(Record):
    """What came of a sweep: `changed` exactly when there is a `decision`. The last one holds."""

    windtunnel_experiment: int = EXPERIMENT_VERSION
    kind: Literal["review"] = "review"
    ts: str
    sweep_id: str
    changed: bool
    decision: Text | None
