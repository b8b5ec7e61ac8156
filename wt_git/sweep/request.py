"""What a caller asks of a sweep, and what the checks before it made of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wt_git.ladder.declaration import Declaration

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from wt_git.api.replay import HistoryPrefix
    from wt_git.config import Settings
    from wt_git.evidence.fingerprint import Fingerprint, Fingerprinter
    from wt_git.ladder.gate import Earned
    from wt_git.records.rows import Tier
    from wt_git.spi.agent_runtime import AgentConfig
    from wt_git.sweep.plugins import Runtime
    from wt_git.sweep.schedulers import Plan
    from wt_git.sweep.selection import Selected, Selectors

DEFAULT_LABEL = "cli_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """One `wt run`, as typed. Paths are as typed too, so that what is printed can be pasted."""

    selectors: Selectors
    runs_dir: Path
    pack_sources: tuple[str, ...] = ()
    all_packs: bool = False
    runtime: str = "in_memory"
    soul: Path | None = None
    agents: Path | None = None
    hooks: tuple[str, ...] = ()
    label: str = DEFAULT_LABEL
    runs: int = 1
    scheduler: str = "sequential"
    max_concurrency: int | None = None
    wait: bool = True
    declaration: Declaration = field(default_factory=Declaration)
    budget_s: float | None = None
    max_cost: Decimal | None = None
    from_trace: str | None = None
    from_turn: int | None = None
    command: str = "wt run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """What is flown on what: all that building a runtime and holding it has to know."""

    request: SweepRequest
    runtime: Runtime
    selected: list[Selected]
    config: AgentConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp(Flight):
    """A request with everything that it names resolved. Nothing has been built or written.

    `budget_s` and `ceiling` are what the sweep may use, None without a limit. `fingerprinter` takes
    the fingerprint of what is under test. `history_prefix` precedes what a probe sends.
    """

    settings: Settings
    hooks: list[Any]
    tier: Tier
    budget_s: float | None
    ceiling: Decimal | None
    fingerprinter: Fingerprinter
    history_prefix: HistoryPrefix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared(LookedUp):
    """A sweep that may run. `fingerprint` is what was under test when that was decided.

    `earned` is what the gate found, None for a sweep that need not be earned.
    """

    plan: Plan
    fingerprint: Fingerprint
    earned: Earned | None = None
