"""Rows and sweep records as notes hold them, read strictly.

Anybody may have written a note. A row with a missing or mistyped field is skipped, and counted
(docs/evidence-in-git.md, "What counts").
"""

from __future__ import annotations

import glob
import shlex
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from wt_git.decoding import DecodingError, convert, within
from wt_git.records.fingerprint import (
    OUTSIDE,
    PACK_SOURCE,
    FingerprintParts,
    parts_from_record,
)
from wt_git.records.ledger.row import RecordedCost, RecordedExperiment, RecordedPrice, Row
from wt_git.text import DECLARATION_OPTIONS, one_line, scenario_name

if TYPE_CHECKING:
    from wt_git.records.notes import NoteLine


class AgentIdentity(msgspec.Struct, frozen=True):
    """The agent that was tested. Nothing else names an agent outside the tree. None: not known."""

    target: str | None
    model: str | None
    plugin: str | None


class SnapshotFlaws(msgspec.Struct, frozen=True):
    """Files that differed from the tree while the experiment ran."""

    absent: tuple[str, ...]
    dirty_submodules: tuple[str, ...]
    hidden_edits: tuple[str, ...]


class StoredExperiment(RecordedExperiment, frozen=True, kw_only=True):
    """The purpose of a row's sweep, and the state that it tested.

    `sources` maps each file that decided the sweep to its path in the tree, or `outside`.
    """

    tier: str
    counts_as_failure: bool
    interrupted: bool
    budget_exhausted: bool
    fingerprint: str
    fingerprint_parts: dict[str, str | None]
    snapshot: SnapshotFlaws
    sources: dict[str, str]
    earned_by: str | None = None
    excluded_failing: tuple[str, ...]
    expect: str | None = None
    question: str | None = None
    cost: Any = None
    cost_usd: Any = None


class StoredRow(Row, frozen=True, kw_only=True):
    """One scenario of one sweep, with every field that coverage needs."""

    windtunnel_ledger: Literal[1]
    ts: str
    sweep_id: str
    scenario_id: str
    verdict: str
    runs: int
    passed: int
    experiment: StoredExperiment
    label: Any = None
    model: Any = None
    run_ids: Any = None
    failure_risk: Any = None

    @property
    def parts(self) -> FingerprintParts:
        """The parts of the fingerprint."""
        return FingerprintParts(**self.experiment.fingerprint_parts)

    @property
    def tier(self) -> str:
        """The tier of its sweep."""
        return self.experiment.tier

    @property
    def cost(self) -> RecordedCost:
        """The seconds and tokens that its runs took, as far as they can be read."""
        return convert(within(self.experiment.cost), RecordedCost, lenient=True)

    @property
    def dollars(self) -> float | None:
        """The price of its runs, if it can be read."""
        return convert(within(self.experiment.cost_usd), RecordedPrice, lenient=True).total

    @property
    def identity(self) -> tuple[str, str]:
        """Pack and name: a scenario's name is unique only in its pack."""
        return (self.pack or "", self.scenario_id)

    @property
    def name(self) -> str:
        """The scenario's name for people."""
        return scenario_name(self.pack, self.scenario_id)

    @property
    def passes(self) -> bool:
        """Whether it can be evidence: a run passed, and the row does not count as a failure."""
        if self.experiment.counts_as_failure:
            return False
        return self.verdict == "PASS" or (self.verdict == "PASS_WITH_VARIANCE" and self.passed > 0)

    @property
    def fails(self) -> bool:
        """Whether it is a failure on its tree. A transport-only pack's failure of a model is none."""
        return self.experiment.counts_as_failure or (
            self.verdict == "PASS_WITH_VARIANCE" and not self.passed
        )

    @property
    def agent(self) -> AgentIdentity:
        """The agent that was tested."""
        return AgentIdentity(self.parts.target, self.parts.model, self.parts.plugin)

    def command(self, runtime: str | None = None) -> str:
        """Return the command that repeats this experiment, optionally on another `runtime`.

        It is one line, ready to paste.
        """
        words = ["wt", "run"]
        for name, path in self.experiment.sources.items():
            if path == OUTSIDE:
                continue
            if name.startswith(PACK_SOURCE):
                words.append(f"--pack-source={_source(name.removeprefix(PACK_SOURCE), path)}")
            elif name in {"soul", "agents"}:
                words.append(f"--{name}={path}")
        if self.pack:
            words.append(f"--pack={self.pack}")
        words.append(f"--scenario={glob.escape(self.scenario_id)}")
        against = runtime or self.parts.runtime
        if against is not None:
            words.append(f"--runtime={against}")
        return f"{one_line(shlex.join(words))} {DECLARATION_OPTIONS}"


class StoredSweep(msgspec.Struct, frozen=True, kw_only=True):
    """How a sweep ended. `scenarios` counts the selected ones."""

    ts: str
    status: str
    outcome: str
    exit_code: int
    budget_exhausted: bool
    scenarios: int
    errors: int
    unstarted: tuple[str, ...] = msgspec.field(name="not_started")
    prediction_held: Any = None
    raw: Any = b""

    @property
    def completed(self) -> bool:
        """Whether it ran to its end."""
        return self.status == "completed"

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return self.outcome == "pass" and self.exit_code == 0

    @property
    def not_started(self) -> int:
        """How many scenarios never began."""
        return len(self.unstarted)


def stored_row(line: NoteLine) -> StoredRow | None:
    """Return the row in `line`, None if a field is missing or mistyped."""
    try:
        row = convert(line.record, StoredRow)
    except DecodingError:
        return None
    about = row.experiment
    printable = _are_texts(
        *(row.ts, row.sweep_id, row.scenario_id, row.pack, row.verdict, about.tier),
        *(about.fingerprint, about.tree_under_test, about.earned_by, about.expect, about.question),
        *(*about.sources, *about.sources.values(), *about.excluded_failing),
        *(path for paths in msgspec.structs.astuple(about.snapshot) for path in paths),
    )
    if not printable or parts_from_record(about.fingerprint_parts) is None:
        return None
    return msgspec.structs.replace(row, raw=line.raw)


def stored_sweep(line: NoteLine) -> StoredSweep | None:
    """Return the sweep record in `line`, None if a field is missing or mistyped."""
    try:
        sweep = convert(line.record, StoredSweep)
    except DecodingError:
        return None
    if not _are_texts(sweep.ts, sweep.status, sweep.outcome, *sweep.unstarted):
        return None
    held = sweep.prediction_held if isinstance(sweep.prediction_held, bool) else None
    return msgspec.structs.replace(sweep, raw=line.raw, prediction_held=held)


def is_inside(path: str) -> bool:
    """Say whether a source of a row is a path within its tree."""
    parts = path.split("/")
    return path != OUTSIDE and bool(path) and not path.startswith(("/", "\\")) and ".." not in parts


def _source(spec: str, path: str) -> str:
    """Return the pack's spec with its path in the tree: `path/to/file.py:attr`."""
    return f"{path}:{spec.rpartition(':')[2]}" if path.endswith(".py") else spec


def _are_texts(*values: str | None) -> bool:
    """Say whether all values can be printed, which half of a surrogate pair cannot."""
    known = [value for value in values if value is not None and not value.isascii()]
    return not any("\ud800" <= char <= "\udfff" for value in known for char in value)
