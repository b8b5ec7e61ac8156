"""`wt triage`: each failed run of a directory is classified; the report and its Markdown.

Runs are read and classified one at a time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wt_git import files
from wt_git.api.score import GATE_LAYER_ORDER, score_from_dict
from wt_git.api.trace import load_trace
from wt_git.formatting import short_run
from wt_git.records import layout
from wt_git.records.documents.triage import (
    TriageCategory,
    TriagedRun,
    TriageFix,
    TriageReport,
    TriageTotals,
)
from wt_git.records.layout import check_directory, readable_records
from wt_git.records.runs.run_files import peek
from wt_git.records.runs.run_filter import RunFilter, missing_labels, missing_scenarios
from wt_git.records.runs.saved_scores import scored_scenario
from wt_git.reports.run_groups.directory_scan import SkippedFiles, matching_files, read_matching
from wt_git.reports.wording import markdown_table
from wt_git.text import markdown_text, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.records.runs.run_files import RunFile
    from wt_git.records.runs.saved_runs import SavedRun

_LONGEST_LINE = 1000


class Fix(Protocol):
    """What a classifier suggests."""

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None


class Classification(Protocol):
    """What a classifier says of a failed run."""

    category: str
    confidence: float
    evidence: list[str]

    @property
    def suggested_fix(self) -> Fix | None:
        """What may help."""


class Classify(Protocol):
    """The method of a classifier. It does not raise."""

    def __call__(self, scenario: Scenario, trace: Trace, score: Score) -> Classification:
        """Say what kind of failure a run is."""


class TriageReader:
    """The runs that were taken in: `failures` by category; `labels` and `scenarios` that were met."""

    def __init__(self, asked: RunFilter, classify: Classify) -> None:
        self.failures: dict[str, list[TriagedRun]] = {}
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.left_out = SkippedFiles()
        self._asked = asked
        self._classify = classify
        self._counts = dict.fromkeys(("PASS", "INVALID", "FAIL"), 0)
        self._seen: set[tuple[str, str, str]] = set()

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Take in all runs below `runs_dir` that were asked for.

        Without `everywhere`, nothing is opened that is stored where a label belongs that was not
        asked for. Raises `OSError` when the directory cannot be listed.
        """
        for file in matching_files(runs_dir, self._asked, self.left_out, everywhere=everywhere):
            self._take(file)

    def totals(self) -> TriageTotals:
        """Return how many runs there were of each kind."""
        return TriageTotals(
            failed=self._counts["FAIL"],
            passed=self._counts["PASS"],
            invalid=self._counts["INVALID"],
            skipped=self.left_out.unfinished + self.left_out.unreadable.number,
        )

    def _take(self, file: RunFile) -> None:
        identity = peek(file.path)
        if identity is not None and not self._asked.run(identity.scenario, identity.label):
            self._meet(identity.scenario, identity.label)
        elif file.is_scored:
            self._load(file.path)
        elif identity is not None or file.is_stamped:
            # Without a score and a name of ours, it is somebody else's file.
            self.left_out.unfinished += 1

    def _meet(self, scenario: str, label: str) -> None:
        self.labels.add(label)
        if self._asked.label(label):
            self.scenarios.add(scenario)

    def _load(self, path: str) -> None:
        run = self.left_out.flight(path)
        if run is None:
            return
        self._meet(run.scenario, run.label)
        identity = (run.scenario, run.label, run.run_id)
        is_again = bool(run.run_id) and identity in self._seen
        if is_again or not self._asked.run(run.scenario, run.label):
            return
        self._seen.add(identity)
        if run.verdict == "FAIL" and not self._triage(run):
            return
        self._counts[run.verdict] += 1

    def _triage(self, run: SavedRun) -> bool:
        """Classify a run that failed; say whether it could be read."""
        try:
            scenario, trace, score = _load_failed_run(run.path)
        except (OSError, ValueError, RecursionError) as error:
            self.left_out.broken(run.path, _error_text(error, run.path))
            return False
        said = self._classify(scenario, trace, score)
        evidence = said.evidence or _deciding_layer_details(run, score)
        self.failures.setdefault(said.category, []).append(_triaged_run(run, said, evidence))
        return True


def _load_failed_run(path: str) -> tuple[Scenario, Trace, Score]:
    """Return what a classifier is asked about. Raises `OSError`, `ValueError`, `RecursionError`."""
    sidecar = json.loads(files.read_regular(layout.sidecar_name(path)).decode("utf-8"))
    trace = load_trace(path)
    return scored_scenario(sidecar.get("scenario"), trace), trace, score_from_dict(sidecar)


def _error_text(error: Exception, path: str) -> str:
    return str(error).removeprefix(f"{path}: ")


def _deciding_layer_details(run: SavedRun, score: Score) -> list[str]:
    """Return what the layers say that the run failed by: all there is where no rule knows more."""
    failed = [name for name in GATE_LAYER_ORDER if not getattr(score, name).passed]
    return [
        f"{name}: {getattr(score, name).detail}"
        for name in failed
        if name not in run.diagnostic_failures
    ]


