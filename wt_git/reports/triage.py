"""`wt triage`: each failed run of a directory is classified; the report and its Markdown.

Runs are read and classified one at a time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from wt_git import files
from wt_git.api.score import GATE_LAYER_ORDER, score_from_dict
from wt_git.api.trace import load_trace
from wt_git.records import layout
from wt_git.records.documents.document import Document
from wt_git.records.layout import check_directory, readable_records
from wt_git.records.runs.run_files import RunFilter, missing_labels, missing_scenarios, peek
from wt_git.records.runs.scored_scenario import scored_scenario
from wt_git.reports.run_groups.groups import SkippedFiles, matching_files, scan_directory
from wt_git.reports.wording import markdown_table
from wt_git.text import markdown_text, one_line, short_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.records.runs.run_files import RunFile
    from wt_git.records.runs.saved_runs import SavedRun

UNKNOWN = "unknown"
TRIAGE_VERSION = 1
_LONGEST_LINE = 1000
_EVIDENCE_LINES, _EVIDENCE_CHARACTERS = 2, 80


class TriageTotals(Document, frozen=True, kw_only=True):
    """How many runs there were of each kind; those that were `skipped` could not be judged."""

    failed: int
    passed: int
    invalid: int
    skipped: int


class TriageFix(Document, frozen=True, kw_only=True):
    """A change that may help: its kind, its target, the reason, and the change itself where it is known."""

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None


class TriagedRun(Document, frozen=True, kw_only=True):
    """A failed run: its place, and the answer of the classifier."""

    scenario_id: str
    label: str
    run_id: str
    path: str
    confidence: float
    evidence: list[str]
    suggested_fix: TriageFix | None


class TriageCategory(Document, frozen=True, kw_only=True):
    """The runs of one category, in the order in which they are stored; the first fix among them."""

    category: str
    runs: int
    suggested_fix: TriageFix | None
    failures: list[TriagedRun]


class TriageReport(Document, frozen=True, kw_only=True):
    """All failed runs by category: most failures first, `unknown` last."""

    windtunnel_triage: int = TRIAGE_VERSION
    runs_dir: str
    classifier: str
    totals: TriageTotals
    categories: list[TriageCategory]


class Fix(Protocol):
    """The fix that a classifier suggests."""

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None


class Classification(Protocol):
    """The answer of a classifier about a failed run."""

    category: str
    confidence: float
    evidence: list[str]

    @property
    def suggested_fix(self) -> Fix | None:
        """A change that may help; None without a suggestion."""


class Classify(Protocol):
    """The `classify` method of a classifier. It does not raise."""

    def __call__(self, scenario: Scenario, trace: Trace, score: Score) -> Classification:
        """Return the category of the failure, with evidence."""


class TriageReader:
    """The runs that were read: `failures` by category, and the `labels` and `scenarios` met."""

    def __init__(self, run_filter: RunFilter, classify: Classify) -> None:
        self.failures: dict[str, list[TriagedRun]] = {}
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.skipped = SkippedFiles()
        self._filter = run_filter
        self._classify = classify
        self._counts = dict.fromkeys(("PASS", "INVALID", "FAIL"), 0)
        self._seen: set[tuple[str, str, str]] = set()

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Read all runs below `runs_dir` that match the filter.

        Without `everywhere`, only the folders of the labels in the filter are read. Raises `OSError`
        when the directory cannot be listed.
        """
        for file in matching_files(runs_dir, self._filter, self.skipped, everywhere=everywhere):
            self._take(file)

    def totals(self) -> TriageTotals:
        """Return the number of runs of each kind."""
        return TriageTotals(
            failed=self._counts["FAIL"],
            passed=self._counts["PASS"],
            invalid=self._counts["INVALID"],
            skipped=self.skipped.unfinished + self.skipped.unreadable.number,
        )

    def _take(self, file: RunFile) -> None:
        identity = peek(file.path)
        if identity is not None and not self._filter.run(identity.scenario, identity.label):
            self._meet(identity.scenario, identity.label)
        elif file.is_scored:
            self._load(file.path)
        elif identity is not None or file.is_stamped:
            # A file without a score that has no run's name belongs to another program.
            self.skipped.unfinished += 1

    def _meet(self, scenario: str, label: str) -> None:
        self.labels.add(label)
        if self._filter.label(label):
            self.scenarios.add(scenario)

    def _load(self, path: str) -> None:
        run = self.skipped.load(path)
        if run is None:
            return
        self._meet(run.scenario, run.label)
        identity = (run.scenario, run.label, run.run_id)
        is_again = bool(run.run_id) and identity in self._seen
        if is_again or not self._filter.run(run.scenario, run.label):
            return
        self._seen.add(identity)
        if run.verdict == "FAIL" and not self._triage(run):
            return
        self._counts[run.verdict] += 1

    def _triage(self, run: SavedRun) -> bool:
        """Classify a run that failed. Return whether it could be read."""
        try:
            scenario, trace, score = _load_failed_run(run.path)
        except (OSError, ValueError, RecursionError) as error:
            self.skipped.add_unreadable(run.path, _error_text(error, run.path))
            return False
        answer = self._classify(scenario, trace, score)
        evidence = answer.evidence or _deciding_layer_details(run, score)
        self.failures.setdefault(answer.category, []).append(_triaged_run(run, answer, evidence))
        return True


