"""Writing an imported scenario and its review note. docs/importing.md, "Written files".

In the note, foreign text appears in code spans and code blocks only, where Markdown has no other
markup.
"""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.api.importer.generated_code import PLACEHOLDER_FACT, scenario_module, scorer_module
from wt_git.api.importer.plan import plan_import
from wt_git.api.interchange.conversation import InterchangeTrace, parse_interchange
from wt_git.api.universe.document import universe_to_dict
from wt_git.files import json_document, write_whole
from wt_git.text import DECLARATION_OPTIONS, json_characters, many_lines, markdown_code, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from wt_git.api.importer.plan import ImportPlan

_NOTE = """\
# Imported scenario {name}

`wt import` made this folder from a recorded conversation. Until a person adds the facts of a right
answer, the scenario always fails.

## What was imported

{facts}

The final prompt, whose answer is scored:

{prompt}

The `source` of the conversation:

{source}

## Remaining work

{tasks}

Then run it on your agent: add `--runtime` and the agent's other options to

{command}

## The last answer of the assistant

{answer}
"""

_UNIVERSE = "fixture.universe.json"


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
    """Return the command, ready to paste, that runs an imported scenario from here."""
    return f"wt run --pack-source={shell_word(f'{scenario_path}:PACK')} {DECLARATION_OPTIONS}"


def _facts(plan: ImportPlan) -> Iterator[str]:
    trace = plan.trace
    skipped = f" (skipped, without text: `{plan.blank_turns}`)" if plan.blank_turns else ""
    yield f"Interchange version: `{trace.windtunnel_interchange}`"
    yield f"Semantic conventions (`otel_genai_mapping`): {_code_or_none(trace.otel_genai_mapping)}"
    yield f"Model: {markdown_code(trace.model)}"
    yield f"User turns: `{len(plan.turns)}`{skipped}"
    yield f"Fixture evidence source: `{plan.recorded.source}`"
    yield f"Recordings: `{len(plan.recorded.calls)}`"
    yield f"Observed tools: {_codes(plan.recorded.tools) or '`(none)`'}"
    yield f"`requires_tool_use`: `{plan.requires_tool_use}`"
    yield f"Origin tag: {_code_or_none(plan.origin)}"


def _tasks(plan: ImportPlan) -> Iterator[str]:
    if not plan.turns:
        yield "Write the `prompt` in `scenario.py`: no message of the user had text."
    yield (
        f"Replace `{PLACEHOLDER_FACT}` in `scenario.py` by the facts of a right answer, and add the"
        " scenario's other checks, for example `must_call`."
    )
    if plan.suggestions:
        yield (
            "Review `SUGGESTED_TARGET_FACTS` in `scorer.py`: they are the assistant's statements,"
            " right or wrong."
        )
    if plan.stubbed:
        task = "Replace stubbed `input_schema` values in `fixture.universe.json`"
        yield f"{task}, where the source had none: {_codes(plan.stubbed)}"
    if plan.requires_tool_use and not plan.universe.tools:
        yield (
            "The agent is offered no tool, although the conversation used some: add them to the"
            " fixture, or remove `requires_tool_use` from `scenario.py`. Until then no run can pass."
        )
    if plan.recorded.undecided:
        yield (
            "These tools gave different answers to the same arguments, and the first answer is"
            f" replayed each time: {_codes(plan.recorded.undecided)}. Where the order matters, give"
            ' the tool `"mode": "sequence"` in `fixture.universe.json`.'
        )
    for call in plan.recorded.unanswered:
        is_defined = call.tool_name in plan.universe.tool_map
        lacking = "recording" if is_defined else "tool and a recording"
        yield (
            f"Call {call.number}, {markdown_code(call.id)} of tool {markdown_code(call.tool_name)},"
            f" has no response and is not in the fixture: add a {lacking} if the agent may repeat it."
        )
    for response in plan.recorded.unclaimed:
        yield (
            f"A response to {markdown_code(response)} belongs to no call and is not in the fixture:"
            " check whether the export lost the call."
        )


def _bullets(mark: str, items: Iterable[str]) -> str:
    return "\n".join(f"{mark} {item}" for item in items)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(markdown_code, names))


def _code_or_none(text: str | None) -> str:
    return markdown_code(text) if text else "`(none)`"


def _block(text: str) -> str:
    """Return `text` as an indented code block, which its content cannot end."""
    lines = many_lines(text.strip("\n")).split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)


@dataclass(frozen=True)
class ImportResult:
    """The files of an import.

    `evidence_source` is the source of the recordings: `witnessed_calls` or `reconstructed`.
    `stubbed_tool_schemas` are the tools that need an input schema, `recordings` the number of
    recorded calls.
    """

    out_dir: Path
    scenario_path: Path
    universe_path: Path
    scorer_path: Path
    imported_path: Path
    evidence_source: str
    stubbed_tool_schemas: tuple[str, ...]
    recordings: int


def write_imported_scenario(
    envelope: Mapping[str, Any] | InterchangeTrace,
    out_dir: Path | str,
    *,
    scenario_name: str | None = None,
) -> ImportResult:
    """Write a scenario, its recorded tools, a scorer and a review note into the folder `out_dir`.

    The folder is made. These four files are replaced, each as a whole, and other files are not
    changed. The scenario's name is `scenario_name`, or else that of the folder.

    Before anything is written, raises `InterchangeFormatError` for a wrong envelope,
    `UniverseFormatError` for tools that cannot be served together, and `ValueError` for a blank
    name. Raises `OSError` when the folder or a file cannot be written.
    """
    trace = envelope if isinstance(envelope, InterchangeTrace) else parse_interchange(envelope)
    out = Path(out_dir)
    plan = plan_import(trace, out, scenario_name=scenario_name)
    result = ImportResult(
        out_dir=out,
        scenario_path=out / "scenario.py",
        universe_path=out / _UNIVERSE,
        scorer_path=out / "scorer.py",
        imported_path=out / "IMPORTED.md",
        evidence_source=plan.recorded.source,
        stubbed_tool_schemas=plan.stubbed,
        recordings=len(plan.recorded.calls),
    )
    _write(
        out,
        {
            result.universe_path: json_document(universe_to_dict(plan.universe)) + "\n",
            result.scorer_path: scorer_module(plan),
            result.imported_path: review_note(plan, result.scenario_path),
            # Last, so that a scenario always has its universe.
            result.scenario_path: scenario_module(plan, _UNIVERSE),
        },
    )
    return result


def _write(folder: Path, files: Mapping[Path, str]) -> None:
    """Write `files` into `folder`; when that fails, new files and folders are removed again."""
    for path in files:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    new = [path for path in (*files, folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            write_whole(path, text)
    except OSError:
        for path in new:
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise
