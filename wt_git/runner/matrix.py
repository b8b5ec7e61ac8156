"""The same scenario under several samplings; docs/writing-a-scenario.md, "Sampling"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wt_git.runner.batch import run_scenario
from wt_git.spi.agent_runtime import AgentConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.runner.batch import ScenarioResult
    from wt_git.spi.agent_runtime import AgentRuntime, SamplingConfig
    from wt_git.spi.mcp_server import MCPServer


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
