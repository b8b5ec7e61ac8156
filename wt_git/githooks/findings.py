"""What setting up a repository found or did, one value for each part."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["there", "made", "missing", "refused", "note"]


class Finding(NamedTuple):
    """One part of the set-up.

    `there`: nothing to do. `made`: done now. `missing`: `wt init` would make it. `refused`: it could
    not be made, and `hints` are the commands that help. `note`: worth knowing.
    """

    state: State
    text: str
    hints: tuple[str, ...] = ()


def complete(findings: list[Finding]) -> bool:
    """Say whether nothing is left to do."""
    return not any(one.state in {"missing", "refused"} for one in findings)
