"""Asking the gate about a regression, and the message when it refuses (docs/ladder.md, "The gate")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from wt_git.errors import UsageError
from wt_git.evidence.changes import MOST_FILES, changes_since
from wt_git.ladder.gate import Refused, decide
from wt_git.records.fingerprint import CHANGED_DURING_SWEEP, OUTSIDE, PACK_SOURCE
from wt_git.records.record import as_recorded
from wt_git.sweep.request import DEFAULT_LABEL
from wt_git.text import one_line, scenario_name, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.evidence.changes import Changes
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Earned, MissingEvidence
    from wt_git.records.ledger.row import Row, ScenarioId
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected

OF_ANOTHER_PACK = "of-another-pack"
"""Stands in for the fingerprint of a pass that was none of the pack in question; in no file."""


def pack_sources(sources: Mapping[str, Any]) -> set[str]:
    """Return the sources of the packs of a sweep: paths in the tree, others as typed."""
    found = set()
    for name, place in sources.items():
        if name.startswith(PACK_SOURCE) and isinstance(place, str):
            typed = name.removeprefix(PACK_SOURCE)
            attribute = typed.rpartition(":")[2]
            found.add(typed if place == OUTSIDE else f"{place}:{attribute}")
    return found


def pack_files(sources: Mapping[str, Any]) -> set[str]:
    """Return the same for people, without the attributes."""
    return {one.rpartition(":")[0] for one in pack_sources(sources)}


def is_of_another_pack(row: Row, sources: set[str]) -> bool:
    """Say whether `row` is of a sweep whose packs all came from elsewhere than `sources`.

    A row that names no source, and an installed pack, are taken by their name.
    """
    recorded = pack_sources(row.experiment.sources)
    return bool(recorded and sources) and recorded.isdisjoint(sources)


DEFAULT_RUNS_DIR = "runs"

_GLOB = re.compile(r"[*?\[]")


def focused_command(request: SweepRequest, selected: Selected) -> str:
    """Return a `wt run` of `selected` alone, on the target of `request`; ready to paste.

    It names the pack of the scenario, and escapes characters of a pattern in its name.
    """
    name = _GLOB.sub(r"[\g<0>]", selected.scenario.name)
    return " ".join(
        [
            "wt run",
            _option("--scenario", name),
            *_context(request, selected.pack.name),
            '--runs 3 --question "…" --expect pass',
        ]
    )


def results_command(runs_dir: Path) -> str:
    """Return the command that shows the results of earlier runs; ready to paste."""
    return f"wt results {_option('--runs', str(runs_dir))}"


def _context(request: SweepRequest, pack: str) -> Iterator[str]:
    yield _option("--runtime", request.runtime)
    if str(request.runs_dir) != DEFAULT_RUNS_DIR:
        yield _option("--runs-dir", str(request.runs_dir))
    for source in request.pack_sources:
        yield _option("--pack-source", source)
    yield _option("--pack", pack)
    if request.all_packs:
        yield "--all-packs"
    if request.soul is not None:
        yield _option("--soul", str(request.soul))
    if request.agents is not None:
        yield _option("--agents", str(request.agents))
    if request.label != DEFAULT_LABEL:
        yield _option("--label", request.label)


def _option(name: str, value: str) -> str:
    """Return an option with its value, in one word where the value looks like an option itself."""
    return f"{name}={shell_word(value)}" if value.startswith("-") else f"{name} {shell_word(value)}"


_SHOWN_DIGITS = len("sha256:") + 12
_MOST_PROPOSED = 5
_STALE_LATER = "any change after a pass, however small, makes it stale"
_GITIGNORE = (
    "a file that a tool writes is no part of what is under test: gitignore it (a line in "
    ".git/info/exclude makes no pass stale)"
)


class GateRefusedError(UsageError):
    """A regression that smaller experiments have not earned; nothing was run.

    `facts` has the fingerprint, the missing passes, and why earlier passes are stale.
    """


def refusal(
    refused: Refused,
    *,
    request: SweepRequest,
    known: Mapping[ScenarioId, Selected],
    fingerprint: Fingerprint,
) -> GateRefusedError:
    """Return the error for `refused`, a regression of the scenarios `known` on `fingerprint`.

    Where evidence is missing only that is said: the pass that supplies it earns the run as well.
    """
    wording = _RefusalText(refused, request, known, fingerprint)
    return wording.missing_evidence() if refused.missing else wording.not_earned()


class _RefusalText:
    """The sentences about one refusal."""

    def __init__(
        self,
        refused: Refused,
        request: SweepRequest,
        known: Mapping[ScenarioId, Selected],
        fingerprint: Fingerprint,
    ) -> None:
        self._refused = refused
        self._request = request
        self._known = known
        self._now = fingerprint
        self._compared: dict[str, Changes] = {}

    def missing_evidence(self) -> GateRefusedError:
        """Say which scenarios failed in a regression and have not passed alone since."""
        missing = self._refused.missing
        commands = tuple(self._command(one.scenario) for one in missing)
        first = (
            "refusing a regression sweep: what failed when a regression last ran it must pass alone "
            f"before the next one; {len(missing)} of {len(self._known)} selected scenarios have no "
            f"passing focused run since, on this artifact ({self._artifact()}):"
        )
        lines = [first, *(f"  {self._explained(one)}" for one in missing), *self._cause()]
        return GateRefusedError(
            "\n".join(lines),
            code="regression-missing-evidence",
            hints=(
                "run each of them alone:",
                *(f"  {command}" for command in commands),
                _STALE_LATER,
                _GITIGNORE,
                "leaving a failing scenario out of the selection is recorded; it stays gated",
            ),
            commands=commands,
            facts=self._facts(),
            retryable=self._now.may_pass,
        )

    def not_earned(self) -> GateRefusedError:
        """Say that no scenario has passed alone on this code since the last regression."""
        proposed = self._proposed()
        commands = tuple(self._command(one) for one in proposed)
        results = results_command(self._request.runs_dir)
        others = len(self._known) - len(proposed)
        first = (
            "refusing a regression sweep: nothing has earned it. It takes a focused run that passed "
            f"{self._since_when()}, on this artifact ({self._artifact()})"
        )
        lines = [first, *self._stale_earner(), *self._cause()]
        return GateRefusedError(
            "\n".join(lines),
            code="regression-not-earned",
            hints=(
                "what is working now can be read from the runs on disk:",
                f"  {results}",
                "run what the change is about alone"
                + (f" (one of these, or of {others} more):" if others else ":"),
                *(f"  {command}" for command in commands),
                _STALE_LATER,
                _GITIGNORE,
            ),
            commands=(*commands, results),
            facts=self._facts(),
            retryable=self._now.may_pass,
        )

    def _artifact(self) -> str:
        value = self._now.value
        return f"{value[:_SHOWN_DIGITS]}…" if len(value) > _SHOWN_DIGITS else value

    def _cause(self) -> list[str]:
        """Say that no pass can count, where that is so: the other hints would not help then."""
        if self._now.failure is None:
            return []
        reason = one_line(self._now.failure)
        return [
            f"  the cause: git could not snapshot the working tree ({reason}); mend that first, no pass",
            "  is evidence until then",
        ]

    def _explained(self, one: MissingEvidence) -> str:
        if one.stale is None:
            return _shown(one.scenario)
        return f"{_shown(one.scenario)} (its focused pass {self._why(one.stale)})"

    def _stale_earner(self) -> list[str]:
        stale = self._refused.stale_earner
        if stale is None:
            return []
        return [f"  the last one, of {_shown(stale.scenario)}, {self._why(stale)}"]

    def _why(self, stale: Row) -> str:
        if stale.fingerprint == OF_ANOTHER_PACK:
            named = ", ".join(map(one_line, sorted(pack_files(stale.experiment.sources))))
            return f"is of another pack of that name, from {named}"
        if stale.fingerprint == CHANGED_DURING_SWEEP:
            return "is no evidence: the artifact was changing while it ran"
        return f"is stale; since then {self._changes(stale).text()}"

    def _changes(self, stale: Row) -> Changes:
        """Return the changes since; passes on one state of the files are compared once."""
        key = repr((stale.fingerprint, stale.recorded_parts))
        if key not in self._compared:
            self._compared[key] = changes_since(
                stale.recorded_parts, stale.fingerprint, self._now, self._request.runs_dir
            )
        return self._compared[key]

    def _since_when(self) -> str:
        last = self._refused.last_regression
        if last is None:
            return "against this target"
        named = f", sweep {one_line(last.sweep_id)}" if last.sweep_id else ""
        return f"after the last regression{named}"

    def _command(self, scenario: ScenarioId) -> str:
        return focused_command(self._request, self._known[scenario])

    def _proposed(self) -> list[ScenarioId]:
        """Return the scenarios to run alone: those that passed before the change, else the selected."""
        passed = [one.scenario for one in self._refused.stale_earners]
        candidates = [one for one in reversed(passed) if one in self._known]
        return (candidates or list(self._known))[:_MOST_PROPOSED]

    def _facts(self) -> dict[str, object]:
        refused, last = self._refused, self._refused.last_regression
        return {
            "tier": "regression",
            "target": self._now.parts.target,
            "fingerprint": self._now.value,
            "runs_dir": str(self._request.runs_dir),
            "last_regression": None if last is None else last.sweep_id,
            "unearned": refused.unearned,
            "missing": [
                {
                    **_named(one.scenario),
                    "failed_in": one.failed.sweep_id,
                    "stale": self._stale_facts(one.stale),
                }
                for one in refused.missing
            ],
            "stale_earner": self._stale_facts(refused.stale_earner) if refused.unearned else None,
            "excluded_failing": [_named(one) for one in refused.excluded],
            "cause": "snapshot-failed" if self._now.failure is not None else None,
            "snapshot_failure": self._now.failure,
        }

    def _stale_facts(self, stale: Row | None) -> dict[str, object] | None:
        if stale is None:
            return None
        changes = self._changes(stale)
        return {
            **_named(stale.scenario),
            "sweep_id": stale.sweep_id,
            "fingerprint": stale.fingerprint,
            "changed_parts": list(changes.parts),
            "tree_changed": changes.tree,
            "files": list(changes.files[:MOST_FILES]),
            "more_files": max(len(changes.files) - MOST_FILES, 0),
        }


def _shown(scenario: ScenarioId) -> str:
    return one_line(scenario_name(*scenario))


def _named(scenario: ScenarioId) -> dict[str, object]:
    return {"pack": scenario.pack, "scenario": scenario.name}


class GateLedger(Protocol):
    """The part of a ledger that the gate reads."""

    def has_target(self, target: str, *others: str) -> bool:
        """Say whether any row is against one of these targets."""
        ...

    def gate_rows(self, target: str, fingerprint: str, *others: str) -> Sequence[Row]:
        """Return the rows that `wt_git.ladder.gate.decide` needs, in the ledger's order."""
        ...