def _load_failed_run(path: str) -> tuple[Scenario, Trace, Score]:
    """Return the arguments for a classifier. Raises `OSError`, `ValueError`, `RecursionError`."""
    sidecar = json.loads(files.read_regular(layout.sidecar_name(path)).decode("utf-8"))
    trace = load_trace(path)
    return scored_scenario(sidecar.get("scenario"), trace), trace, score_from_dict(sidecar)


def _error_text(error: Exception, path: str) -> str:
    return str(error).removeprefix(f"{path}: ")


def _deciding_layer_details(run: SavedRun, score: Score) -> list[str]:
    """Return the details of the deciding layers, as evidence where the classifier gave none."""
    failed = [name for name in GATE_LAYER_ORDER if not getattr(score, name).passed]
    return [
        f"{name}: {getattr(score, name).detail}"
        for name in failed
        if name not in run.diagnostic_failures
    ]


def _triaged_run(run: SavedRun, answer: Classification, evidence: Sequence[str]) -> TriagedRun:
    fix = answer.suggested_fix
    return TriagedRun(
        scenario_id=run.scenario,
        label=run.label,
        run_id=run.run_id,
        path=run.path,
        confidence=float(answer.confidence),
        evidence=_cut_lines(evidence),
        suggested_fix=None if fix is None else _fix_document(fix),
    )


def _fix_document(fix: Fix) -> TriageFix:
    return TriageFix(
        fix_vector=fix.fix_vector,
        target=fix.target,
        rationale=fix.rationale,
        diff_text=fix.diff_text,
    )


def _cut_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines, cut so that thousands of them fit into memory."""
    return [one if len(one) <= _LONGEST_LINE else one[:_LONGEST_LINE] + "..." for one in lines]


class LoadedTriage(NamedTuple):
    """The report, and sentences about the runs that it leaves out."""

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
    """Return the answers of `classify`, named `classifier`, about the failed runs below `runs_dir`.

    They are all failed runs, not only those of the latest sweeps, or those of `labels` (exact) and
    `scenarios` (patterns). Raises `UsageError` when the directory is missing or cannot be read.
    """
    check_directory(runs_dir)
    run_filter = RunFilter(labels=frozenset(labels) or None, scenarios=tuple(scenarios))
    with readable_records():
        reader = scan_directory(runs_dir, run_filter, lambda: TriageReader(run_filter, classify))
    document = TriageReport(
        runs_dir=str(runs_dir),
        classifier=classifier,
        totals=reader.totals(),
        categories=[
            _category_document(name, runs) for name, runs in _ordered_categories(reader.failures)
        ],
    )
    return LoadedTriage(document, tuple(_scan_remarks(reader, run_filter)))


def _ordered_categories(
    failures: Mapping[str, Sequence[TriagedRun]],
) -> list[tuple[str, Sequence[TriagedRun]]]:
    return sorted(failures.items(), key=lambda one: (one[0] == UNKNOWN, -len(one[1]), one[0]))


def _category_document(name: str, runs: Sequence[TriagedRun]) -> TriageCategory:
    fixes = (run.suggested_fix for run in runs if run.suggested_fix is not None)
    return TriageCategory(
        category=name, runs=len(runs), suggested_fix=next(fixes, None), failures=list(runs)
    )


def _scan_remarks(reader: TriageReader, run_filter: RunFilter) -> Iterator[str]:
    missing = (run_filter.labels or frozenset()) - reader.labels
    if missing:
        yield missing_labels(missing, reader.labels)
    unmatched = run_filter.unmatched(reader.scenarios) if reader.labels else []
    if unmatched:
        yield missing_scenarios(unmatched, reader.scenarios)
    yield from reader.skipped.remarks()


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
