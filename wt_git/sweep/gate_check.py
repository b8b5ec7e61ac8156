"""Asking the gate about a sweep that is about to run (docs/ladder.md, "The gate")."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from wt_git.ladder.gate import Refused, decide
from wt_git.records.fields import as_recorded
from wt_git.sweep.gate_refusal import refusal
from wt_git.sweep.pack_identity import OF_ANOTHER_PACK, is_of_another_pack, pack_sources
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

    def has_target(self, target: str, *others: str) -> bool:
        """Say whether any row is against one of these targets."""
        ...

    def gate_rows(self, target: str, fingerprint: str, *others: str) -> Sequence[GateRow]:
        """Return the rows that `wt_git.ladder.gate.decide` needs, in the ledger's order."""
        ...


def check_gate(
    request: SweepRequest,
    selected: Sequence[Selected],
    fingerprint: Fingerprint,
    ledger: GateLedger,
    other_targets: Sequence[str] = (),
) -> Earned:
    """Return what earned a regression of `selected` on what is under test now.

    `other_targets` are what rows call the same backend that was named otherwise. To be asked before
    the sweep queues, and again with another fingerprint once it holds its runtime. Raises
    `GateRefusedError`.
    """
    known = {one.identity: one for one in selected}
    target = as_recorded(fingerprint.parts.target or "")
    others = [as_recorded(one) for one in other_targets]
    sources = pack_sources(fingerprint.sources)

    def meant(row: GateRow) -> GateRow:
        """Return the row as what it means to this sweep, whatever it calls target and pack."""
        if row.target in others:
            row = replace(row, target=target)
        if row.passes and row.scenario in known and is_of_another_pack(row, sources):
            row = replace(row, fingerprint=OF_ANOTHER_PACK)
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
