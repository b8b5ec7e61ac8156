"""What a sidecar says about the scenario that was scored (docs/files.md, "Score sidecars")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario


def scenario_block(scenario: Scenario) -> dict[str, Any]:
    """Return the sidecar's description of what was scored; callables are left out."""
    return {
        "name": scenario.name,
        "prompt": scenario.scored_prompt,
        "user_turns": list(scenario.user_turns),
        "target_facts": [list(group) for group in scenario.target_facts],
        "requires_tool_use": scenario.requires_tool_use,
        "tags": list(scenario.tags),
        "must_call": [
            entry if isinstance(entry, str) else list(entry) for entry in scenario.must_call
        ],
        "forbidden_calls": list(scenario.forbidden_calls),
        "gate_layers": list(scenario.resolved_gate_layers()),
        "has_perturbations": bool(scenario.perturbations),
    }
