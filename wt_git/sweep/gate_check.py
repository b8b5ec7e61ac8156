"""Asking the gate about a sweep that is about to run (docs/ladder.md, "The gate")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wt_git.ladder.gate import Refused, decide
from wt_git.records.fields import as_recorded
from wt_git.records.gate_rows import ScenarioId
from wt_git.sweep.gate_refusal import refusal
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Earned
    from wt_git.records.gate_rows import GateRow
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected


class GateLedger(Protocol):
    """What the gate asks of a ledger."""

    def has_target(self, target: str) -> bool:
        """Say whether any row is against `target`."""
        ...

    def gate_rows(self, target: str, fingerprint: str) -> Sequence[GateRow]:
        """Return the rows that `wt_git.ladder.gate.decide` needs, in the ledger's order."""
        ...


def check_gate(
    request: SweepRequest,
    selected: Sequence[Selected],
    fingerprint: Fingerprint,
    ledger: GateLedger,
) -> Earned:
    """Return what earned a regression of `selected` on what is under test now.

    To be asked before the sweep queues, and again with another fingerprint and the ledger read again
    once it holds its runtime. Raises `GateRefusedError`.
    """
    known = {scenario_id(one): one for one in selected}
    target = as_recorded(fingerprint.parts.target or "")
    answer = decide(
        ledger.gate_rows(target, fingerprint.value),
        target=target,
        fingerprint=fingerprint.value,
        selection=known,
        has_history=ledger.has_target(target),
    )
    if isinstance(answer, Refused):
        raise refusal(answer, request=request, known=known, fingerprint=fingerprint)
    return answer


def scenario_id(selected: Selected) -> ScenarioId:
    """Return what rows call `selected`: what they cannot hold of a name is replaced there."""
    return ScenarioId(as_recorded(selected.pack.name), as_recorded(selected.scenario.name))


def gate_notes(earned: Earned) -> list[str]:
    """Return what is worth saying about how a regression was earned."""
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
