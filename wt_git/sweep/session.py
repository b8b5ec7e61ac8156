"""What all jobs of a running sweep share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wt_git.sweep.recorder import LedgerLosses

if TYPE_CHECKING:
    import threading

    from wt_git.api.aggregate import AggregateResult
    from wt_git.clock import Clock
    from wt_git.records.store import RunsDir
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.progress import Progress
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.row import SweepFacts


@dataclass(slots=True, kw_only=True)
class Session:
    """A sweep that holds its runtime.

    `stamp` names its hook artifacts, `aggregates` feed hooks. `facts` are what its rows say alike,
    `lines` the rows as the ledger holds them.
    """

    prepared: Prepared
    runtime: AgentRuntime
    runs_dir: RunsDir
    progress: Progress
    clock: Clock
    stamp: str
    facts: SweepFacts
    interruption: threading.Event
    losses: LedgerLosses = field(default_factory=LedgerLosses)
    lines: list[str] = field(default_factory=list)
    aggregates: dict[int, AggregateResult] = field(default_factory=dict)

    @property
    def interrupted(self) -> bool:
        """Whether a signal asked the sweep to end after the runs in flight."""
        return self.interruption.is_set()