def check_gate(
    request: SweepRequest,
    selected: Sequence[Selected],
    fingerprint: Fingerprint,
    ledger: GateLedger,
    other_targets: Sequence[str] = (),
) -> Earned:
    """Return what earned a regression of `selected` on the code under test now.

    `other_targets` are other names of the same backend in rows. Called before the sweep queues, and
    again with another fingerprint once it holds its runtime. Raises
    `GateRefusedError`.
    """
    known = {one.identity: one for one in selected}
    target = as_recorded(fingerprint.parts.target or "")
    others = [as_recorded(one) for one in other_targets]
    sources = pack_sources(fingerprint.sources)

    def meant(row: Row) -> Row:
        """Return the row with the target and pack named as in this sweep."""
        if row.target in others:
            row = row.against(target)
        if row.is_focused_pass and row.scenario in known and is_of_another_pack(row, sources):
            row = row.with_fingerprint(OF_ANOTHER_PACK)
        return row

    answer = decide(
        [meant(row) for row in ledger.gate_rows(target, fingerprint.value, *others)],
        target=target,
        fingerprint=fingerprint.value,
        selection=known,
        has_history=ledger.has_target(target, *others),
    )
    if isinstance(answer, Refused):
        raise refusal(answer, request=request, known=known, fingerprint=fingerprint)
    return answer


def gate_notes(earned: Earned) -> list[str]:
    """Return notes about how a regression was earned."""
    if not earned.earners or any(row.verdict != "FAIL" for row in earned.earners):
        return []
    names = ", ".join(
        f"{one_line(row.scenario.name)} (sweep {one_line(row.sweep_id or 'unknown')})"
        for row in earned.earners
    )
    note = (
        f"note: what earned this regression came to FAIL: {names}. Their packs are transport-only, so "
        "that is no failure of the sweep, and says nothing good about the agent either"
    )
    return [note]
