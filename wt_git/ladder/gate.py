"""The evidence gate: whether a regression has been earned (docs/ladder.md, "The gate").

Rows count in the order of the ledger. Time stamps are ignored: clocks go backwards, and a second is
too coarse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.ledger.row import Row, ScenarioId

_HASH_PREFIX = "sha256:"
"""Other fingerprints, such as `snapshot-failed`, stand for an unknown state and match none."""


class MissingEvidence(NamedTuple):
    """A selected scenario that failed in its latest regression and has not passed since.

    `failed` is that regression's row, `stale` the latest focused pass after it, which is on another
    fingerprint.
    """

    scenario: ScenarioId
    failed: Row
    stale: Row | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earned:
    """The regression may run.

    `earned_by` is the sweep of the latest focused pass on this fingerprint since the last
    regression, None for the first sweep of a target. `earners` are these passes, the latest of each
    scenario, in the ledger's order. `evidence_for` are the regressions whose failures a pass has
    answered. `excluded` are failing scenarios of the selected packs that are not selected.
    """

    earned_by: str | None
    evidence_for: tuple[str, ...]
    excluded: tuple[ScenarioId, ...]
    earners: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The regression may not run: evidence is `missing`, or it is `unearned`, or both.

    `stale_earners` are the focused passes since the last regression, the latest of each scenario, in
    the ledger's order. If it is unearned, none of them is on this fingerprint.
    """

    missing: tuple[MissingEvidence, ...]
    unearned: bool
    stale_earners: tuple[Row, ...]
    excluded: tuple[ScenarioId, ...]
    last_regression: Row | None

    @property
    def stale_earner(self) -> Row | None:
        """The last focused pass, which would have earned the regression on its own fingerprint."""
        return self.stale_earners[-1] if self.stale_earners else None


@dataclass(slots=True)
class _LatestRows:
    """The indices of the latest rows of each scenario, and of the last regression row."""

    last: int = -1
    regressions: dict[ScenarioId, int] = field(default_factory=dict)
    passes: dict[ScenarioId, int] = field(default_factory=dict)
    current: dict[ScenarioId, int] = field(default_factory=dict)


def decide(
    rows: Sequence[Row],
    *,
    target: str,
    fingerprint: str,
    selection: Iterable[ScenarioId],
    has_history: bool = False,
) -> Earned | Refused:
    """Decide whether a regression of `selection` may run against `target`.

    `rows` are in the ledger's order; rows of other targets and rows without data are ignored. Of each scenario, only the
    latest regression row, the latest focused pass and the latest focused pass on `fingerprint`
    matter; others may be left out. `has_history` says that the ledger has other rows of the target.
    """
    rows = [row for row in rows if not row.data.is_none]
    latest = _latest_rows(rows, target, fingerprint)
    selected = set(selection)
    packs = {scenario.pack for scenario in selected}
    excluded: list[ScenarioId] = []
    missing: list[MissingEvidence] = []
    answered: list[str] = []
    for scenario, index in _failing(rows, latest):
        if scenario not in selected:
            if scenario.pack in packs:
                excluded.append(scenario)
        elif latest.current.get(scenario, -1) > index:
            answered.append(rows[index].sweep_id or "")
        else:
            passed = latest.passes.get(scenario, -1)
            stale = rows[passed] if passed > index else None
            missing.append(MissingEvidence(scenario, rows[index], stale))
    earners = _since(rows, latest.current, latest.last)
    known = has_history or any(row.target == target for row in rows)
    if missing or (known and not earners):
        return Refused(
            missing=tuple(missing),
            unearned=not earners,
            stale_earners=_since(rows, latest.passes, latest.last),
            excluded=tuple(excluded),
            last_regression=rows[latest.last] if latest.last >= 0 else None,
        )
    return Earned(
        earned_by=earners[-1].sweep_id if earners else None,
        evidence_for=tuple(dict.fromkeys(filter(None, answered))),
        excluded=tuple(excluded),
        earners=earners,
    )


def _latest_rows(rows: Sequence[Row], target: str, fingerprint: str) -> _LatestRows:
    found = _LatestRows()
    is_hash = fingerprint.startswith(_HASH_PREFIX)
    for index, row in enumerate(rows):
        if row.target != target:
            continue
        if row.tier == "regression":
            found.last = found.regressions[row.scenario] = index
        elif row.is_focused_pass:
            found.passes[row.scenario] = index
            if is_hash and row.fingerprint == fingerprint:
                found.current[row.scenario] = index
    return found


def _failing(rows: Sequence[Row], latest: _LatestRows) -> list[tuple[ScenarioId, int]]:
    """Return the scenarios whose latest regression row failed, with its index, by name and pack."""
    failing = [(one, at) for one, at in latest.regressions.items() if rows[at].failed]
    return sorted(failing, key=lambda found: (found[0].name, found[0].pack or ""))


def _since(rows: Sequence[Row], indices: dict[ScenarioId, int], last: int) -> tuple[Row, ...]:
    """Return the rows at `indices` that come after the last regression."""
    return tuple(rows[index] for index in sorted(indices.values()) if index > last)
