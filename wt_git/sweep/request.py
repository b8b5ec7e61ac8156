"""The request of a sweep: the options of `wt run`, and the same with everything resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from wt_git.errors import UsageError, os_reason
from wt_git.ladder.declaration import Declaration
from wt_git.spi.agent_runtime import AgentConfig, ModelSpec

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from wt_git.api.replay import HistoryPrefix
    from wt_git.config import Settings
    from wt_git.evidence.fingerprint import Fingerprint, Fingerprinter
    from wt_git.ladder.gate import Earned
    from wt_git.plugins.runtimes import Runtime
    from wt_git.records.sweep_records import Tier
    from wt_git.sweep.jobs.schedulers import JobPlan
    from wt_git.sweep.selection import Selected, Selectors

DEFAULT_LABEL = "cli_run"


class SweepRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one `wt run`; paths are as typed, so that printed commands can be pasted."""

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
    declaration: Declaration = msgspec.field(default_factory=Declaration)
    budget_s: float | None = None
    max_cost: Decimal | None = None
    from_trace: str | None = None
    from_turn: int | None = None
    command: str = "wt run"


class RunTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The scenarios to run and the runtime to run them on."""

    request: SweepRequest
    runtime: Runtime
    selected: list[Selected]
    config: AgentConfig


class LookedUp(RunTarget, frozen=True, kw_only=True):
    """A request with everything that it names resolved. Nothing has been built or written.

    `budget_s` and `ceiling` are the limits of the sweep, None without one. `fingerprinter` takes the
    fingerprint of the code under test. `history_prefix` is the part of a trace before a probe.
    """

    settings: Settings
    hooks: list[Any]
    tier: Tier
    budget_s: float | None
    ceiling: Decimal | None
    fingerprinter: Fingerprinter
    history_prefix: HistoryPrefix | None = None


class Prepared(LookedUp, frozen=True, kw_only=True):
    """A sweep that may run. `fingerprint` was taken when that was decided.

    `earned` is the answer of the gate, None for a sweep that need not be earned.
    """

    plan: JobPlan
    fingerprint: Fingerprint
    earned: Earned | None = None


def agent_config(
    request: SweepRequest,
    runtime: Runtime,
    soul: str | None,
    agents: Path | None,
    *,
    agent_id: str = "wt-cli",
) -> AgentConfig:
    """Return the configuration with which the runtime starts an agent."""
    return AgentConfig(
        agent_id=agent_id,
        variant_id=request.label,
        system_prompt=soul,
        persona_doc=agents,
        model=ModelSpec(runtime.model) if runtime.model else None,
    )


def soul_text(request: SweepRequest) -> str | None:
    """Return the system prompt, the content of `--soul`. Raises `UsageError`."""
    soul = _file(request.soul, "--soul")
    return _text(soul, "--soul") if soul else None


def agents_file(request: SweepRequest) -> Path | None:
    """Return the file of `--agents`, which has to exist. Raises `UsageError`."""
    return _file(request.agents, "--agents")


def _file(path: Path | None, option: str) -> Path | None:
    if path is None:
        return None
    try:
        if path.is_file():
            return path
        found = "it is a folder" if path.is_dir() else "there is no such file"
    except OSError as error:
        found = os_reason(error)
    raise UsageError(
        f"{option} file not found: '{path}' ({found})",
        code="file-not-found",
        facts={"option": option, "path": str(path), "found": found},
    )


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{option} file '{path}' cannot be read as UTF-8 text: {error}",
            code="file-unreadable",
            facts={"option": option, "path": str(path), "reason": str(error)},
        ) from error
