"""The review note of an import: what it rests on and what is left to do.

Foreign text stands in code spans and code blocks only, where Markdown has no other markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.importer.scenario_module import PLACEHOLDER_FACT
from wt_git.files import json_document
from wt_git.text import DECLARED, json_characters, many_lines, markdown_code, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wt_git.api.importer.plan import ImportPlan

_NOTE = """\
# Imported scenario {name}

`wt import` made this folder of a recorded conversation. Nobody has said yet what a right answer is,
so the scenario fails, whatever the agent does.

## What was imported

{facts}

The final prompt, which is the one that is scored:

{prompt}

Where the conversation came from, as its `source` says:

{source}

## What is left to do

{tasks}

Then fly it on your agent: add `--runtime` and what else the agent needs to

{command}

## What the assistant said last

{answer}
"""

_STUBBED = (
    "Replace stubbed `input_schema` values in `fixture.universe.json`, where the source had none"
)


def review_note(plan: ImportPlan, scenario_path: Path) -> str:
    """Return the note in Markdown."""
    return _NOTE.format(
        name=markdown_code(plan.name),
        facts=_bullets("-", _facts(plan)),
        prompt=_block(plan.prompt),
        source=_block(json_characters(json_document(plan.trace.source))),
        tasks=_bullets("- [ ]", _tasks(plan)),
        command=_block(run_command(scenario_path)),
        answer=_block(plan.answer or "(nothing)"),
    )


def run_command(scenario_path: Path) -> str:
    """Return the command that runs an imported scenario from here; ready to paste."""
    return f"wt run --pack-source={shell_word(f'{scenario_path}:PACK')} {DECLARED}"


def _facts(plan: ImportPlan) -> Iterator[str]:
    trace = plan.trace
    yield f"Interchange version: `{trace.windtunnel_interchange}`"
    yield f"Semantic conventions (`otel_genai_mapping`): {_code_or_none(trace.otel_genai_mapping)}"
    yield f"Model: {markdown_code(trace.model)}"
    yield f"User turns: `{len(plan.turns)}`{_blank_turns(plan)}"
    yield f"Fixture evidence source: `{plan.evidence.source}`"
    yield f"Recordings: `{len(plan.evidence.calls)}`"
    yield f"Observed tools: {_codes(plan.evidence.tools) or '`(none)`'}"
    yield f"`requires_tool_use`: `{plan.requires_tool_use}`"
    yield f"Origin tag: {_code_or_none(plan.origin)}"


def _blank_turns(plan: ImportPlan) -> str:
    if not plan.blank_turns:
        return ""
    return f" (skipped, because there is no text in them: `{plan.blank_turns}`)"


def _tasks(plan: ImportPlan) -> Iterator[str]:
    if not plan.turns:
        yield "Write the `prompt` in `scenario.py`: no message of the user had text."
    yield (
        f"Say what a right answer is: replace `{PLACEHOLDER_FACT}` in `scenario.py`, and give the"
        " scenario what else must hold, for example `must_call`."
    )
    if plan.suggestions:
        yield (
            "Review `SUGGESTED_TARGET_FACTS` in `scorer.py`: they are what the assistant said,"
            " right or wrong."
        )
    if plan.stubbed:
        yield f"{_STUBBED}: {_codes(plan.stubbed)}"
    if plan.requires_tool_use and not plan.universe.tools:
        yield (
            "The agent is offered no tool, although the conversation used some: add them to the"
            " fixture, or take `requires_tool_use` out of `scenario.py`. Until then nothing can pass."
        )
    if plan.evidence.undecided:
        yield (
            "The same arguments were answered differently, and the first answer is replayed each"
            f" time: {_codes(plan.evidence.undecided)}. Where the order matters, give the tool"
            ' `"mode": "sequence"` in `fixture.universe.json`.'
        )
    for call in plan.evidence.unanswered:
        lacking = (
            "recording" if call.tool_name in plan.universe.tool_map else "tool and a recording"
        )
        yield (
            f"Call {call.number}, {markdown_code(call.id)} of tool {markdown_code(call.tool_name)},"
            f" has no response and is not in the fixture: add a {lacking} if the agent may repeat it."
        )
    for response in plan.evidence.unclaimed:
        yield (
            f"A response to {markdown_code(response)} belongs to no call and is not in the fixture:"
            " see whether the export lost the call."
        )


def _bullets(mark: str, items: Iterable[str]) -> str:
    return "\n".join(f"{mark} {item}" for item in items)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(markdown_code, names))


def _code_or_none(text: str | None) -> str:
    return markdown_code(text) if text else "`(none)`"


def _block(text: str) -> str:
    """Return `text` as an indented code block, which nothing inside it can end."""
    lines = many_lines(text.strip("\n")).split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)
