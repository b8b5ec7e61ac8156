"""`wt rescore`: scores saved traces with the current definitions of their scenarios (docs/rescoring.md)."""

from __future__ import annotations

import os
import stat
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from wt_git import files
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.clock import whole_seconds
from wt_git.errors import EXIT_NO, EXIT_USAGE, EXIT_YES, UsageError, os_reason
from wt_git.plugins.loading import FOREIGN_FAILURES, describe
from wt_git.plugins.packs import discover_packs
from wt_git.records import layout
from wt_git.records.documents.rescore import (
    LayerChange,
    MetricValues,
    NotScored,
    Rescored,
    RescoreSummary,
    Unresolved,
    Verdicts,
)
from wt_git.records.layout import check_directory, readable_records
from wt_git.records.runs.run_files import RunFile, RunFilter, missing_labels, peek, run_files
from wt_git.records.runs.saved_scores import UnreadableScoreError, read_score
from wt_git.records.runs.sidecars import (
    NOT_FLIGHTS,
    RESCORED,
    run_verdict,
    scenario_block,
    sidecar_document,
)
from wt_git.records.runs_dir import indented_json
from wt_git.runner.scoring import score_saved
from wt_git.sweep.selection import Definitions, Selectors, find_unmatched, unmatched_lines
from wt_git.sweep.trace_files import (
    TRACE_FAILURES,
    ForeignFileError,
    failure_reason,
    looks_like_a_trace,
    read_trace,
    trace_of_score,
)
from wt_git.text import Examples, one_line, shortened_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import GateLayer, LayerResult, MetricValue, Score
    from wt_git.api.trace import Trace
    from wt_git.clock import Clock
    from wt_git.records.documents.rescore import Entry, Passed
    from wt_git.records.runs.saved_scores import LayerFacts, SavedScore

_MOST_NAMED = 40


class RescoreRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The traces to score again: all below `runs_dir`, or else `traces`. Paths are as typed."""

    runs_dir: Path | None = None
    traces: tuple[Path, ...] = ()
    labels: tuple[str, ...] = ()
    selectors: Selectors = msgspec.field(default_factory=Selectors)
    pack_sources: tuple[str, ...] = ()
    write: bool = False

    def files(
        self, on_closed: Callable[[str, OSError], None] = lambda _path, _error: None
    ) -> Iterator[RunFile]:
        """Yield the files that are named as traces, or were given as traces.

        `on_closed` is told of folders that cannot be listed.
        """
        if self.runs_dir is None:
            for path in dict.fromkeys(map(str, self.traces)):
                yield RunFile(path, is_scored=True)
        else:
            with readable_records():
                yield from run_files(self.runs_dir, on_closed=on_closed)

    @property
    def asked(self) -> RunFilter:
        """Which traces were asked for."""
        return RunFilter(labels=frozenset(self.labels) or None, scenarios=self.selectors.scenarios)


def definitions_of(request: RescoreRequest, say: Callable[[str], None]) -> Definitions:
    """Return the definitions that `request` is judged by, once it is sure that it can be.

    `say` receives the selectors that match nothing, while others do. Raises `UsageError`, `LoadError`.
    """
    if request.runs_dir is None:
        _check_named(request.traces)
    else:
        _check_runs_dir(request, request.runs_dir)
    found = discover_packs(request.pack_sources)
    for line in unmatched_lines(find_unmatched(found.packs, request.selectors)):
        say(line)
    definitions = Definitions(found, request.selectors)
    if definitions.is_empty:
        raise UsageError(
            "no scenario definitions found: nothing that any pack has is left by --scenario, --tag, "
            "--pack and --owner",
            code="no-definitions",
            facts={"packs": [pack.name for pack in found.packs]},
        )
    definitions.check_unambiguous()
    if request.labels:
        _check_labels(request, say)
    return definitions


def _check_named(traces: Iterable[Path]) -> None:
    missing = {str(path): what for path in traces if (what := _not_there(path)) is not None}
    if missing:
        said = [f"'{one_line(path)}' ({what})" for path, what in missing.items()]
        raise UsageError(
            f"trace file not found: {shortened_list(said, most=_MOST_NAMED)}",
            code="trace-file-missing",
            facts={"missing": missing},
        )


def _not_there(path: Path) -> str | None:
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - a null byte is an error here
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return "it is a folder; --runs takes one" if is_folder else None


def _check_runs_dir(request: RescoreRequest, runs_dir: Path) -> None:
    check_directory(runs_dir)
    if not any(map(_may_be_a_trace, request.files())):
        raise UsageError(
            f"no trace files found under '{runs_dir}'",
            code="no-trace-files",
            facts={"runs_dir": str(runs_dir)},
        )


def _may_be_a_trace(file: RunFile) -> bool:
    return file.is_stamped or file.is_scored or looks_like_a_trace(file.path)


def _check_labels(request: RescoreRequest, say: Callable[[str], None]) -> None:
    """Refuse labels that no trace has, where that is all of them; else say which those are.

    Before anything is scored, for then nothing has been written or printed.
    """
    present = {label for file in request.files() if (label := _label(file.path)) is not None}
    missing = [label for label in dict.fromkeys(request.labels) if label not in present]
    if not missing:
        return
    said = missing_labels(missing, present, of="traces")
    if len(missing) < len(set(request.labels)):
        say(said)
        return
    raise UsageError(
        said, code="label-without-traces", facts={"missing": missing, "present": sorted(present)}
    )


def _label(path: str) -> str | None:
    said = peek(path)
    if said is not None:
        return said.label
    try:
        return read_trace(path).variant_id
    except TRACE_FAILURES:
        return None


UNKNOWN: Literal["UNKNOWN"] = "UNKNOWN"


class TraceIdentity(NamedTuple):
    """The path of a trace, and the ids in it."""

    trace: str
    scenario_id: str
    label: str
    run_id: str


def score_change(
    identity: TraceIdentity,
    old: SavedScore | None,
    new: Score,
    gate_layers: Sequence[GateLayer],
    *,
    written: bool,
) -> Rescored:
    """Return the difference between the score `old` and the score `new`, judged by `gate_layers`.

    Nothing changes where nothing was known.
    """
    before = UNKNOWN if old is None else old.verdict
    verdict = Verdicts(old=before, new=run_verdict(new, gate_layers))
    layers = {
        name: _layer(None if old is None else getattr(old.score, name), getattr(new, name))
        for name in SCORE_LAYER_ORDER
    }
    metrics = MetricValues(old=None if old is None else old.score.metrics, new=new.metrics)
    return Rescored(
        **identity._asdict(),
        changed=_differs(verdict.old, verdict.new) or any(one.changed for one in layers.values()),
        verdict=verdict,
        layers=layers,
        metrics=metrics,
        metrics_changed=old is not None and _typed(old.score.metrics) != _typed(new.metrics),
        written=written,
    )


def _layer(old: LayerFacts | None, new: LayerResult) -> LayerChange:
    before, now = _said(old), _said(new)
    return LayerChange(
        old=before,
        new=now,
        changed=_differs(before, now),
        old_detail=None if old is None else old.detail,
        detail=new.detail,
    )


def _said(layer: LayerFacts | LayerResult | None) -> Passed:
    if layer is None:
        return UNKNOWN
    return "PASS" if layer.passed else "FAIL"


def _differs(old: str, new: str) -> bool:
    return old not in (UNKNOWN, new)


def _typed(metrics: Mapping[str, MetricValue]) -> dict[str, tuple[type, MetricValue]]:
    """Return the metrics so that 1, 1.0 and True, which JSON tells apart, are three values."""
    return {name: (type(value), value) for name, value in metrics.items()}


class NotReplacedError(Exception):
    """A score cannot be replaced, or must not be."""


def origin_of_rescore(
    old: Mapping[str, Any], source_trace: str, rescored_at: str
) -> dict[str, Any]:
    """Return the origin of a score that replaces one of origin `old`.

    A replay or a self-test keeps its kind, which keeps it out of every table.
    """
    again = {"rescored_at": rescored_at, "trace_unchanged": True}
    if old.get("kind") in NOT_FLIGHTS:
        return {**old, **again}
    return {"kind": RESCORED, "source_trace": source_trace, **again}


def replace_score(trace_path: str, sidecar: Mapping[str, Any]) -> None:
    """Write `sidecar` beside the trace, whole or not at all. Raises `NotReplacedError`."""
    path = layout.sidecar_name(trace_path)
    try:
        _check_replaceable(path)
        files.write_whole(path, indented_json(sidecar))
    except OSError as error:
        reason = os_reason(error)
        raise NotReplacedError(f"the score '{path}' was not written: {reason}") from error


def _check_replaceable(path: str) -> None:
    """Raise `OSError` for a link, a pipe or a folder, which a rename would silently replace."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise OSError("it is a link, and what it leads to is not ours to replace")
    if not stat.S_ISREG(mode):
        raise OSError("it is not a regular file")


