"""What is judged, as a value: a commit, or a tree that is about to be one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.config import Settings
    from wt_git.evidence.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A tree, the settings in it, the commits that it builds on, and the policy that judges it.

    `commit` is empty for what is about to be committed.
    """

    commit: str
    tree: str
    parents: tuple[str, ...]
    own: Settings
    policy: Policy

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns that evidence for this tree was thinned with.

        They are its own: the file that holds them is part of every thinned tree. Where they leave
        out more than the policy allows, nothing found that way counts.
        """
        own = self.own.gate.not_under_test
        return own if set(own) <= set(self.policy.gate.not_under_test) else ()

    @property
    def starts(self) -> tuple[str, ...]:
        """The commits that history is looked through from."""
        return (self.commit,) if self.commit else self.parents
