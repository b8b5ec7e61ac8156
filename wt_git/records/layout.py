"""Every file name under a runs directory, spelt once (docs/files.md, "Map")."""

from __future__ import annotations

import re
from pathlib import Path

from wt_git import files

LEDGER = "ledger.ndjsonl"
EXPERIMENTS = "experiments.ndjsonl"
EVENTS = "events.ndjsonl"
OUTPUTS = ".wt-outputs"
LEDGER_INDEX = ".ledger-index"
LEDGER_INDEX_IN_THE_MAKING = ".ledger-index.new"
IGNORE_FILE = ".gitignore"
LISTINGS = ".fingerprints"
SIDECAR_SUFFIX = ".score.json"
RUN_FOLDERS = 5
"""Folders that a run is stored below: `<scenario>/<agent>/<label>/<model>/<quant>`."""

_OWN_FILES = {
    LEDGER,
    EXPERIMENTS,
    EVENTS,
    OUTPUTS,
    LEDGER_INDEX,
    LEDGER_INDEX_IN_THE_MAKING,
    IGNORE_FILE,
}
_LONGEST_PART = 70
_NOT_IN_A_COMPONENT = re.compile(r"[^A-Za-z0-9_-]")


def sidecar_path(trace_path: Path) -> Path:
    """Return where the score of the trace at `trace_path` stands: beside it."""
    return Path(sidecar_name(str(trace_path)))


def sidecar_name(trace_name: str) -> str:
    """Return the same for a name, for the hot path of a sweep: a Path costs as much as a write."""
    return trace_name.removesuffix(".json") + SIDECAR_SUFFIX


def is_kept_place(inside: Path) -> bool:
    """Say whether `inside`, a path relative to a runs directory, is a place of its own records."""
    return len(inside.parts) != 1 or inside.name in _OWN_FILES


def is_ours(inside: Path) -> bool:
    """Say whether `inside`, a path relative to a runs directory, is one that `wt` writes."""
    if len(inside.parts) == 1:
        return inside.name in _OWN_FILES or inside.name.endswith((".pack.json", ".html"))
    is_run = inside.suffix == ".json" and len(inside.parts) == RUN_FOLDERS + 1
    return is_run or inside.parts[0] in {LISTINGS, "selftest"}


def component(text: str) -> str:
    """Return `text` as one part of an artifact's file name."""
    return _NOT_IN_A_COMPONENT.sub("_", text) or "artifact"


def run_artifact_name(trace_stem: str, hook: str, label: str | None, number: int = 1) -> str:
    """Return the name of a run-scoped hook artifact, beside its trace."""
    parts = [component(part) for part in (hook, label) if part is not None]
    return _artifact_name(trace_stem, parts, _numbered(number) + ".json")


def pack_artifact_name(
    stamp: str, hook: str, scenario: str | None, label: str | None, number: int = 1
) -> str:
    """Return the name of a scenario- or pack-scoped hook artifact, in the runs directory."""
    parts = [component(part) for part in (hook, scenario, label) if part is not None]
    return _artifact_name(stamp, parts, _numbered(number) + ".pack.json")


def _artifact_name(begin: str, parts: list[str], end: str) -> str:
    """Return the joined name, its parts cut if a folder could not hold it otherwise."""
    name = ".".join([begin, *parts]) + end
    if len(name) <= files.LONGEST_NAME:
        return name
    return ".".join([begin, *(files.short_name(part, _LONGEST_PART) for part in parts)]) + end


def _numbered(number: int) -> str:
    return "" if number == 1 else f"-{number}"
