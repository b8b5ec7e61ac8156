"""What coverage answers with: covered, or the reasons why not, as values.

A reason's `code` is stable and has its entry in docs/messages.md. Its sentence is for people, and
whatever notes said in it is inert already.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.evidence.stored_rows import StoredRow, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a commit is not covered: the rule, what was seen by name, and the commands that help."""

    code: str
    message: str
    facts: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """The evidence that is closest to a commit: `differing` are the files that make it stale.

    `found_at` is the commit whose tree it is about, None when no commit of that state is known.
    `held` is what its tree has at these, object ids, None for nothing.
    """

    tree: str
    found_at: str | None
    row: StoredRow
    differing: tuple[str, ...]
    held: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Lines of notes that nothing was concluded from: how many, by why."""

    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many lines were skipped."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """A commit whose tree has evidence that satisfies the policy.

    `rows` count, `failing_rows` failed on the same tree and were answered by a counting row;
    `subjects` says what was asked. `thinned`: found under the tree without what no experiment
    depends on. `remarks` are sentences that do not change the answer.
    """

    commit: str
    tree: str
    sweeps: tuple[str, ...]
    rows: tuple[StoredRow, ...]
    failing_rows: tuple[StoredRow, ...] = ()
    subjects: tuple[Subject, ...] = ()
    thinned: bool = False
    skipped: Skipped = Skipped()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCovered:
    """A commit without such evidence, and why; missing data is a reason, never a pass."""

    commit: str
    tree: str
    reasons: tuple[Reason, ...]
    failing_rows: tuple[StoredRow, ...] = ()
    subjects: tuple[Subject, ...] = ()
    nearest: Nearest | None = None
    skipped: Skipped = Skipped()
    remarks: tuple[str, ...] = ()


Answer = Covered | NotCovered
