"""Traces: the record of one run, complete enough to be scored again without the agent.

A trace is one JSON file (docs/files.md). It has three records of the run: the transcript of the
agent (`turns`), the calls that reached a tool server (`mcp_calls`) and the external state afterwards
(`observations`).
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

from wt_git.api.document_reader import DocumentReader, shown
from wt_git.api.json_values import json_value
from wt_git.clock import as_utc, file_stamp
from wt_git.files import json_document, short_name, write_whole

TRACE_FORMAT_VERSION = 1
DEFAULT_BASE = Path("runs")

Hash: TypeAlias = str

_ID_LENGTH = 8


class TraceFormatError(ValueError):
    """A document is no trace that this version can read."""


def compute_hash(text: str) -> Hash:
    """Return `sha256:` and the 64-digit hexadecimal digest of `text` as UTF-8."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class Turn:
    """One message of the conversation, as the bench sent or received it.

    `tool_calls` keep the shape in which they arrived: OpenAI's (`id`, `type`, `function`) or flat
    (`id`, `name`, `args`). `latency_ms` is the agent's time, 0 for a user turn. `rendered_prompt` is
    the exact output of the chat template, where a runtime knows it.
    """

    role: str
    content: str
    tool_calls: list[dict[str, Any]]
    tool_results: list[dict[str, Any]]
    latency_ms: float
    rendered_prompt: str | None = None
    rendered_prompt_hash: Hash | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.rendered_prompt is not None:
            self.rendered_prompt_hash = compute_hash(self.rendered_prompt)


@dataclass
class Trace:
    """The complete record of one run.

    `variant_id` is the label, `sampler` the sampling settings. `worker_warnings` has the markers for
    evidence and integrity, and diagnostics. `mcp_calls` are the calls that reached a tool server,
    `observations` the external state by source after the last turn. `usage` sums tokens over the
    run, `model_calls` has them for each call; both are None when the runtime did not report them.
    """

    scenario_id: str
    agent_id: str
    variant_id: str
    model: str
    quant: str
    sampler: dict[str, Any]
    started_at: datetime
    finished_at: datetime
    turns: list[Turn]
    tool_schema_hash: Hash | None
    worker_warnings: list[str] = field(default_factory=list)
    mcp_calls: list[dict[str, Any]] = field(default_factory=list)
    observations: dict[str, Any] = field(default_factory=dict)
    surface: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    model_calls: list[dict[str, Any]] | None = None
    run_id: str = field(default_factory=lambda: str(uuid4()))


def with_warning(trace: Trace, warning: str) -> Trace:
    """Return a copy of `trace` with `warning` as its last; its turns may be replaced."""
    return replace(
        trace, turns=list(trace.turns), worker_warnings=[*trace.worker_warnings, warning]
    )


def trace_to_dict(trace: Trace) -> dict[str, Any]:
    """Return `trace` as the JSON object of its file; nested values are shared."""
    return {
        "windtunnel_trace": TRACE_FORMAT_VERSION,
        "run_id": trace.run_id,
        "scenario_id": trace.scenario_id,
        "agent_id": trace.agent_id,
        "variant_id": trace.variant_id,
        "model": trace.model,
        "quant": trace.quant,
        "sampler": trace.sampler,
        "started_at": as_utc(trace.started_at).isoformat(),
        "finished_at": as_utc(trace.finished_at).isoformat(),
        "turns": [_turn_to_dict(turn) for turn in trace.turns],
        "tool_schema_hash": trace.tool_schema_hash,
        "worker_warnings": trace.worker_warnings,
        "mcp_calls": trace.mcp_calls,
        "observations": trace.observations,
        "surface": trace.surface,
        "usage": trace.usage,
        "model_calls": trace.model_calls,
    }


def _turn_to_dict(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": turn.content,
        "tool_calls": turn.tool_calls,
        "tool_results": turn.tool_results,
        "latency_ms": turn.latency_ms,
        "rendered_prompt": turn.rendered_prompt,
        "rendered_prompt_hash": turn.rendered_prompt_hash,
    }


