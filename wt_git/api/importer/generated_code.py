"""The Python modules of an imported scenario: `scenario.py` and `scorer.py`.

Foreign text becomes valid string literals that mean the same text, laid out as formatters leave it.
Characters that are not printable are escaped, so that no text can reverse or hide code around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.importer.plan import ImportPlan

_WIDTH = 88
_INDENT = "    "
_QUOTES = re.compile("(['\"])")
_AFTER_BREAKS = re.compile(r"(?<=\n)")


def string_literal(text: str) -> str:
    """Return `text` as a string literal on one line, in the quotes that need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    pieces = [
        (f"\\{quote}" if piece == quote else piece)
        if piece in {"'", '"'}
        else repr(piece).strip("'")
        for piece in _QUOTES.split(text)
    ]
    return f"{quote}{''.join(pieces)}{quote}"


def string_argument(text: str, indent: str, *, before: str = "") -> str:
    """Return an argument line: `indent`, `before`, `text` as a literal, and a comma.

    A text of several lines that does not fit into one becomes one literal for each of its lines.
    """
    whole = f"{indent}{before}{string_literal(text)},"
    lines = [line for line in _AFTER_BREAKS.split(text) if line]
    if len(whole) <= _WIDTH or len(lines) == 1:
        return whole
    parts = [f"{indent}{_INDENT}{string_literal(line)}" for line in lines]
    return "\n".join([f"{indent}{before}(", *parts, f"{indent}),"])


def list_argument(items: Sequence[str], indent: str, *, before: str = "") -> str:
    """Return an argument line whose value is a list of texts."""
    whole = f"{indent}{before}[{', '.join(map(string_literal, items))}],"
    if len(whole) <= _WIDTH:
        return whole
    inside = [string_argument(item, indent + _INDENT) for item in items]
    return "\n".join([f"{indent}{before}[", *inside, f"{indent}],"])


PLACEHOLDER_FACT = "TODO_REPLACE_WITH_REVIEWED_OUTCOME_FACT"
"""A fact that no answer states, so that an import fails until a person has reviewed it."""

_SCENARIO_MODULE = '''\
"""A scenario imported from a recorded conversation by `wt import`.

It fails until the target fact is replaced by facts that a right answer must state.
IMPORTED.md, beside this file, lists the remaining work.
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
    """Return a tool server, not yet started, that answers with the recorded results."""
    # Loaded by name, so that scenarios can be listed and scored without a tool server's libraries.
    recorded = importlib.import_module("windtunnel.mcp.recorded")
    return recorded.RecordedMCPServer(UNIVERSE)


PACK = ScenarioPack(
{pack}
    scenarios=SCENARIOS,
    mcp_factory=recorded_tools,
)
'''


def scenario_module(plan: ImportPlan, universe_file: str) -> str:
    """Return the source of `scenario.py`; it reads `universe_file` in its own folder."""
    indent = "    "
    fields = [string_argument(plan.name, indent, before="name=")]
    fields.append(string_argument(plan.prompt, indent, before="prompt="))
    if len(plan.turns) > 1:
        fields.append(list_argument(plan.turns, indent, before="user_turns="))
    fields += [
        f"{indent}# The facts of a right answer; scorer.py has suggestions.",
        f"{indent}target_facts=[[{string_literal(PLACEHOLDER_FACT)}]],",
        f"{indent}requires_tool_use={plan.requires_tool_use},",
    ]
    if plan.recorded.tools:
        names = ", ".join(map(string_literal, plan.recorded.tools))
        fields.append(f"{indent}# must_call=[{names}],")
    tags = [] if plan.origin is None else [plan.origin]
    fields.append(list_argument(tags, indent, before="tags="))
    return _SCENARIO_MODULE.format(
        universe=string_literal(universe_file),
        fields="\n".join(fields),
        pack=string_argument(plan.name, indent, before="name="),
    )


_SCORER_MODULE = '''\
"""Facts of the recorded answer, and a place for your own scorer.

No run uses this module yet. Move the facts that hold to `target_facts` of scenario.py, reworded so
that every right answer has them and no wrong one. Where facts are not enough, write `outcome_fn`,
move it to scenario.py and pass it as `outcome_fn=outcome_fn`.
"""

from __future__ import annotations

from windtunnel.api import LayerResult, Trace

{facts}


def outcome_fn(trace: Trace) -> LayerResult:
    """Return the result of `trace`. Until this is written, every run fails."""
    del trace
    return LayerResult(
        passed=False,
        detail="outcome_fn of this import is not written yet: see scorer.py and IMPORTED.md",
    )
'''


def scorer_module(plan: ImportPlan) -> str:
    """Return the source of `scorer.py`."""
    name = "SUGGESTED_TARGET_FACTS: list[list[str]] = "
    if not plan.suggestions:
        return _SCORER_MODULE.format(facts=f"{name}[]")
    groups = [list_argument([fact], "    ") for fact in plan.suggestions]
    return _SCORER_MODULE.format(facts="\n".join([f"{name}[", *groups, "]"]))
