"""`pre-commit`: says whether what is about to be committed has evidence.

It lets the commit through, unless the policy says `pre_commit = "refuse"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import EXIT_NO, EXIT_YES, WindTunnelError
from wt_git.githooks.hook_call import HookResult
from wt_git.githooks.staged import judged

if TYPE_CHECKING:
    from wt_git.githooks.hook_call import HookCall


def run(call: HookCall) -> HookResult:
    """Judge the tree that the index holds, by the policy in that tree."""
    try:
        found = judged(call, lambda gate: gate.pre_commit != "off")
    except WindTunnelError as error:
        return HookResult(lines=(f"whether there is evidence cannot be told: {error.message}",))
    if found is None:
        return HookResult()
    from wt_git.evidence.answers import Covered  # noqa: PLC0415
    from wt_git.githooks.told import commands, covered, not_covered, numbered, rule  # noqa: PLC0415

    if isinstance(found.answer, Covered):
        return HookResult(lines=(covered("what is committed", found.answer),))
    suggested = commands(found.answer, found.gate)
    if found.gate.pre_commit != "refuse":
        head = "what is committed has no evidence yet, which a push may ask for"
        return HookResult(EXIT_YES, (head, *not_covered(found.answer), *numbered(suggested[:1])))
    head = "refused: what would be committed has no evidence that counts"
    lines = (head, rule(found.gate), *not_covered(found.answer), *numbered(suggested))
    return HookResult(EXIT_NO, (*lines, "then commit again; unchecked: git commit --no-verify"))