def trace_from_dict(payload: object) -> Trace:
    """Return the trace that a JSON object describes; unknown members are ignored.

    Members that were added to the format after its first version may be absent. Raises
    `TraceFormatError` for an unsupported version and for anything of another shape.
    """
    document = DocumentReader(payload, "", TraceFormatError)
    version = document.integer("windtunnel_trace", 0)
    if version not in {0, TRACE_FORMAT_VERSION}:
        raise TraceFormatError(
            f"unsupported windtunnel_trace {shown(version)}, known are 0 and {TRACE_FORMAT_VERSION}"
        )
    return Trace(
        scenario_id=document.text("scenario_id"),
        agent_id=document.text("agent_id"),
        variant_id=document.text("variant_id"),
        model=document.text("model"),
        quant=document.text("quant"),
        sampler=document.mapping("sampler"),
        started_at=_moment(document, "started_at"),
        finished_at=_moment(document, "finished_at"),
        turns=[_turn_from(turn) for turn in document.children("turns")],
        tool_schema_hash=None
        if document.anything("tool_schema_hash") is None
        else document.text("tool_schema_hash"),
        worker_warnings=document.texts("worker_warnings"),
        mcp_calls=document.mappings("mcp_calls"),
        observations=document.mapping("observations", {}),
        surface=document.optional("surface", document.mapping),
        usage=document.optional("usage", document.mapping),
        model_calls=document.optional("model_calls", document.mappings),
        run_id=document.text("run_id"),
    )


def _turn_from(document: DocumentReader) -> Turn:
    turn = Turn(
        role=document.text("role"),
        content=document.text("content"),
        # An agent's calls are evidence in any shape; a call may even be no object.
        tool_calls=document.array("tool_calls"),
        tool_results=document.mappings("tool_results"),
        latency_ms=document.number("latency_ms", 0.0),
        rendered_prompt=document.optional("rendered_prompt", document.text),
    )
    stored_hash = document.optional("rendered_prompt_hash", document.text)
    if stored_hash is not None:
        turn.rendered_prompt_hash = stored_hash
    return turn


def _moment(document: DocumentReader, name: str) -> datetime:
    text = document.text(name)
    try:
        return as_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as problem:
        raise TraceFormatError(f"{name} must be an ISO 8601 time, got {text[:40]!r}") from problem


def save_trace(trace: Trace, path: Path | str) -> None:
    """Write `trace` to `path` as a whole, and make the folders.

    A value that JSON lacks, such as NaN in an agent's argument, is written as its `repr`, so that the
    run is not lost. Raises `OSError` when the file cannot be written.
    """
    payload = trace_to_dict(trace)
    try:
        text = json_document(payload)
    except (TypeError, ValueError, RecursionError):
        text = json_document(json_value(payload))
    try:
        write_whole(path, text)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)


def load_trace(path: Path | str) -> Trace:
    """Read the trace at `path`.

    Raises `TraceFormatError`, which names the file, for other content, and `OSError` when it cannot
    be read.
    """
    data = Path(path).read_bytes()
    try:
        return trace_from_dict(json.loads(data.decode("utf-8")))
    except (ValueError, RecursionError) as problem:
        raise TraceFormatError(f"{path}: {problem}") from problem


def is_trace_json_path(path: Path | str) -> bool:
    """Say whether a file name is a trace's: `.json` without another dot; sidecars have one."""
    name = Path(path)
    return name.suffix == ".json" and "." not in name.stem


def storage_path(trace: Trace, base_dir: Path | str | None = None) -> Path:
    """Return the path of `trace` under `base_dir` (default: `runs` here); nothing is created.

    Raises `ValueError` when a symbolic link leads out of the base.
    """
    return Path(storage_name(trace, str(DEFAULT_BASE if base_dir is None else base_dir)))


def storage_name(trace: Trace, base: str) -> str:
    """Return the same path as text: for many runs, making a Path costs as much as a write."""
    parts = (trace.scenario_id, trace.agent_id, trace.variant_id, trace.model, trace.quant)
    identity = trace.run_id[:_ID_LENGTH]
    if not identity.isalnum():
        identity = folder_name(identity).replace(".", "_")
    here = "" if base.startswith("/") else os.getcwd()  # noqa: PTH109 - a key, not a path
    return f"{_checked_folder(base, here, parts)}/{file_stamp(trace.started_at)}_{identity}.json"


@lru_cache(maxsize=4096)
def _checked_folder(base: str, cwd: str, parts: tuple[str, ...]) -> str:  # noqa: ARG001 - a key
    """Return the folder of a trace, after checking that it is inside the base.

    The check makes a system call for each component, which doubles the cost of storing a run. A sweep
    stores thousands of runs in one folder, so the answer is cached for each working directory.
    """
    folder = Path(base, *(folder_name(part) for part in parts))
    if not folder.resolve().is_relative_to(Path(base).resolve()):
        raise ValueError(f"trace path {folder} leads out of {base}")
    return str(folder)


def folder_name(text: str) -> str:
    """Return the name of a trace's folder for `text`, for example a scenario or label.

    It is one path component, neither empty nor `..`; different texts may share one. Any text gets a
    name, because an agent reports its own model and the run must not be lost.
    """
    if text in {"", ".", ".."}:
        return "_" * max(len(text), 1)
    return short_name("".join(c if c.isalnum() or c in "-._" else "_" for c in text))
