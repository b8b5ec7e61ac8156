"""Why a commit is not covered: one function for each reason code in docs/messages.md."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wt_git.evidence.coverage.result import RUNTIME_PLACEHOLDER, Reason
from wt_git.text import DECLARATION_OPTIONS, one_line, quoted_list, shortened_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.evidence.coverage.row_rules import CheckedRow
    from wt_git.evidence.coverage.stored_rows import StoredRow
    from wt_git.evidence.policy import Policy

_SHOWN = 5


def no_evidence(other_runtimes: Sequence[StoredRow], policy: Policy) -> Reason:
    """Report that no row on this tree is against the policy's runtime; some may be against others."""
    if not other_runtimes:
        return Reason(code="no-evidence", message="no experiment was recorded on this tree")
    wanted = "a runtime with an agent, not in_memory"
    if policy.gate.runtime is not None:
        wanted = quoted_list([policy.gate.runtime])
    runtime = policy.gate.runtime or RUNTIME_PLACEHOLDER
    seen = tuple(dict.fromkeys(row.parts.runtime or "unknown" for row in other_runtimes))
    return Reason(
        code="other-runtime",
        message=f"the policy asks for evidence against {wanted}; on this tree there is only "
        f"some against {quoted_list(seen)}",
        facts=seen,
        hints=tuple(dict.fromkeys(row.command(runtime) for row in other_runtimes))[:_SHOWN],
    )


def failing_scenarios(rows: Sequence[StoredRow]) -> Reason:
    """Report scenarios that failed, with no counting row to answer them."""
    names = tuple(dict.fromkeys(row.name for row in rows))
    return Reason(
        code="failing-scenarios",
        message=f"failed on this tree, and no later or earlier pass of it counts: {quoted_list(names)}",
        facts=tuple(f"{row.name} in sweep {row.sweep_id}" for row in rows),
        hints=tuple(dict.fromkeys(row.command() for row in rows))[:_SHOWN],
    )


def nothing_counts(
    checked: Sequence[CheckedRow], of_packs: Sequence[StoredRow], packs: tuple[str, ...]
) -> list[Reason]:
    """Report that no row counts, and why, or that those that do are from other packs.

    Failing rows have a reason of their own.
    """
    if packs and not of_packs and any(one.counts for one in checked):
        seen = tuple(dict.fromkeys(one.row.pack or "unknown" for one in checked))
        options = [f"--pack={one_line(shlex.quote(pack))}" for pack in packs[:_SHOWN]]
        return [
            Reason(
                code="other-pack",
                message=f"the policy asks for evidence from {quoted_list(packs)}; on this tree there "
                f"is only some from {quoted_list(seen)}",
                facts=seen,
                hints=tuple(f"wt run {option} {DECLARATION_OPTIONS}" for option in options),
            )
        ]
    flawed = [one for one in checked if not one.counts and not one.row.fails]
    if not flawed:
        return []
    shown = [f"{quoted_list([one.row.name])}: {one.flaws[0]}" for one in flawed]
    return [
        Reason(
            code="nothing-counts",
            message="what was recorded on this tree does not count: "
            f"{shortened_list(shown, most=_SHOWN, between='; ')}",
            facts=tuple(f"{one.row.name}: {'; '.join(one.flaws)}" for one in flawed),
            hints=(flawed[0].row.command(),),
        )
    ]


def regression_not_met(sweep_id: str, flaws: Sequence[str], rows: Sequence[CheckedRow]) -> Reason:
    """Report a regression that has flaws."""
    return Reason(
        code="regression-not-met",
        message=f"regression {sweep_id} does not count: {'; '.join(flaws)}",
        facts=tuple(flaws),
        hints=(rows[0].row.command(),),
    )


def no_regression(checked: Sequence[CheckedRow]) -> Reason:
    """Report that the policy asks for a regression, and there are only smaller experiments."""
    return Reason(
        code="no-regression",
        message="the policy asks for a regression, and on this tree there are only focused "
        "experiments and probes",
        facts=tuple(sorted({one.row.sweep_id for one in checked})),
        hints=(f"wt run --all-packs {DECLARATION_OPTIONS}",),
    )


def regression_not_earned(sweep_id: str, row: StoredRow) -> Reason:
    """Report a regression that nothing earned and that is not the first of its target."""
    return Reason(
        code="regression-not-earned",
        message=f"regression {sweep_id} was earned by no focused experiment, and it is not the first "
        "of its target: commits that this one builds on have evidence for "
        f"{quoted_list([row.parts.target or 'unknown'])}",
        facts=(sweep_id,),
        hints=(row.command(),),
    )


def history_cut(sweep_id: str, row: StoredRow) -> Reason:
    """Report a regression that nothing earned, and that may or may not be the first of its target."""
    return Reason(
        code="history-cut",
        message=f"regression {sweep_id} was earned by no focused experiment, and this clone does not "
        "reach back far enough to tell whether it is the first for "
        f"{quoted_list([row.parts.target or 'unknown'])}",
        facts=(sweep_id,),
        hints=("git fetch --unshallow", row.command()),
    )
