"""`wt run --format F --out FILE`: the document about a sweep."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal, assert_never

from wt_git import files
from wt_git.api.trace import load_trace
from wt_git.cli.commands.triage import RULE_BASED, classify_with
from wt_git.errors import StorageError, os_reason
from wt_git.evidence.written_paths import check_output
from wt_git.reports.ci_formats import Case, RunLines, junit
from wt_git.sweep.sweep_result import ScenarioBroke, ScenarioOutcome, ScenarioRan, WorldMismatched

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.records.runs_dir import RunsDir
    from wt_git.sweep.selection import Selected

Format = Literal["junit", "json"]


class OutputFile:
    """The file that `--out` names. Raises `UsageError` where it may not be written."""

    def __init__(self, path: Path, form: Format, runs_dir: RunsDir) -> None:
        check_output(path, runs_dir)
        self.path, self.form, self._runs_dir = path, form, runs_dir

    def write(self, selected: Sequence[Selected], results: Sequence[ScenarioOutcome]) -> None:
        """Write the document about the scenarios in `selected`, in that order.

        Raises `StorageError`.
        """
        text = _rows(results) if self.form == "json" else junit(_cases(selected, results))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._runs_dir.register_output(self.path)
            files.write_whole(self.path, text)
        except OSError as error:
            reason = os_reason(error)
            raise StorageError(
                f"could not write --out '{self.path}': {reason}",
                code="out-unwritable",
                facts={"out": str(self.path), "reason": reason},
            ) from error


def _rows(results: Sequence[ScenarioOutcome]) -> str:
    rows = [r.row.as_document() for r in results if isinstance(r, ScenarioRan)]
    return files.json_document(rows) + "\n"


def _cases(selected: Sequence[Selected], results: Sequence[ScenarioOutcome]) -> list[Case]:
    by_index = {result.index: result for result in results}
    return [
        _case(by_index[index]) if index in by_index else _not_started(item)
        for index, item in enumerate(selected)
    ]


def _not_started(item: Selected) -> Case:
    return Case(
        pack=item.pack.name,
        scenario=item.scenario.name,
        problem="not_started",
        message="the sweep ended before this scenario started",
    )


def _categories(result: ScenarioRan) -> tuple[str, ...]:
    """Return the categories of the valid runs that failed, each once.

    A run that cannot be classified has none: the document is about the verdict.
    """
    classify = classify_with(RULE_BASED)
    found: dict[str, None] = {}
    for run in result.runs:
        if run.verdict == "FAIL":
            with contextlib.suppress(Exception):
                said = classify(result.selected.scenario, load_trace(run.trace), run.score)
                found.setdefault(said.category)
    return tuple(found)


def _case(result: ScenarioOutcome) -> Case:
    pack, scenario = result.selected.pack.name, result.selected.scenario.name
    match result:
        case ScenarioRan():
            return Case(
                pack=pack,
                scenario=scenario,
                row=result.row,
                runs=tuple(
                    RunLines(
                        run.run_id,
                        tuple(
                            f"{layer.name}: {'PASS' if layer.passed else 'FAIL'} - {layer.detail}"
                            for layer in run.layers()
                        ),
                    )
                    for run in result.runs
                ),
                triage=_categories(result) if result.row.experiment.counts_as_failure else (),
                time_s=sum(run.duration_s for run in result.runs),
            )
        case ScenarioBroke():
            message = f"{result.error_type}: {result.message}"
            return Case(pack=pack, scenario=scenario, problem="error", message=message)
        case WorldMismatched():
            return Case(
                pack=pack, scenario=scenario, problem="world_mismatch", message=result.message
            )
        case _:
            assert_never(result)
