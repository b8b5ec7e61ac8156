"""Coverage of commits of a real repository: reads what `wt_git.evidence.coverage` judges.

    checker = CoverageChecker(repository, view)
    answer = checker.commit(commit_id)

Nothing here scans the working directory, writes, or goes to the network.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from wt_git.config import Settings
from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.answers import Answer, NotCovered, Reason
from wt_git.evidence.coverage import Earlier, Filed, Key, judge, readable_rows
from wt_git.evidence.naming import named
from wt_git.evidence.policy import Policy, gate_changes, policy_from, settings_of
from wt_git.evidence.row_rules import COUNTING_TIERS
from wt_git.git.history import History
from wt_git.git.notes import Notes
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.trees import compare, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.evidence.answers import Nearest
    from wt_git.evidence.joined_notes import NotesSource
    from wt_git.evidence.regressions import Judged
    from wt_git.git.history import CommitFacts

COMPILED = ("**/*.pyc", "**/*.pyo")
"""What a snapshot never holds, so that no evidence stands under a tree with such files."""


def coverage_of(
    repository: pygit2.Repository,
    commit_id: str,
    *,
    policy: Policy | None = None,
    notes: NotesSource | None = None,
    before: Settings | None = None,
    runs_dirs: Sequence[Path] = (),
) -> Answer:
    """Return whether the commit is covered.

    `policy` defaults to that of the commit's own pyproject.toml, `notes` to what the notes ref that
    it names and those of the remotes say. Changes of the gate and ladder tables since `before` are
    named in the answer. Raises `GitError` when objects are missing, `ConfigurationError` for tables
    that may not be.
    """
    if notes is None:
        history = History(repository)
        settings = settings_of(history, _here(history, commit_id))
        notes = Notes(repository, ref=settings.notes_ref).view()
    checker = CoverageChecker(repository, notes, runs_dirs=runs_dirs)
    return checker.commit(commit_id, policy=policy, before=before)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What is judged: a tree, whose settings it has, and the commits that it builds on."""

    commit: str
    tree: str
    parents: tuple[str, ...]
    own: Settings
    policy: Policy


