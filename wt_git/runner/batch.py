"""One batch: a scenario, one agent, N runs; docs/architecture.md, "One batch".

`run_scenario` writes no file: each scored run goes to a callback, and the caller keeps it.
`run_matrix` runs one batch per sampling variant.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wt_git.api.aggregate import aggregate_runs
from wt_git.api.preconditions import PreconditionContext
from wt_git.clock import SystemClock
from wt_git.runner.lifecycle_hooks import LifecycleHooks
from wt_git.runner.probe_and_surface import bind_workspace
from wt_git.runner.provisioning import (
    PATIENCE_BEYOND_CONVERSE_S,
    HandleStuckError,
    check_preconditions,
    path_attribute,
    preconditions_of,
    provisioned_agent,
    running_servers,
)
from wt_git.runner.run import BatchContext, execute_run, pre_send_perturbations, user_texts
from wt_git.runner.tool_servers import arm_servers
from wt_git.spi.agent_runtime import AgentConfig
from wt_git.spi.hooks import converse_timeout_s

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.aggregate import AggregateResult, ScenarioRunResult
    from wt_git.api.replay import HistoryPrefix
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import GateLayer
    from wt_git.clock import Clock
    from wt_git.runner.provisioning import SerialisedHandle
    from wt_git.spi.agent_runtime import AgentRuntime, SamplingConfig
    from wt_git.spi.hooks import HookArtifact
    from wt_git.spi.mcp_server import MCPHandle, MCPServer
    from wt_git.spi.state_probe import StateProbe


@dataclass
class ScenarioResult:
    """What a batch found: its aggregate, its runs, and what hooks said outside of any run."""

    aggregate: AggregateResult
    runs: list[ScenarioRunResult]
    worker_warnings: list[str] = field(default_factory=list)
    hook_artifacts: list[HookArtifact] = field(default_factory=list)


def run_scenario(
    scenario: Scenario,
    runtime: AgentRuntime,
    mcps: Sequence[MCPServer] | None = None,
    *,
    config: AgentConfig | None = None,
    runs_per_scenario: int = 1,
    skip_reset: bool = False,
    state_probe: StateProbe | None = None,
    hooks: Sequence[object] = (),
    on_run_start: Callable[[int], None] | None = None,
    on_run_complete: Callable[[int, ScenarioRunResult], None] | None = None,
    history_prefix: HistoryPrefix | None = None,
    should_start_run: Callable[[int], bool] | None = None,
    on_warning: Callable[[str], None] | None = None,
    clock: Clock | None = None,
    stuck_after_s: float | None = None,
) -> ScenarioResult:
    """Fly `scenario` on one freshly provisioned agent and return what was found.

    `mcps` are tool servers, started here and stopped here; their handles go to `provision`. The
    agent is reset before every run, unless `skip_reset`. `on_run_start(i)` comes before that reset,
    `on_run_complete(i, run)` right after run `i` (from 0) was scored, broken or not;
    `should_start_run(i)` may end the batch early before any run but the first. What these three
    raise leaves here, after teardown. `on_warning` is told in one line each what failed on the way
    down; it changes no result. `clock` is the system's by default.
    `stuck_after_s` bounds the wait for a turn that a hook gave up on; by default it is the deadline
    of `converse` and a minute more.

    A failure inside a run is a failed run, never an exception. Raises `ValueError` for fewer than
    one run, `WorldMismatchError` when preconditions fail, `HandleStuckError` when a turn that a
    hook gave up on never ends, and whatever starting, provisioning or resetting raises.
    """
    if runs_per_scenario < 1:
        raise ValueError(f"runs_per_scenario must be at least 1, got {runs_per_scenario}")
    batch = _Batch(
        scenario=scenario,
        runtime=runtime,
        config=config or AgentConfig(),
        probe=state_probe,
        lifecycle=LifecycleHooks(hooks) if hooks else None,
        prefix=history_prefix,
        clock=clock or SystemClock(),
        warn=on_warning or _ignore_warning,
        patience_s=_default_patience_s if stuck_after_s is None else lambda: stuck_after_s,
        runs=_RunPlan(
            count=runs_per_scenario,
            is_reset=not skip_reset,
            on_start=on_run_start,
            on_complete=on_run_complete,
            should_start=should_start_run,
        ),
    )
    return batch.execute(mcps or ())


def _ignore_warning(_warning: str) -> None:
    """Drop a warning that no caller asked for: the library does not speak by itself."""


def _default_patience_s() -> float:
    return converse_timeout_s() + PATIENCE_BEYOND_CONVERSE_S


@dataclass(frozen=True, slots=True)
class _RunPlan:
    """How often to fly, and the caller's say before, between and after."""

    count: int
    is_reset: bool
    on_start: Callable[[int], None] | None
    on_complete: Callable[[int, ScenarioRunResult], None] | None
    should_start: Callable[[int], bool] | None