class Rescoring:
    """A request with its definitions. `entries` does the work, once; the rest tells how it went."""

    def __init__(self, request: RescoreRequest, definitions: Definitions, clock: Clock) -> None:
        self._request = request
        self._asked = request.asked
        self._definitions = definitions
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._foreign = Examples()
        self._unreadable = Examples()

    def entries(self) -> Iterator[Entry]:
        """Score one trace after another and yield an entry for each that is not skipped."""
        closed: list[NotScored] = []

        def on_closed(path: str, error: OSError) -> None:
            reason = f"the folder cannot be listed: {os_reason(error)}"
            closed.append(NotScored(trace=path, error=reason))

        for file in self._request.files(on_closed):
            while closed:
                yield self._counted(closed.pop(0))
            self._counts["traces"] += 1
            entry = self._entry(file)
            if entry is None:
                self._counts["skipped"] += 1
            else:
                yield self._counted(entry)
        while closed:
            yield self._counted(closed.pop(0))

    @property
    def summary(self) -> RescoreSummary:
        """The totals of the entries so far."""
        return RescoreSummary(**self._counts)

    @property
    def exit_code(self) -> int:
        """2 where something could not be scored, 1 where something does not pass, else 0."""
        counts = self._counts
        if counts["unresolved"] or counts["errors"]:
            return EXIT_USAGE
        return EXIT_NO if counts["new_gate_failures"] or counts["invalid"] else EXIT_YES

    @property
    def remarks(self) -> list[str]:
        """Sentences about files without an entry."""
        remarks = []
        if self._foreign.number:
            remarks.append(f"{self._foreign.number} file(s) are no traces: {self._foreign}")
        if self._unreadable.number:
            remarks.append(
                f"{self._unreadable.number} score(s) cannot be read, so what they said is unknown: "
                f"{self._unreadable}"
            )
        if self._counts["skipped"] == self._counts["traces"]:
            remarks.append("nothing was scored: no trace is of what was asked for")
        return remarks

    def _counted(self, entry: Entry) -> Entry:
        counts = self._counts
        match entry:
            case Rescored():
                counts["changed"] += entry.changed
                counts["new_gate_failures"] += entry.verdict.new == "FAIL"
                counts["invalid"] += entry.verdict.new == "INVALID"
                counts["written"] += entry.written
            case Unresolved():
                counts["unresolved"] += 1
            case NotScored():
                counts["errors"] += 1
        return entry

    def _entry(self, file: RunFile) -> Entry | None:
        """Return the entry of one file; None when it was not asked for."""
        said = peek(file.path)
        if said is not None and not self._asked.run(said.scenario, said.label):
            return None
        try:
            trace = read_trace(file.path)
        except TRACE_FAILURES as problem:
            if self._is_foreign(file, problem):
                self._foreign.add(file.path)
                return None
            return NotScored(trace=file.path, error=_failure_text(file.path, problem))
        return self._judged(file.path, trace)

    def _judged(self, path: str, trace: Trace) -> Entry | None:
        if not self._asked.run(trace.scenario_id, trace.variant_id):
            return None
        identity = TraceIdentity(path, trace.scenario_id, trace.variant_id, trace.run_id)
        definition = self._definitions.of(trace.scenario_id)
        if definition is not None:
            return self._scored(identity, trace, definition.scenario)
        if self._definitions.is_known(trace.scenario_id):
            return None
        return Unresolved(**identity._asdict(), error=_undefined(trace.scenario_id))

    def _is_foreign(self, file: RunFile, problem: Exception) -> bool:
        """Say whether a file below a runs directory is no trace at all, rather than a broken one."""
        if self._request.runs_dir is None or isinstance(problem, OSError):
            return False
        if isinstance(problem, ForeignFileError):
            return True
        return not (file.is_stamped or file.is_scored or looks_like_a_trace(file.path))

    def _scored(self, identity: TraceIdentity, trace: Trace, scenario: Scenario) -> Entry:
        try:
            new = score_saved(trace, scenario)
            gate, block = scenario.resolved_gate_layers(), scenario_block(scenario)
        except FOREIGN_FAILURES as problem:  # a definition is foreign code
            return NotScored(trace=identity.trace, error=f"scoring failed: {describe(problem)}")
        try:
            old = self._old(identity.trace)
            if self._request.write:
                origin = origin_of_rescore(
                    {} if old is None else old.origin,
                    identity.trace,
                    whole_seconds(self._clock.now()),
                )
                sidecar = {**sidecar_document(new, gate, block), "origin": origin}
                replace_score(identity.trace, sidecar)
        except NotReplacedError as problem:
            return NotScored(trace=identity.trace, error=str(problem))
        return score_change(identity, old, new, gate, written=self._request.write)

    def _old(self, path: str) -> SavedScore | None:
        try:
            return read_score(path)
        except UnreadableScoreError as problem:
            if problem.is_newer and self._request.write:
                message = "the score was not replaced: a later version of wt wrote it"
                raise NotReplacedError(f"{message} ({problem})") from problem
            self._unreadable.add(f"{layout.sidecar_name(path)} ({problem})")
            return None


def _failure_text(path: str, problem: Exception) -> str:
    trace = trace_of_score(path)
    if isinstance(problem, ForeignFileError) and trace is not None:
        return f"this is the score of a run; its trace is {trace}"
    return f"it cannot be read as a trace: {failure_reason(problem)}"


def _undefined(name: str) -> str:
    return f"no pack defines '{one_line(name)}'; name the one that does with --pack-source"
