"""What an import makes of a conversation, before anything is written. docs/importing.md."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.importer.evidence import evidence_of
from wt_git.api.importer.suggestions import last_answer, suggested_facts
from wt_git.api.interchange.conversation import ToolCallPart
from wt_git.api.universe.storage import freeze_universe

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.api.importer.evidence import Evidence
    from wt_git.api.interchange.conversation import InterchangeTrace
    from wt_git.api.universe.definition import Universe

STUB_INPUT_SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": True}
"""What a tool takes whose schema the source did not record: anything."""

DEFAULT_NAME = "imported_trace"
MISSING_PROMPT = "TODO_REPLACE_WITH_THE_PROMPT"


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """A scenario in the making.

    `turns` are the user's messages that say something, `blank_turns` how many do not. `stubbed` are
    the tools whose schema nobody recorded. `answer` is the last thing that the assistant said,
    `suggestions` the facts in it.
    """

    trace: InterchangeTrace
    name: str
    turns: tuple[str, ...]
    blank_turns: int
    evidence: Evidence
    universe: Universe
    stubbed: tuple[str, ...]
    requires_tool_use: bool
    answer: str | None
    suggestions: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The last thing that the user said."""
        return self.turns[-1] if self.turns else MISSING_PROMPT

    @property
    def origin(self) -> str | None:
        """The tag that says where the conversation came from."""
        ref = self.trace.source_ref
        return None if ref is None else f"origin:{ref}"


def plan_import(
    trace: InterchangeTrace, out_dir: Path, *, scenario_name: str | None = None
) -> ImportPlan:
    """Return what an import into the folder `out_dir` will write; nothing is read or written.

    Raises `UniverseFormatError` for tools that cannot be served together, and `ValueError` for a
    blank `scenario_name`.
    """
    if scenario_name is not None and not scenario_name.strip():
        raise ValueError("scenario_name must not be blank")
    evidence = evidence_of(trace)
    tools = _tools(trace, evidence)
    said = [message.text_content() for message in trace.messages if message.role == "user"]
    turns = tuple(text for text in said if text.strip())
    answer = last_answer(trace)
    return ImportPlan(
        trace=trace,
        name=scenario_name or _name(out_dir, trace.source_ref),
        turns=turns,
        blank_turns=len(said) - len(turns),
        evidence=evidence,
        universe=freeze_universe(
            [
                {"tool_name": call.tool_name, "args": call.args, "result": call.result}
                for call in evidence.calls
            ],
            [tool.definition for tool in tools],
            matching={"on_miss": "fail_call"},
        ),
        stubbed=tuple(tool.definition["name"] for tool in tools if tool.is_stubbed),
        requires_tool_use=bool(evidence.calls) or _has_call(trace),
        answer=answer,
        suggestions=tuple(suggested_facts(answer or "")),
    )


class _Tool(NamedTuple):
    definition: dict[str, Any]
    is_stubbed: bool


def _tools(trace: InterchangeTrace, evidence: Evidence) -> list[_Tool]:
    """Return the tools as the source defined them, then those that were merely called."""
    defined = trace.tool_definitions or ()
    names = {tool.name for tool in defined}
    return [
        *(
            _tool(
                tool.name,
                tool.input_schema,
                description=tool.description,
                result_schema=tool.result_schema,
            )
            for tool in defined
        ),
        *(_tool(name, None) for name in evidence.tools if name not in names),
    ]


def _tool(name: str, input_schema: dict[str, Any] | None, **described: Any) -> _Tool:
    schema = STUB_INPUT_SCHEMA if input_schema is None else input_schema
    return _Tool({"name": name, "input_schema": schema, **described}, input_schema is None)


def _has_call(trace: InterchangeTrace) -> bool:
    return any(isinstance(part, ToolCallPart) for one in trace.messages for part in one.parts)


def _name(out_dir: Path, ref: str | None) -> str:
    # Not the path as it was typed, whose last part may be `.` or `..`.
    folder = os.path.basename(os.path.abspath(out_dir))  # noqa: PTH100, PTH119 - links stay
    return _slug(folder) or _slug(ref or "") or DEFAULT_NAME


def _slug(text: str) -> str:
    """Return `text` as a name of ASCII letters, digits and underscores; empty if it has none."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "_", text).strip("_").lower()
    return f"imported_{slug}" if slug[:1].isdigit() else slug
