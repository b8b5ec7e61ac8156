"""The rows and sweep records of notes, as far as coverage needs them: strictly typed or not at all.

A note may come from anybody. A row that lacks what decides about it, or has it of another kind, is
no row; it is counted among what was skipped (docs/evidence-in-git.md, "What counts").
"""

from __future__ import annotations

import glob
import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.records.decoding import amount, flag, within
from wt_git.records.fingerprint import (
    OUTSIDE,
    PACK_SOURCE,
    FingerprintParts,
    parts_from_record,
)
from wt_git.text import DECLARATION_OPTIONS, one_line, scenario_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.records.notes import NoteLine

_ROW_VERSION = 1


class _NotARowError(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """What was asked: for agents that live outside the tree the only thing that names them.

    None: not known.
    """

    target: str | None
    model: str | None
    plugin: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """One scenario of one sweep, as a note holds it.

    `absent`, `dirty_submodules` and `hidden_edits` are what the tree could not show; `sources` maps
    each file that decided the sweep to its path in the tree, or `outside`.
    """

    raw: bytes
    ts: str
    sweep_id: str
    scenario: str
    pack: str | None
    verdict: str
    runs: int
    passed: int
    tier: str
    counts_as_failure: bool
    interrupted: bool
    budget_exhausted: bool
    fingerprint: str
    parts: FingerprintParts
    tree_under_test: str | None
    absent: tuple[str, ...]
    dirty_submodules: tuple[str, ...]
    hidden_edits: tuple[str, ...]
    sources: Mapping[str, str]
    earned_by: str | None
    excluded_failing: tuple[str, ...]
    cost: Mapping[str, float | None]
    expect: str | None
    question: str | None

    @property
    def identity(self) -> tuple[str, str]:
        """Which scenario it is: names of scenarios are only unique in their pack."""
        return (self.pack or "", self.scenario)

    @property
    def name(self) -> str:
        """The scenario as people name it."""
        return scenario_name(self.pack, self.scenario)

    @property
    def passes(self) -> bool:
        """Whether the verdict is one that can be evidence: a run passed and none counts as failed."""
        if self.counts_as_failure:
            return False
        return self.verdict == "PASS" or (self.verdict == "PASS_WITH_VARIANCE" and self.passed > 0)

    @property
    def fails(self) -> bool:
        """Whether it speaks against its tree. What a transport-only pack says of a model does not."""
        return self.counts_as_failure or (self.verdict == "PASS_WITH_VARIANCE" and not self.passed)

    @property
    def subject(self) -> AgentIdentity:
        """What was asked."""
        return AgentIdentity(self.parts.target, self.parts.model, self.parts.plugin)

    def command(self, runtime: str | None = None) -> str:
        """Return the command that makes this experiment again, ready to paste, on one line.

        With `runtime`, against that one.
        """
        words = ["wt", "run"]
        for name, path in self.sources.items():
            if path == OUTSIDE:
                continue
            if name.startswith(PACK_SOURCE):
                words.append(f"--pack-source={_source(name.removeprefix(PACK_SOURCE), path)}")
            elif name in {"soul", "agents"}:
                words.append(f"--{name}={path}")
        if self.pack:
            words.append(f"--pack={self.pack}")
        words.append(f"--scenario={glob.escape(self.scenario)}")
        against = runtime or self.parts.runtime
        if against is not None:
            words.append(f"--runtime={against}")
        return f"{one_line(shlex.join(words))} {DECLARATION_OPTIONS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSweep:
    """How a sweep ended. `scenarios` counts what was selected."""

    raw: bytes
    ts: str
    completed: bool
    budget_exhausted: bool
    passed: bool
    scenarios: int
    errors: int
    not_started: int
    prediction_held: bool | None


def stored_row(line: NoteLine) -> StoredRow | None:
    """Return the row in `line`; None when what decides about it is missing or of another kind."""
    record = _Reader(line.record)
    try:
        experiment = record.within("experiment")
        parts = parts_from_record(experiment.mapping("fingerprint_parts"))
        snapshot = experiment.within("snapshot")
        if parts is None or record.whole("windtunnel_ledger") != _ROW_VERSION:
            return None
        return StoredRow(
            raw=line.raw,
            ts=record.text("ts"),
            sweep_id=record.text("sweep_id"),
            scenario=record.text("scenario_id"),
            pack=record.text_or_none("pack"),
            verdict=record.text("verdict"),
            runs=record.whole("runs"),
            passed=record.whole("passed"),
            tier=experiment.text("tier"),
            counts_as_failure=experiment.flag("counts_as_failure"),
            interrupted=experiment.flag("interrupted"),
            budget_exhausted=experiment.flag("budget_exhausted"),
            fingerprint=experiment.text("fingerprint"),
            parts=parts,
            tree_under_test=experiment.text_or_none("tree_under_test"),
            absent=snapshot.texts("absent"),
            dirty_submodules=snapshot.texts("dirty_submodules"),
            hidden_edits=snapshot.texts("hidden_edits"),
            sources=experiment.within("sources").all_texts(),
            earned_by=experiment.text_or_none("earned_by"),
            excluded_failing=experiment.texts("excluded_failing"),
            cost=_cost(experiment),
            expect=experiment.text_or_none("expect"),
            question=experiment.text_or_none("question"),
        )
    except _NotARowError:
        return None


def stored_sweep(line: NoteLine) -> StoredSweep | None:
    """Return the sweep record in `line`; None when it does not say how the sweep ended."""
    record = _Reader(line.record)
    try:
        return StoredSweep(
            raw=line.raw,
            ts=record.text("ts"),
            completed=record.text("status") == "completed",
            budget_exhausted=record.flag("budget_exhausted"),
            passed=record.text("outcome") == "pass" and record.whole("exit_code") == 0,
            scenarios=record.whole("scenarios"),
            errors=record.whole("errors"),
            not_started=len(record.texts("not_started")),
            prediction_held=flag(line.record.get("prediction_held")),
        )
    except _NotARowError:
        return None


def is_inside(path: str) -> bool:
    """Say whether a row's source names a path within its tree."""
    parts = path.split("/")
    return path != OUTSIDE and bool(path) and not path.startswith(("/", "\\")) and ".." not in parts


def _source(spec: str, path: str) -> str:
    """Return how to name a pack by the path that its tree has: `path/to/file.py:attr`."""
    return f"{path}:{spec.rpartition(':')[2]}" if path.endswith(".py") else spec


def _cost(experiment: _Reader) -> dict[str, float | None]:
    """Return what of the cost is a number: seconds, tokens, and dollars under `usd`."""
    cost = within(experiment.record.get("cost"))
    usd = within(experiment.record.get("cost_usd"))
    names = ("wall_s", "input_tokens", "cached_tokens", "output_tokens")
    found = {**{name: cost.get(name) for name in names}, "usd": usd.get("total")}
    amounts = {name: amount(value) for name, value in found.items()}
    return {name: None if one is None else float(one) for name, one in amounts.items()}


class _Reader:
    """Takes values of one kind out of a record."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record

    def text(self, key: str) -> str:
        value = self.record.get(key)
        if not isinstance(value, str) or not _is_text(value):
            raise _NotARowError(key)
        return value

    def text_or_none(self, key: str) -> str | None:
        return None if self.record.get(key) is None else self.text(key)

    def whole(self, key: str) -> int:
        value = self.record.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise _NotARowError(key)
        return value

    def flag(self, key: str) -> bool:
        value = self.record.get(key)
        if not isinstance(value, bool):
            raise _NotARowError(key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.record.get(key)
        if not isinstance(value, list) or not all(
            isinstance(one, str) and _is_text(one) for one in value
        ):
            raise _NotARowError(key)
        return tuple(value)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self.record.get(key)
        if not isinstance(value, dict):
            raise _NotARowError(key)
        return value

    def within(self, key: str) -> _Reader:
        return _Reader(self.mapping(key))

    def all_texts(self) -> dict[str, str]:
        return {key: self.text(key) for key in self.record if _is_text(key) or self._refuse(key)}

    def _refuse(self, key: str) -> bool:
        raise _NotARowError(json.dumps(key))


def _is_text(value: str) -> bool:
    """Say whether it can be printed at all: half a surrogate pair cannot."""
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
