"""Writing an imported scenario into its folder. docs/importing.md, "What is written"."""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.api.importer.note import review_note
from wt_git.api.importer.plan import plan_import
from wt_git.api.importer.scenario_module import scenario_module
from wt_git.api.importer.scorer_module import scorer_module
from wt_git.api.interchange.conversation import InterchangeTrace
from wt_git.api.interchange.parsing import parse_interchange
from wt_git.api.universe.document import universe_to_dict
from wt_git.files import json_document, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_UNIVERSE = "fixture.universe.json"


@dataclass(frozen=True)
class ImportResult:
    """What was written where.

    `evidence_source` says whose account the recordings are: `witnessed_calls` or `reconstructed`.
    `stubbed_tool_schemas` are the tools that need an input schema, `recordings` is how many calls
    can be answered.
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

    The folder is made; of what is in it, these four files are replaced and others left alone. Each
    is written whole or not at all. The scenario is called `scenario_name`, else after the folder.

    Raises `InterchangeFormatError` for an envelope that is none, `UniverseFormatError` for tools
    that cannot be served together and `ValueError` for a blank name, all before anything is
    written; `OSError` when the folder or a file cannot be written.
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
        evidence_source=plan.evidence.source,
        stubbed_tool_schemas=plan.stubbed,
        recordings=len(plan.evidence.calls),
    )
    _write(
        out,
        {
            result.universe_path: json_document(universe_to_dict(plan.universe)) + "\n",
            result.scorer_path: scorer_module(plan),
            result.imported_path: review_note(plan, result.scenario_path),
            # Last, so that a scenario that is there has what it reads.
            result.scenario_path: scenario_module(plan, _UNIVERSE),
        },
    )
    return result


def _write(folder: Path, files: Mapping[Path, str]) -> None:
    """Write `files` into `folder`; when that fails, what was new is taken away again."""
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
