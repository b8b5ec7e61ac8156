"""What is said when a regression has not been earned (docs/ladder.md, "The gate")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError
from wt_git.evidence.changes import MOST_FILES, changes_since
from wt_git.naming import scenario_name
from wt_git.records.fingerprint import CHANGED_DURING_SWEEP
from wt_git.sweep.focused_command import focused_command, results_command
from wt_git.sweep.pack_identity import OF_ANOTHER_PACK, pack_files
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.evidence.changes import Changes
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Missing, Refused
    from wt_git.records.gate_rows import GateRow, ScenarioId
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected

_SHOWN_DIGITS = len("sha256:") + 12
_MOST_PROPOSED = 5
_STALE_LATER = "any change after a pass, however small, makes it stale"
_GITIGNORE = (
    "a file that a tool writes is no part of what is under test: gitignore it (a line in "
    ".git/info/exclude makes no pass stale)"
)


class GateRefusedError(UsageError):
    """A regression that smaller experiments have not earned; nothing was run.

    `facts` has what was found: the fingerprint, what is missing, and why earlier passes are stale.
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
    wording = _Wording(refused, request, known, fingerprint)
    return wording.missing_evidence() if refused.missing else wording.not_earned()


class _Wording:
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
        """Say that no scenario has passed alone since the last regression, on what is there now."""
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
        """Say that no pass can count, where that is so: the rest would send people in circles."""
        if self._now.failure is None:
            return []
        reason = one_line(self._now.failure)
        return [
            f"  the cause: git could not snapshot the working tree ({reason}); mend that first, no pass",
            "  is evidence until then",
        ]

    def _explained(self, one: Missing) -> str:
        if one.stale is None:
            return _shown(one.scenario)
        return f"{_shown(one.scenario)} (its focused pass {self._why(one.stale)})"

    def _stale_earner(self) -> list[str]:
        stale = self._refused.stale_earner
        if stale is None:
            return []
        return [f"  the last one, of {_shown(stale.scenario)}, {self._why(stale)}"]

    def _why(self, stale: GateRow) -> str:
        if stale.fingerprint == OF_ANOTHER_PACK:
            named = ", ".join(map(one_line, sorted(pack_files(stale.sources))))
            return f"is of another pack of that name, from {named}"
        if stale.fingerprint == CHANGED_DURING_SWEEP:
            return "is no evidence: the artifact was changing while it ran"
        return f"is stale; since then {self._changes(stale).text()}"

    def _changes(self, stale: GateRow) -> Changes:
        """Return what changed since; passes on one state of the files are compared once."""
        key = repr((stale.fingerprint, stale.parts))
        if key not in self._compared:
            self._compared[key] = changes_since(
                stale.parts, stale.fingerprint, self._now, self._request.runs_dir
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
        """Return what to run alone: what passed before the change, else what was selected."""
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

    def _stale_facts(self, stale: GateRow | None) -> dict[str, object] | None:
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