def _triaged_run(run: SavedRun, said: Classification, evidence: Sequence[str]) -> TriagedRun:
    fix = said.suggested_fix
    return TriagedRun(
        scenario_id=run.scenario,
        label=run.label,
        run_id=run.run_id,
        path=run.path,
        confidence=float(said.confidence),
        evidence=_cut_lines(evidence),
        suggested_fix=None
        if fix is None
        else TriageFix(
            fix_vector=fix.fix_vector,
            target=fix.target,
            rationale=fix.rationale,
            diff_text=fix.diff_text,
        ),
    )


def _cut_lines(lines: Sequence[str]) -> list[str]:
    """Return lines of evidence, none so long that thousands of them could not be held."""
    return [one if len(one) <= _LONGEST_LINE else one[:_LONGEST_LINE] + "..." for one in lines]


UNKNOWN = "unknown"


class LoadedTriage(NamedTuple):
    """The report, and sentences about what it leaves out."""

    document: TriageReport
    remarks: tuple[str, ...]


def load_triage(
    runs_dir: Path,
    classify: Classify,
    *,
    classifier: str,
    labels: Sequence[str] = (),
    scenarios: Sequence[str] = (),
) -> LoadedTriage:
    """Return what `classify`, whose name is `classifier`, says of the failed runs below `runs_dir`.

    All of them, not only those of the latest sweeps; of `labels` (exact) and `scenarios` (patterns),
    where any are named. Raises `UsageError` when there is no such directory or it cannot be read.
    """
    check_directory(runs_dir)
    asked = RunFilter(labels=frozenset(labels) or None, scenarios=tuple(scenarios))
    with readable_records():
        reader = read_matching(runs_dir, asked, lambda: TriageReader(asked, classify))
    document = TriageReport(
        runs_dir=str(runs_dir),
        classifier=classifier,
        totals=reader.totals(),
        categories=[
            _category_document(name, runs) for name, runs in _ordered_categories(reader.failures)
        ],
    )
    return LoadedTriage(document, tuple(_scan_remarks(reader, asked)))


def _ordered_categories(
    failures: Mapping[str, Sequence[TriagedRun]],
) -> list[tuple[str, Sequence[TriagedRun]]]:
    return sorted(failures.items(), key=lambda one: (one[0] == UNKNOWN, -len(one[1]), one[0]))


def _category_document(name: str, runs: Sequence[TriagedRun]) -> TriageCategory:
    fixes = (run.suggested_fix for run in runs if run.suggested_fix is not None)
    return TriageCategory(
        category=name, runs=len(runs), suggested_fix=next(fixes, None), failures=list(runs)
    )


def _scan_remarks(reader: TriageReader, asked: RunFilter) -> Iterator[str]:
    missing = (asked.labels or frozenset()) - reader.labels
    if missing:
        yield missing_labels(missing, reader.labels)
    unmatched = asked.unmatched(reader.scenarios) if reader.labels else []
    if unmatched:
        yield missing_scenarios(unmatched, reader.scenarios)
    yield from reader.left_out.remarks()


_EVIDENCE_LINES, _EVIDENCE_CHARACTERS = 2, 80


def triage_lines(report: TriageReport) -> Iterator[str]:
    """Yield the lines of the report."""
    totals = report.totals
    yield "# Wind Tunnel Triage Report"
    yield ""
    yield (
        f"**Failed runs:** {totals.failed} | **Passed:** {totals.passed} "
        f"| **Invalid:** {totals.invalid} | **Skipped (no score):** {totals.skipped} "
        f"| **Classifier:** {report.classifier}"
    )
    if not totals.failed:
        yield ""
        yield "No failures to triage." if totals.passed or totals.invalid else "No runs found."
    for category in report.categories:
        yield from _category_lines(category)


def _category_lines(category: TriageCategory) -> Iterator[str]:
    yield ""
    yield f"## {category.category} ({category.runs})"
    fix = category.suggested_fix
    if fix is not None:
        yield ""
        yield f"**Fix:** `{fix.fix_vector}`: {markdown_text(fix.rationale)}"
    yield ""
    yield from markdown_table(
        ("Scenario", "Run", "Confidence", "Evidence"), map(_run_cells, category.failures)
    )


def _run_cells(run: TriagedRun) -> tuple[str, ...]:
    return (
        markdown_text(run.scenario_id),
        markdown_text(short_run(run.run_id)),
        f"{run.confidence:.0%}",
        "; ".join(_evidence_text(line) for line in run.evidence[:_EVIDENCE_LINES]),
    )


def _evidence_text(line: str) -> str:
    shown = one_line(line)
    cut = len(shown) > _EVIDENCE_CHARACTERS
    return markdown_text(shown[:_EVIDENCE_CHARACTERS] + "..." if cut else shown)
