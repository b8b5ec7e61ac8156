"""The document that `wt verify` prints for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.evidence.coverage.result import Covered, NotCovered
from wt_git.records.documents.verify import (
    NearestEvidence,
    Verification,
    VerifiedCommit,
    VerifiedReason,
    VerifiedRow,
    VerifiedSubject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.evidence.coverage.result import NearestRow, Reason
    from wt_git.evidence.coverage.stored_rows import StoredRow
    from wt_git.evidence.verification import VerifiedRevision


def verification_document(
    verified: Sequence[VerifiedRevision], *, policy_from: str | None, warnings: Sequence[str]
) -> Verification:
    """Return the document about `verified`; `policy_from` is the commit whose policy judged."""
    return Verification(
        covered=all(isinstance(one.answer, Covered) for one in verified),
        policy_from=policy_from,
        commits=[_commit(one) for one in verified],
        warnings=list(warnings),
    )


def _commit(one: VerifiedRevision) -> VerifiedCommit:
    answer = one.answer
    covered = isinstance(answer, Covered)
    return VerifiedCommit(
        revision=one.revision,
        commit=one.commit.id,
        title=one.commit.subject,
        judged=answer.commit,
        tree=answer.tree,
        covered=covered,
        thinned=answer.thinned if isinstance(answer, Covered) else False,
        rows=[_row(row) for row in answer.rows] if isinstance(answer, Covered) else [],
        failing_rows=[_row(row) for row in answer.failing_rows],
        subjects=[
            VerifiedSubject(target=who.target, model=who.model, plugin=who.plugin)
            for who in answer.subjects
        ],
        reasons=[_reason(why) for why in answer.reasons] if isinstance(answer, NotCovered) else [],
        nearest=_nearest(answer.nearest) if isinstance(answer, NotCovered) else None,
        skipped=dict(answer.skipped.counts),
        remarks=list(answer.remarks),
    )


def _row(row: StoredRow) -> VerifiedRow:
    return VerifiedRow(
        sweep_id=row.sweep_id,
        ts=row.ts,
        scenario=row.scenario,
        pack=row.pack,
        tier=row.tier,
        verdict=row.verdict,
        passed=row.passed,
        runs=row.runs,
    )


def _reason(why: Reason) -> VerifiedReason:
    return VerifiedReason(
        code=why.code, message=why.message, facts=list(why.facts), hints=list(why.hints)
    )


def _nearest(found: NearestRow | None) -> NearestEvidence | None:
    if found is None:
        return None
    return NearestEvidence(
        tree=found.tree,
        commit=found.found_at,
        sweep_id=found.row.sweep_id,
        files=list(found.differing),
    )
