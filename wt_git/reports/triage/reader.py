"""Reading every scored run of a directory and having the failed ones classified, one at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from wt_git import files
from wt_git.api.score import GATE_LAYER_ORDER, score_from_dict
from wt_git.api.trace import load_trace
from wt_git.records import layout
from wt_git.records.run_files import peek
from wt_git.records.scored_scenarios import scored_scenario
from wt_git.records.triage import TriagedRun, TriageFix, TriageTotals
from wt_git.reports.counted.walk import LeftOut, asked_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.records.asked import Asked
    from wt_git.records.run_files import RunFile
    from wt_git.records.saved_runs import SavedRun

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

    def __init__(self, asked: Asked, classify: Classify) -> None:
        self.failures: dict[str, list[TriagedRun]] = {}
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.left_out = LeftOut()
        self._asked = asked
        self._classify = classify
        self._counts = dict.fromkeys(("PASS", "INVALID", "FAIL"), 0)
        self._seen: set[tuple[str, str, str]] = set()

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Take in all runs below `runs_dir` that were asked for.

        Without `everywhere`, nothing is opened that is stored where a label belongs that was not
        asked for. Raises `OSError` when the directory cannot be listed.
        """
        for file in asked_files(runs_dir, self._asked, self.left_out, everywhere=everywhere):
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
            scenario, trace, score = _read(run.path)
        except (OSError, ValueError, RecursionError) as error:
            self.left_out.broken(run.path, _reason(error, run.path))
            return False
        said = self._classify(scenario, trace, score)
        evidence = said.evidence or _deciding_details(run, score)
        self.failures.setdefault(said.category, []).append(_triaged(run, said, evidence))
        return True


def _read(path: str) -> tuple[Scenario, Trace, Score]:
    """Return what a classifier is asked about. Raises `OSError`, `ValueError`, `RecursionError`."""
    sidecar = json.loads(files.read_regular(layout.sidecar_name(path)).decode("utf-8"))
    trace = load_trace(path)
    return scored_scenario(sidecar.get("scenario"), trace), trace, score_from_dict(sidecar)


def _reason(error: Exception, path: str) -> str:
    return str(error).removeprefix(f"{path}: ")


def _deciding_details(run: SavedRun, score: Score) -> list[str]:
    """Return what the layers say that the run failed by: all there is where no rule knows more."""
    failed = [name for name in GATE_LAYER_ORDER if not getattr(score, name).passed]
    return [
        f"{name}: {getattr(score, name).detail}"
        for name in failed
        if name not in run.diagnostic_failures
    ]


def _triaged(run: SavedRun, said: Classification, evidence: Sequence[str]) -> TriagedRun:
    fix = said.suggested_fix
    return TriagedRun(
        scenario_id=run.scenario,
        label=run.label,
        run_id=run.run_id,
        path=run.path,
        confidence=said.confidence,
        evidence=_cut(evidence),
        suggested_fix=None
        if fix is None
        else TriageFix(
            fix_vector=fix.fix_vector,
            target=fix.target,
            rationale=fix.rationale,
            diff_text=fix.diff_text,
        ),
    )


def _cut(lines: Sequence[str]) -> list[str]:
    """Return lines of evidence, none so long that thousands of them could not be held."""
    return [one if len(one) <= _LONGEST_LINE else one[:_LONGEST_LINE] + "..." for one in lines]
