"""What helps with a commit that is not covered, and what else is worth saying about an answer."""

from __future__ import annotations

import itertools
import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence import compiled_files
from wt_git.evidence.answers import Reason
from wt_git.evidence.placeholders import PACK, RUNTIME
from wt_git.evidence.policy import gate_changes
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import compare, lookup
from wt_git.naming import named
from wt_git.text import DECLARED, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.config import Settings
    from wt_git.evidence.answers import Answer, Nearest, NotCovered
    from wt_git.evidence.cases import Case
    from wt_git.evidence.joined_notes import NotesSource
    from wt_git.evidence.policy import Policy
    from wt_git.git.history import History

_MOST_FILES = 8
_RECENT_COMMITS = 200
_SHORT_ID = 10


@dataclass(frozen=True, slots=True)
class Explainer:
    """Finds out what is missing; `runs_dirs` are where ledgers may be that know more than notes."""

    history: History
    view: NotesSource
    runs_dirs: Sequence[Path]

    def explained(self, case: Case, answer: NotCovered) -> NotCovered:
        """Return the answer with what helps: are there notes at all, which files make them stale.

        Only where nothing was recorded on the tree; other reasons speak for themselves.
        """
        if not any(one.code == "no-evidence" for one in answer.reasons):
            return answer
        found = self._nearest(case)
        reasons: list[Reason] = []
        if not self.view:
            reasons.append(self._no_notes(() if found else (self._first_command(case.policy),)))
        if found is not None:
            reasons.append(self._stale(case, found))
        elif self.view:
            reasons.append(replace(answer.reasons[0], hints=(self._first_command(case.policy),)))
        if found is None and any(map(self.history.is_cut, case.starts)):
            reasons.append(_short_history())
        kept = [one for one in answer.reasons if one.code != "no-evidence"]
        return replace(answer, reasons=(*reasons, *kept), nearest=found)

    def _no_notes(self, commands: tuple[str, ...]) -> Reason:
        """Say that there is nothing to look in, and whether something could be fetched."""
        fetch = ("wt verify --fetch",) if self.history.has_remotes else ()
        return Reason(
            code="no-notes",
            message="there are no notes here: none were recorded in this clone, and none were "
            "fetched",
            hints=(*fetch, *commands),
        )

    def _first_command(self, policy: Policy) -> str:
        """Return the command for a first experiment; what nobody can know stands in capitals."""
        packs = [f"--pack={pack}" for pack in policy.gate.packs or (PACK,)]
        runtime = f"--runtime={policy.gate.runtime or RUNTIME}"
        command = one_line(shlex.join(["wt", "run", *packs, runtime]))
        return f"{command} {DECLARED}" if self.runs_dirs else command

    def _nearest(self, case: Case) -> Nearest | None:
        from wt_git.evidence.nearest import Search, nearest  # noqa: PLC0415 - not where it is covered

        left_out = PathPatterns((*compiled_files.PATTERNS, *case.patterns))
        return nearest(
            Search(
                history=self.history,
                view=self.view,
                policy=case.policy,
                tree=case.tree,
                parents=case.starts,
                passed_over=left_out.match,
                runs_dirs=self.runs_dirs,
            )
        )

    def _stale(self, case: Case, found: Nearest) -> Reason:
        """Say what makes the nearest evidence stale: edits, or a base that moved under them."""
        commit = found.found_at
        where = f"commit {commit[:_SHORT_ID]}" if commit else f"sweep {found.row.sweep_id}"
        files = named(found.differing, most=_MOST_FILES)
        if self._base_moved(case, found):
            return Reason(
                code="base-moved",
                message="no experiment was recorded on this tree. What this commit changes was "
                f"tested ({where}), but on another base; these files are different there: {files}",
                facts=found.differing,
                hints=(found.row.command(),),
            )
        return Reason(
            code="stale-evidence",
            message="no experiment was recorded on this tree; the nearest evidence is that of "
            f"{where}, and these files differ from it: {files}",
            facts=found.differing,
            hints=(found.row.command(),),
        )

    def _base_moved(self, case: Case, found: Nearest) -> bool:
        """Say whether all that this commit changes is as it was tested, and only its base is not."""
        parent = self.history.commit(case.parents[0]) if case.parents else None
        if parent is None:
            return False
        try:
            own = compare(parent.tree, case.tree, self.history.trees)
        except GitError:
            return False
        names = {path.decode("utf-8", "surrogateescape") for path in own}
        if not names or not names.isdisjoint(found.differing):
            return False
        return found.found_at in case.parents or self._had(parent.id, found)

    def _had(self, commit: str, found: Nearest) -> bool:
        """Say whether a commit that `commit` builds on had, where evidence differs, what that has.

        Where none had, it is no earlier base: files were not committed, or came later.
        """
        looked_at = dict(zip(found.differing[:_MOST_FILES], found.held, strict=False))
        before = itertools.islice(self.history.ancestors(commit), _RECENT_COMMITS)
        try:
            return any(
                all(self._at(one.tree, path) == held for path, held in looked_at.items())
                for one in before
            )
        except GitError:
            return False

    def _at(self, tree: str, path: str) -> str | None:
        entry = lookup(tree, os.fsencode(path), self.history.trees)
        return entry.id if entry else None


def remarks(case: Case, answer: Answer, before: Settings | None) -> tuple[str, ...]:
    """Return what does not change the answer: changes of the rules since `before`, skipped lines."""
    said = []
    if before is not None:
        changes = gate_changes(before, case.own)
        if changes:
            said.append(f"the rules themselves change: {named(changes, most=8)}")
    own, judged = case.own.gate.not_under_test, case.policy.gate.not_under_test
    if not set(own) <= set(judged):
        more = [one for one in own if one not in judged]
        said.append(
            f"this commit leaves {named(more)} out of what is under test, and the policy that "
            "judges it does not: only evidence for the whole tree counts"
        )
    if answer.skipped.total:
        why = ", ".join(f"{count} {code}" for code, count in sorted(answer.skipped.counts.items()))
        said.append(f"lines of notes on this tree that count for nothing: {why}")
    return tuple(said)


def _short_history() -> Reason:
    return Reason(
        code="history-short",
        message="history is cut in this clone, so evidence on what this commit builds on could not "
        "be looked for",
        hints=("git fetch --unshallow",),
    )
