"""One batch: a scenario, one agent, N runs; docs/architecture.md, "One batch".

`run_scenario` writes no file: each scored run goes to a callback, and the caller keeps it.
`run_matrix` runs one batch per sampling variant.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wt_git.api.aggregate import aggregate_runs
from wt_git.api.scenario import PreconditionContext
from wt_git.clock import SystemClock
from wt_git.runner.evidence import arm_servers, bind_workspace, unknown_tools
from wt_git.runner.lifecycle_hooks import LifecycleHooks
from wt_git.runner.provisioning import (
    PATIENCE_BEYOND_CONVERSE_S,
    HandleStuckError,
    check_preconditions,
    path_attribute,
    preconditions_of,
    provisioned_agent,
    running_servers,
)
from wt_git.runner.run import BatchContext, execute_run
from wt_git.spi.agent_runtime import AgentConfig
from wt_git.spi.hooks import converse_timeout_s

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.aggregate import AggregateResult, ScenarioRunResult
    from wt_git.api.replay import HistoryPrefix
    from wt_git.api.scenario import Scenario
    from wt_git.clock import Clock
    from wt_git.runner.provisioning import SerialisedHandle
    from wt_git.spi.agent_runtime import AgentRuntime, MCPHandle, SamplingConfig
    from wt_git.spi.hooks import HookArtifact
    from wt_git.spi.mcp_server import MCPServer
    from wt_git.spi.state_probe import StateProbe


@dataclass
class ScenarioResult:
    """The aggregate and the runs of a batch, and what its hooks reported outside of any run."""

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
    """Run `scenario` on one freshly provisioned agent and return the results.

    `mcps` are tool servers, started and stopped here; their handles go to `provision`. The agent is
    reset before every run, unless `skip_reset`. `on_run_start(i)` is called before that reset,
    `on_run_complete(i, run)` right after run `i` (from 0) was scored, broken or not.
    `should_start_run(i)` may end the batch early before any run but the first. An exception of
    these three leaves this function, after teardown. `on_warning` gets one line for each failure
    during teardown, and for each tool that no server offers; it changes no result. `clock` is the system's by default. `stuck_after_s`
    bounds the wait for a turn that a hook gave up on; the default is the deadline of `converse` and
    one minute more.

    A failure inside a run is a failed run, never an exception. Raises `ValueError` for fewer than
    one run, `WorldMismatchError` when preconditions fail, `HandleStuckError` when a turn that a
    hook gave up on never ends, and every exception of starting, provisioning or resetting.
    """
    if runs_per_scenario < 1:
        raise ValueError(f"runs_per_scenario must be at least 1, got {runs_per_scenario}")
    config, warn = config or AgentConfig(), on_warning or (lambda _: None)
    active = LifecycleHooks(hooks)
    runs: list[ScenarioRunResult] = []
    warnings: list[str] = []
    shown_to_hooks: dict[str, Any] = {"scenario": scenario, "agent": config}
    gate_layers = scenario.resolved_gate_layers()  # raises before anything is started
    servers = mcps or ()
    arm_servers(servers, scenario.perturbations)
    patience_s = functools.partial(_patience_s, stuck_after_s)
    try:
        with (
            running_servers(servers, warn) as mcp_handles,
            provisioned_agent(
                runtime, config, mcp_handles, patience_s=patience_s, warn=warn
            ) as handle,
        ):
            _check_world(scenario, config, state_probe, handle, mcp_handles)
            for text in unknown_tools(scenario, mcp_handles):
                warn(text)
            artifacts = active.dispatch("on_provisioned", warnings.append, **shown_to_hooks)
            context = BatchContext(
                scenario,
                config,
                handle,
                mcp_handles,
                clock=clock or SystemClock(),
                probe=state_probe,
                hooks=active,
                prefix=history_prefix,
            )
            for index in range(runs_per_scenario):
                if index and should_start_run is not None and not should_start_run(index):
                    break
                if on_run_start is not None:
                    on_run_start(index)
                runs.append(_one_run(context, skip_reset=skip_reset))
                if on_run_complete is not None:
                    on_run_complete(index, runs[-1])
            aggregate = aggregate_runs(
                runs, variance_allowed=scenario.variance_allowed, gate_layers=gate_layers
            )
            artifacts += active.dispatch(
                "on_scenario_end", warnings.append, aggregate=aggregate, **shown_to_hooks
            )
    except HandleStuckError as error:
        for warning in _stuck_warnings(active):
            for run in runs[-1:]:  # the agent got stuck during the last one
                run.trace.worker_warnings.append(warning)
            warn(warning)
            error.add_note(warning)
        raise
    return ScenarioResult(aggregate, runs, warnings, artifacts)


def _one_run(context: BatchContext, *, skip_reset: bool) -> ScenarioRunResult:
    if not skip_reset:
        context.handle.reset_state()
        context.hooks.abandoned.clear()  # every turn that was given up on has ended
    return execute_run(context)


def _stuck_warnings(active: LifecycleHooks) -> list[str]:
    return [
        f"hook:{name}: the agent never came back from a question that timed out; it is unusable"
        for name in dict.fromkeys(active.abandoned)
    ]


def _patience_s(stuck_after_s: float | None) -> float:
    if stuck_after_s is None:
        return converse_timeout_s() + PATIENCE_BEYOND_CONVERSE_S
    return stuck_after_s


def _check_world(
    scenario: Scenario,
    config: AgentConfig,
    probe: StateProbe | None,
    handle: SerialisedHandle,
    mcp_handles: list[MCPHandle],
) -> None:
    """Bind the probe to the agent's workspace, then check every precondition."""
    workspace = path_attribute(handle, "workspace_dir")
    if probe is not None and workspace is not None:
        bind_workspace(probe, workspace)
    preconditions = preconditions_of(scenario)
    if not preconditions:
        return
    context = PreconditionContext(
        mcp_handles=mcp_handles,
        state_probe=probe,
        agent_config=config,
        runtime_handle=handle,
        workspace_dir=workspace,
        workspace_template=path_attribute(handle, "workspace_template"),
    )
    check_preconditions(scenario.name, preconditions, context)


def run_matrix(
    scenario: Scenario,
    runtime: AgentRuntime,
    mcps: Sequence[MCPServer] | None = None,
    *,
    base_config: AgentConfig | None = None,
    sampling_variants: Sequence[tuple[str, SamplingConfig]] | None = None,
    runs_per_cell: int = 1,
) -> dict[str, ScenarioResult]:
    """Run `scenario` once per sampling variant and return the results by the variants' labels.

    Each cell is a batch whose `variant_id` is `<base>__<label>`, or the label where the base has
    none. Without variants there is one cell, `default`, with the base's own sampling. Of two
    variants with one label the later one stays. Raises as `run_scenario` does.
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
