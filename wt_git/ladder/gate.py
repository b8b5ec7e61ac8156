"""Whether a regression has been earned: the evidence gate (docs/ladder.md, "The gate").

Rows count in the order in which the ledger holds them. Their time stamps are never looked at: clocks
go backwards, and a second is too coarse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.ledger.row import Row, ScenarioId

_A_STATE = "sha256:"
"""How a fingerprint begins that stands for a state of the code; the words that do not equal nothing."""


class MissingEvidence(NamedTuple):
    """A selected scenario whose latest regression row failed, and that has not passed since.

    `failed` is that row. `stale` is the latest focused pass after it, on another fingerprint; None
    without any.
    """

    scenario: ScenarioId
    failed: Row
    stale: Row | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earned:
    """The regression may run.

    `earned_by` is the sweep of the latest focused pass on this fingerprint since the last
    regression, None for the first sweep of a target. `earners` are these passes, the latest of each
    scenario, in the ledger's order. `evidence_for` are the regressions whose failures have been
    answered by a pass. `excluded` are failing scenarios of the selected packs that are left out.
    """

    earned_by: str | None
    evidence_for: tuple[str, ...]
    excluded: tuple[ScenarioId, ...]
    earners: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The regression may not run: evidence is `missing`, or nothing has earned it, or both.

    `stale_earners` are the focused passes since the last regression, the latest of each scenario, in
    the ledger's order; none of them is on this fingerprint when the regression is `unearned`.
    """

    missing: tuple[MissingEvidence, ...]
    unearned: bool
    stale_earners: tuple[Row, ...]
    excluded: tuple[ScenarioId, ...]
    last_regression: Row | None

    @property
    def stale_earner(self) -> Row | None:
        """The last of the passes that would have earned the regression on their own fingerprint."""
        return self.stale_earners[-1] if self.stale_earners else None


@dataclass(slots=True)
class _LatestRows:
    """Where the rows that matter stand: the index of the latest one of each scenario."""

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
    """Decide on a regression of `selection` against `target`, of which `fingerprint` is under test.

    `rows` are in the ledger's order; those of other targets are passed over. It is enough that they
    hold, of each scenario, the latest regression row, the latest focused pass, and the latest
    focused pass with this fingerprint; `has_history` then says that the ledger holds any row of the
    target, which may be none of these.
    """
    places = _latest_rows(rows, target, fingerprint)
    selected = set(selection)
    packs = {scenario.pack for scenario in selected}
    excluded: list[ScenarioId] = []
    missing: list[MissingEvidence] = []
    answered: list[str] = []
    for scenario, index in _failing(rows, places):
        if scenario not in selected:
            if scenario.pack in packs:
                excluded.append(scenario)
        elif places.current.get(scenario, -1) > index:
            answered.append(rows[index].sweep_id or "")
        else:
            latest = places.passes.get(scenario, -1)
            missing.append(
                MissingEvidence(scenario, rows[index], rows[latest] if latest > index else None)
            )
    earners = _since(rows, places.current, places.last)
    known = has_history or any(row.target == target for row in rows)
    if missing or (known and not earners):
        return Refused(
            missing=tuple(missing),
            unearned=not earners,
            stale_earners=_since(rows, places.passes, places.last),
            excluded=tuple(excluded),
            last_regression=rows[places.last] if places.last >= 0 else None,
        )
    return Earned(
        earned_by=earners[-1].sweep_id if earners else None,
        evidence_for=tuple(dict.fromkeys(filter(None, answered))),
        excluded=tuple(excluded),
        earners=earners,
    )


def _latest_rows(rows: Sequence[Row], target: str, fingerprint: str) -> _LatestRows:
    found = _LatestRows()
    is_a_state = fingerprint.startswith(_A_STATE)
    for index, row in enumerate(rows):
        if row.target != target:
            continue
        if row.tier == "regression":
            found.last = found.regressions[row.scenario] = index
        elif row.is_focused_pass:
            found.passes[row.scenario] = index
            if is_a_state and row.fingerprint == fingerprint:
                found.current[row.scenario] = index
    return found


def _failing(rows: Sequence[Row], places: _LatestRows) -> list[tuple[ScenarioId, int]]:
    """Return the scenarios whose latest regression row failed and its index, by name, then pack."""
    failing = [(one, at) for one, at in places.regressions.items() if rows[at].failed]
    return sorted(failing, key=lambda found: (found[0].name, found[0].pack or ""))


def _since(rows: Sequence[Row], places: dict[ScenarioId, int], last: int) -> tuple[Row, ...]:
    """Return the rows at `places` that come after the last regression."""
    return tuple(rows[index] for index in sorted(places.values()) if index > last)
