"""The module of an imported scenario, which `wt run --pack-source` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.importer.python_text import listing, literal, value

if TYPE_CHECKING:
    from wt_git.api.importer.plan import ImportPlan

PLACEHOLDER_FACT = "TODO_REPLACE_WITH_REVIEWED_OUTCOME_FACT"
"""What no answer says, so that an import fails until a person has said what to look for."""

_MODULE = '''\
"""A scenario imported from a recorded conversation by `wt import`.

It fails until somebody has put what an answer must say in place of the one target fact.
IMPORTED.md, beside this file, says what else is left to do.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from windtunnel.api import Scenario, ScenarioPack

UNIVERSE = Path(__file__).with_name({universe})

scenario = Scenario(
{fields}
)

SCENARIOS = [scenario]


def recorded_tools(_scenario: Scenario) -> Any:
    """Return a tool server, not yet started, that answers as the recorded tools did."""
    # Found by name: scenarios can be listed and scored where no tool server can be loaded.
    recorded = importlib.import_module("windtunnel.mcp.recorded")
    return recorded.RecordedMCPServer(UNIVERSE)


PACK = ScenarioPack(
{pack}
    scenarios=SCENARIOS,
    mcp_factory=recorded_tools,
)
'''


def scenario_module(plan: ImportPlan, universe_file: str) -> str:
    """Return the source of the module; it reads `universe_file`, which lies beside it."""
    indent = "    "
    fields = [value(plan.name, indent, before="name=")]
    fields.append(value(plan.prompt, indent, before="prompt="))
    if len(plan.turns) > 1:
        fields.append(listing(plan.turns, indent, before="user_turns="))
    fields += [
        f"{indent}# What a right answer says; scorer.py has suggestions.",
        f"{indent}target_facts=[[{literal(PLACEHOLDER_FACT)}]],",
        f"{indent}requires_tool_use={plan.requires_tool_use},",
    ]
    if plan.evidence.tools:
        names = ", ".join(map(literal, plan.evidence.tools))
        fields.append(f"{indent}# must_call=[{names}],")
    tags = [] if plan.origin is None else [plan.origin]
    fields.append(listing(tags, indent, before="tags="))
    return _MODULE.format(
        universe=literal(universe_file),
        fields="\n".join(fields),
        pack=value(plan.name, indent, before="name="),
    )
