"""`prepare-commit-msg`: a trailer with the evidence, for places that do not show notes.

Off unless `trailer = true` in the policy. The trailer is made anew each time: an amended message
never claims the evidence of the tree that it had before.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import WindTunnelError
from wt_git.githooks.hook_call import HookResult
from wt_git.githooks.staged import judged

if TYPE_CHECKING:
    from wt_git.githooks.hook_call import HookCall

TRAILER = "Wind-Tunnel"


def run(call: HookCall) -> HookResult:
    """Write the trailer into the file that git names, or take out one that is no longer true."""
    if not call.args:
        return HookResult()
    try:
        found = judged(call, lambda gate: gate.trailer)
        if found is None:
            return HookResult()
        from wt_git.evidence.answers import Covered  # noqa: PLC0415
        from wt_git.git.trailers import put_trailer  # noqa: PLC0415
        from wt_git.githooks.told import trailer  # noqa: PLC0415

        value = trailer(found.answer) if isinstance(found.answer, Covered) else ""
        put_trailer(Path(os.path.abspath(call.folder / call.args[0])), TRAILER, value)  # noqa: PTH100
    except WindTunnelError as error:
        return HookResult(lines=(f"no trailer: {error.message}",))
    return HookResult()
