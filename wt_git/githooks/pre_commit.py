"""`pre-commit`: says whether what is about to be committed has evidence (docs/evidence-in-git.md)."""

from __future__ import annotations

from wt_git.githooks.hook_call import HookCall, HookResult


def run(call: HookCall) -> HookResult:
    return HookResult()
