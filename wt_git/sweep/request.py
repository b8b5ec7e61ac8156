"""What a caller asks of a sweep, and what the checks before it made of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.evidence.fingerprint import Fingerprint, Fingerprinter
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
    command: str = "wt run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request that passed every check: nothing has been built or written yet.

    `fingerprint` is what was under test at that moment; `fingerprinter` takes it again.
    """

    request: SweepRequest
    hooks: list[Any]
    runtime: Runtime
    selected: list[Selected]
    tier: Tier
    config: AgentConfig
    plan: Plan
    fingerprinter: Fingerprinter
    fingerprint: Fingerprint
    notes_ref: str
    notices: tuple[str, ...] = field(default=())
