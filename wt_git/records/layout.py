"""Every file name under a runs directory, spelt once (docs/files.md, "Map")."""

from __future__ import annotations

import re
from pathlib import Path

LEDGER = "ledger.ndjsonl"
EXPERIMENTS = "experiments.ndjsonl"
EVENTS = "events.ndjsonl"
OUTPUTS = ".wt-outputs"
IGNORE_FILE = ".gitignore"
SIDECAR_SUFFIX = ".score.json"

_NOT_IN_A_COMPONENT = re.compile(r"[^A-Za-z0-9_-]")


def sidecar_path(trace_path: Path) -> Path:
    """Return where the score of the trace at `trace_path` stands: beside it."""
    return Path(sidecar_name(str(trace_path)))


def sidecar_name(trace_name: str) -> str:
    """Return the same for a name, for the hot path of a sweep: a Path costs as much as a write."""
    return trace_name.removesuffix(".json") + SIDECAR_SUFFIX


def component(text: str) -> str:
    """Return `text` as one part of an artifact's file name."""
    return _NOT_IN_A_COMPONENT.sub("_", text) or "artifact"


def run_artifact_name(trace_stem: str, hook: str, label: str | None, number: int = 1) -> str:
    """Return the name of a run-scoped hook artifact, beside its trace."""
    parts = [trace_stem, component(hook), *([component(label)] if label is not None else [])]
    return ".".join(parts) + _numbered(number) + ".json"


def pack_artifact_name(
    stamp: str, hook: str, scenario: str | None, label: str | None, number: int = 1
) -> str:
    """Return the name of a scenario- or pack-scoped hook artifact, in the runs directory."""
    named = [part for part in (scenario, label) if part is not None]
    parts = [stamp, component(hook), *map(component, named)]
    return ".".join(parts) + _numbered(number) + ".pack.json"


def _numbered(number: int) -> str:
    return "" if number == 1 else f"-{number}"
