"""Writing an imported scenario: its Python modules, its fixture and its review note.

docs/importing.md, "Written files", lists them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.api.importer.plan import plan_import
from wt_git.api.interchange.conversation import InterchangeTrace, parse_interchange
from wt_git.api.universe.document import universe_to_dict
from wt_git.files import json_document, write_whole
from wt_git.text import DECLARATION_OPTIONS, json_characters, many_lines, markdown_code, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

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
        f"{indent}facts_must_be_asserted=True,",
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