@dataclass(frozen=True, slots=True)
class _Batch:
    """One batch as it was asked for."""

    scenario: Scenario
    runtime: AgentRuntime
    config: AgentConfig
    probe: StateProbe | None
    lifecycle: LifecycleHooks | None
    prefix: HistoryPrefix | None
    clock: Clock
    warn: Callable[[str], None]
    patience_s: Callable[[], float]
    runs: _RunPlan

    def execute(self, servers: Sequence[MCPServer]) -> ScenarioResult:
        """Bring everything up, fly, and bring everything down, whatever happens in between."""
        found = _BatchResults(self.lifecycle)
        gate_layers = self.scenario.resolved_gate_layers()  # raises before anything is started
        arm_servers(servers, self.scenario.perturbations)
        try:
            with (
                running_servers(servers, self.warn) as mcp_handles,
                provisioned_agent(
                    self.runtime,
                    self.config,
                    mcp_handles,
                    patience_s=self.patience_s,
                    warn=self.warn,
                ) as handle,
            ):
                self._check_world(handle, mcp_handles)
                return self._fly(self._provisioned(handle, mcp_handles), gate_layers, found)
        except HandleStuckError as error:
            for warning in found.say_who_gave_up():
                self.warn(warning)
                error.add_note(warning)
            raise

    def _fly(
        self, shared: BatchContext, gate_layers: Sequence[GateLayer], found: _BatchResults
    ) -> ScenarioResult:
        members = {"scenario": self.scenario, "agent": self.config}
        found.dispatch("on_provisioned", **members)
        self._fly_runs(shared, found.runs)
        aggregate = aggregate_runs(
            found.runs,
            variance_allowed=self.scenario.variance_allowed,
            gate_layers=gate_layers,
        )
        found.dispatch("on_scenario_end", aggregate=aggregate, **members)
        return ScenarioResult(aggregate, found.runs, found.warnings, found.artifacts)

    def _check_world(self, handle: SerialisedHandle, mcp_handles: list[MCPHandle]) -> None:
        """Bind the probe to the agent's workspace, then check every precondition."""
        workspace = path_attribute(handle, "workspace_dir")
        if self.probe is not None and workspace is not None:
            bind_workspace(self.probe, workspace)
        preconditions = preconditions_of(self.scenario)
        if not preconditions:
            return
        context = PreconditionContext(
            mcp_handles=mcp_handles,
            state_probe=self.probe,
            agent_config=self.config,
            runtime_handle=handle,
            workspace_dir=workspace,
            workspace_template=path_attribute(handle, "workspace_template"),
        )
        check_preconditions(self.scenario.name, preconditions, context)

    def _provisioned(self, handle: SerialisedHandle, mcp_handles: list[MCPHandle]) -> BatchContext:
        return BatchContext(
            scenario=self.scenario,
            config=self.config,
            handle=handle,
            mcp_handles=mcp_handles,
            clock=self.clock,
            user_texts=user_texts(self.scenario),
            shaping=pre_send_perturbations(self.scenario),
            sampler=recorded_sampling(self.config.sampling),
            probe=self.probe,
            lifecycle=self.lifecycle,
            prefix=self.prefix,
        )

    def _fly_runs(self, shared: BatchContext, runs: list[ScenarioRunResult]) -> None:
        """Fly run after run into `runs`; a reset that fails ends the batch."""
        asked = self.runs
        for index in range(asked.count):
            if index and asked.should_start is not None and not asked.should_start(index):
                return
            if asked.on_start is not None:
                asked.on_start(index)
            if asked.is_reset:
                shared.handle.reset_state()
                if self.lifecycle is not None:
                    self.lifecycle.abandoned.clear()  # whatever was given up on has ended
            run = execute_run(shared)
            runs.append(run)
            if asked.on_complete is not None:
                asked.on_complete(index, run)


class _BatchResults:
    """What a batch has found so far."""

    def __init__(self, lifecycle: LifecycleHooks | None) -> None:
        self._lifecycle = lifecycle
        self.runs: list[ScenarioRunResult] = []
        self.warnings: list[str] = []
        self.artifacts: list[HookArtifact] = []

    def dispatch(self, point: str, **members: Any) -> None:
        """Let the hooks see a point outside of any run."""
        if self._lifecycle is not None:
            self.artifacts += self._lifecycle.dispatch(point, self.warnings.append, **members)

    def say_who_gave_up(self) -> list[str]:
        """Return a warning for each hook whose abandoned question blocks the agent.

        The last run, during which the agent got stuck, records them too.
        """
        abandoned = self._lifecycle.abandoned if self._lifecycle is not None else []
        warnings = [
            f"hook:{name}: the agent never came back from a question that timed out; it is unusable"
            for name in dict.fromkeys(abandoned)
        ]
        if self.runs:
            self.runs[-1].trace.worker_warnings.extend(warnings)
        return warnings


def recorded_sampling(sampling: SamplingConfig | None) -> dict[str, Any]:
    """Return the knobs that are set, as `Trace.sampler` records them."""
    if sampling is None:
        return {}
    knobs = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "tool_choice": sampling.tool_choice,
        "max_tokens": sampling.max_tokens,
    }
    return {name: value for name, value in knobs.items() if value is not None}


def run_matrix(
    scenario: Scenario,
    runtime: AgentRuntime,
    mcps: Sequence[MCPServer] | None = None,
    *,
    base_config: AgentConfig | None = None,
    sampling_variants: Sequence[tuple[str, SamplingConfig]] | None = None,
    runs_per_cell: int = 1,
) -> dict[str, ScenarioResult]:
    """Fly `scenario` once per sampling variant and return the results by the variants' labels.

    Each cell is a batch of its own whose `variant_id` is `<base>__<label>`, or the label where the
    base has none. Without variants there is one cell, `default`, with the base's own sampling. Of
    two variants of one label the later one stays. Raises what `run_scenario` raises.
    """
    base = base_config or AgentConfig()
    variants = [("default", base.sampling)] if sampling_variants is None else sampling_variants
    results: dict[str, ScenarioResult] = {}
    for label, sampling in variants:
        variant_id = f"{base.variant_id}__{label}" if base.variant_id else label
        cell = replace(base, sampling=sampling, variant_id=variant_id)
        results[label] = run_scenario(
            scenario, runtime, mcps, config=cell, runs_per_scenario=runs_per_cell
        )
    return results