class CoverageChecker:
    """Answers for any number of commits of one repository from one view of its notes.

    `runs_dirs` are where ledgers may be, to explain what is missing; they never cover anything.
    Without `explain` nothing is searched for that explains it.
    """

    def __init__(
        self,
        repository: pygit2.Repository,
        view: NotesSource,
        *,
        runs_dirs: Sequence[Path] = (),
        explain: bool = True,
    ) -> None:
        self._explain = explain
        self.history = History(repository)
        self.view = view
        self._runs_dirs = runs_dirs

    def commit(
        self, commit_id: str, *, policy: Policy | None = None, before: Settings | None = None
    ) -> Answer:
        """Return whether a commit is covered; see `coverage_of`."""
        facts = _here(self.history, commit_id)
        own = settings_of(self.history, facts)
        case = _Case(
            commit=facts.id,
            tree=facts.tree,
            parents=facts.parents,
            own=own,
            policy=policy or policy_from(own),
        )
        return self._answer(case, before)

    def tree(
        self,
        tree_id: str,
        own: Settings,
        *,
        parents: Sequence[str] = (),
        policy: Policy | None = None,
    ) -> Answer:
        """Return whether a commit of this tree would be covered; `own` are the settings in it.

        `parents` are the commits that it would build on. The answer's `commit` is empty.
        """
        case = _Case(
            commit="",
            tree=tree_id,
            parents=tuple(parents),
            own=own,
            policy=policy or policy_from(own),
        )
        return self._answer(case, None)

    def recorded(self, commit_id: str, skipped: set[bytes] | None = None) -> list[Judged]:
        """Return every row on the commit's tree that can be read, of whatever tier and runtime.

        Lines that cannot are added to `skipped`.
        """
        facts = _here(self.history, commit_id)
        try:
            own = settings_of(self.history, facts)
        except ConfigurationError:
            own = Settings()
        case = _Case(
            commit=facts.id,
            tree=facts.tree,
            parents=facts.parents,
            own=own,
            policy=policy_from(own),
        )
        found: dict[bytes, Judged] = {}
        passed_over: dict[bytes, str] = {}
        for key in self._keys(case):
            found = readable_rows(self.view.sweeps(key.tree), key, passed_over) | found
        if skipped is not None:
            skipped |= passed_over.keys() - found.keys()
        return list(found.values())

    @cached_property
    def _keys_with_notes(self) -> frozenset[str]:
        return frozenset(self.view.record_keys())

    def _answer(self, case: _Case, before: Settings | None) -> Answer:
        keys = self._keys(case)
        filed = Filed(
            commit=case.commit,
            keys=keys,
            notes={key.tree: self.view.sweeps(key.tree) for key in keys},
            earlier=lambda target: self._earlier(case, target),
        )
        answer = judge(filed, case.policy)
        remarks = _remarks(case, answer, before)
        if not isinstance(answer, NotCovered):
            return replace(answer, remarks=remarks)
        return self._explained(case, replace(answer, remarks=remarks))

    def _keys(self, case: _Case) -> list[Key]:
        """Return the trees to look under, those that cost a walk through the tree last.

        A snapshot has no compiled files. So where there are notes on a tree, it has none either,
        and it need not be searched for them.
        """
        patterns = self._patterns(case)
        keys = [Key(case.tree)]
        if patterns:
            thinned = self._thinned(case.tree, patterns)
            keys = [thinned] if thinned.tree == case.tree else [*keys, thinned]
        if not any(self.view.sweeps(key.tree) for key in keys):
            compiled = self._thinned(case.tree, COMPILED)
            if compiled.tree != case.tree:
                keys.append(Key(compiled.tree))
                if patterns:
                    keys.append(self._thinned(case.tree, (*COMPILED, *patterns)))
        return keys

    def _patterns(self, case: _Case) -> tuple[str, ...]:
        """Return the patterns that evidence for this tree was thinned with.

        They are its own: the file that holds them is part of every thinned tree. Where they leave
        out more than the policy allows, nothing found that way counts.
        """
        own = case.own.gate.not_under_test
        return own if set(own) <= set(case.policy.gate.not_under_test) else ()

    def _thinned(self, tree: str, patterns: Sequence[str]) -> Key:
        left_out = PathPatterns(patterns)
        return Key(without(tree, left_out, self.history.trees), left_out)

    def _earlier(self, case: _Case, target: str | None) -> Earlier:
        """Say whether a commit that this one builds on has evidence for `target`."""
        patterns = self._patterns(case)
        cut = case.commit in self.history.cut
        for facts in self._builds_on(case):
            cut = cut or facts.id in self.history.cut
            keys = [Key(facts.tree)]
            if patterns and facts.tree not in self._keys_with_notes:
                keys.append(self._thinned(facts.tree, patterns))
            if any(self._has_evidence(key, target) for key in keys):
                return Earlier.SOME
        return Earlier.CUT if cut else Earlier.NONE

    def _builds_on(self, case: _Case) -> Iterator[CommitFacts]:
        if case.commit:
            yield from self.history.ancestors(case.commit)
            return
        for parent in case.parents:
            own = self.history.commit(parent)
            if own is not None:
                yield own
                yield from self.history.ancestors(parent)

    def _has_evidence(self, key: Key, target: str | None) -> bool:
        if key.tree not in self._keys_with_notes:
            return False
        rows = readable_rows(self.view.sweeps(key.tree), key).values()
        return any(
            one.row.parts.target == target and one.row.tier in COUNTING_TIERS for one in rows
        )

    def _explained(self, case: _Case, answer: NotCovered) -> NotCovered:
        """Add what helps: whether there are notes at all, and which files make evidence stale."""
        if not self._explain or not any(one.code == "no-evidence" for one in answer.reasons):
            return answer
        found = self._nearest(case)
        if found is not None:
            reasons = [self._stale(case, found)]
        elif self.view:
            reasons = [replace(answer.reasons[0], hints=(_first_command(case.policy),))]
        else:
            reasons = []
        if not self.view:
            reasons.insert(0, self._no_notes(() if found else (_first_command(case.policy),)))
        if found is None and any(map(self.history.is_cut, self._starts(case))):
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

    def _starts(self, case: _Case) -> Sequence[str]:
        """Return the commits that history is looked through from."""
        return (case.commit,) if case.commit else case.parents

    def _nearest(self, case: _Case) -> Nearest | None:
        from wt_git.evidence.nearest import Search, nearest  # noqa: PLC0415 - not where it is covered

        left_out = PathPatterns((*COMPILED, *self._patterns(case)))
        return nearest(
            Search(
                history=self.history,
                view=self.view,
                policy=case.policy,
                tree=case.tree,
                parents=self._starts(case),
                passed_over=left_out.match,
                runs_dirs=self._runs_dirs,
            )
        )

    def _stale(self, case: _Case, found: Nearest) -> Reason:
        """Say what makes the nearest evidence stale: edits, or a base that moved under them."""
        where = f"commit {found.found_at[:10]}" if found.found_at else f"sweep {found.row.sweep_id}"
        files = named(found.differing, most=8)
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

    def _base_moved(self, case: _Case, found: Nearest) -> bool:
        """Say whether all that this commit changes is as it was tested, and only its base is not."""
        parent = self.history.commit(case.parents[0]) if case.parents else None
        if parent is None:
            return False
        try:
            own = compare(parent.tree, case.tree, self.history.trees)
        except GitError:
            return False
        names = {path.decode("utf-8", "surrogateescape") for path in own}
        return bool(names) and names.isdisjoint(found.differing)


def _here(history: History, commit_id: str) -> CommitFacts:
    facts = history.commit(commit_id)
    if facts is None:
        raise GitError(
            f"the commit {commit_id} is not in this clone",
            hints=(f"git fetch origin {commit_id}",),
            code="commit-missing",
        )
    return facts


def _remarks(case: _Case, answer: Answer, before: Settings | None) -> tuple[str, ...]:
    remarks = []
    if before is not None:
        changes = gate_changes(before, case.own)
        if changes:
            remarks.append(f"the rules themselves change: {named(changes, most=8)}")
    own, judged = case.own.gate.not_under_test, case.policy.gate.not_under_test
    if not set(own) <= set(judged):
        more = [one for one in own if one not in judged]
        remarks.append(
            f"this commit leaves {named(more)} out of what is under test, and the policy that "
            "judges it does not: only evidence for the whole tree counts"
        )
    if answer.skipped.total:
        why = ", ".join(f"{count} {code}" for code, count in sorted(answer.skipped.counts.items()))
        remarks.append(f"lines of notes on this tree that count for nothing: {why}")
    return tuple(remarks)


def _first_command(policy: Policy) -> str:
    """Return the command for a first experiment; what nobody can know stands in capitals."""
    packs = [f"--pack={pack}" for pack in policy.gate.packs] or ["--pack=PACK"]
    runtime = policy.gate.runtime or "RUNTIME"
    return shlex.join(["wt", "run", *packs, f"--runtime={runtime}"])


def _short_history() -> Reason:
    return Reason(
        code="history-short",
        message="history is cut in this clone, so evidence on what this commit builds on could not "
        "be looked for",
        hints=("git fetch --unshallow",),
    )
