"""`wt verify`: which commits are checked, under whose policy, and by whose notes.

CI services build a merge of base and head. The commits of a pull request are checked by the
policy of the base; the notes of a fork count for the commits of its own pull request only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from wt_git.errors import GitError, UsageError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.evidence_trees import JoinedNotes
from wt_git.evidence.coverage.result import CoverageResult, Covered, NotCovered, Reason
from wt_git.evidence.policy import policy_from, settings_of
from wt_git.records.documents.evidence import (
    NearestEvidence,
    Verification,
    VerifiedCommit,
    VerifiedReason,
    VerifiedRow,
    VerifiedSubject,
)
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.config import Settings
    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.evidence.coverage.result import NearestRow
    from wt_git.evidence.coverage.stored_rows import StoredRow
    from wt_git.git.history import CommitFacts, History

_Shape = TypeVar("_Shape", VerifiedSubject, VerifiedReason)

_NULL = "0" * 40
_WITHOUT_EVIDENCE = frozenset(
    {"no-evidence", "no-notes", "stale-evidence", "base-moved", "history-short"}
)


class PullRequest(msgspec.Struct, frozen=True):
    """The pull request that CI runs for.

    `merge` is the commit that the service built, with the base as its first parent; None if the
    service checks out the head. `bases` are other names for the base, the most reliable first. They
    come from the service: a base taken from the pushed commits could choose its own policy.
    """

    merge: str | None = None
    bases: tuple[str, ...] = ()


def pull_request(environ: Mapping[str, str], event: Mapping[str, Any]) -> PullRequest | None:
    """Return the pull request that CI runs for; None outside of CI and for other events.

    `event` is GitHub's event document, empty elsewhere.
    """
    found = (service(environ, event) for service in (_github, _gitlab, _azure, _others))
    return next((one for one in found if one is not None), None)


def _github(environ: Mapping[str, str], event: Mapping[str, Any]) -> PullRequest | None:
    name = environ.get("GITHUB_EVENT_NAME", "")
    if name == "merge_group":
        base = _within(event, "merge_group", "base_sha")
        return PullRequest(bases=_known(base))
    if name not in {"pull_request", "pull_request_target"}:
        return None
    # GITHUB_SHA is the merge for `pull_request`, and the base for `pull_request_target`.
    built = environ.get("GITHUB_REF", "").endswith("/merge") and name == "pull_request"
    branch = environ.get("GITHUB_BASE_REF")
    return PullRequest(
        merge=environ.get("GITHUB_SHA") if built else None,
        bases=_known(
            _within(event, "pull_request", "base", "sha"),
            f"refs/remotes/origin/{branch}" if branch else None,
        ),
    )


def _gitlab(environ: Mapping[str, str], _: Mapping[str, Any]) -> PullRequest | None:
    if "CI_MERGE_REQUEST_IID" not in environ:
        return None
    target = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    branch = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
    built = environ.get("CI_MERGE_REQUEST_EVENT_TYPE") in {"merged_result", "merge_train"}
    return PullRequest(
        merge=environ.get("CI_COMMIT_SHA") if built else None,
        bases=_known(
            target,
            f"refs/remotes/origin/{branch}" if branch else None,
            environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        ),
    )


def _azure(environ: Mapping[str, str], _: Mapping[str, Any]) -> PullRequest | None:
    branch = environ.get("SYSTEM_PULLREQUEST_TARGETBRANCH")
    if not branch:
        return None
    short = branch.removeprefix("refs/heads/")
    return PullRequest(
        merge=environ.get("BUILD_SOURCEVERSION"), bases=(f"refs/remotes/origin/{short}",)
    )


def _others(environ: Mapping[str, str], _: Mapping[str, Any]) -> PullRequest | None:
    # Jenkins and Bitbucket name the branch that a request is for.
    branch = environ.get("CHANGE_TARGET") or environ.get("BITBUCKET_PR_DESTINATION_BRANCH")
    commit = environ.get("BITBUCKET_PR_DESTINATION_COMMIT")
    if not branch and not commit:
        return None
    return PullRequest(bases=_known(commit, f"refs/remotes/origin/{branch}" if branch else None))


def _known(*names: object) -> tuple[str, ...]:
    return tuple(one for one in names if isinstance(one, str) and one.strip() and one != _NULL)


def _within(event: Mapping[str, Any], *path: str) -> object:
    found: Any = event
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


class VerifiedRevision(msgspec.Struct, frozen=True):
    """The result for `commit`, which the user named `revision`.

    `result.commit` is the head of a pull request if that was checked in place of its merge.
    """

    revision: str
    commit: CommitFacts
    result: CoverageResult


class VerificationScope(msgspec.Struct, frozen=True, kw_only=True):
    """Whose policy is applied, and which commits belong to a pull request.

    Without `policy`, each commit's own is applied. `merge` is the merge that CI built, whose first
    parent is the base. Commits that are in `base` do not belong to the pull request.
    """

    policy: Settings | None = None
    base: str | None = None
    merge: str | None = None


class Verifier:
    """Checks commits of `repository` against the notes in `view`.

    The notes in `fork` are added for commits of the pull request only.
    """

    def __init__(
        self,
        repository: pygit2.Repository,
        view: NotesSource,
        scope: VerificationScope,
        *,
        fork: NotesSource | None = None,
        runs_dirs: Sequence[Path] = (),
    ) -> None:
        self._checker = CoverageChecker(repository, view, runs_dirs=runs_dirs)
        self._request_checker = self._checker
        if fork is not None:
            both = JoinedNotes(view, fork)
            self._request_checker = CoverageChecker(repository, both, runs_dirs=runs_dirs)
        self._scope = scope
        self.history: History = self._checker.history

    def verify(self, revision: str, commit: CommitFacts) -> VerifiedRevision:
        """Return the result for one commit. Raises `GitError` and `ConfigurationError`."""
        result = self._check(commit)
        if commit.id == self._scope.merge and isinstance(result, NotCovered):
            result = self._check_merge(commit, result)
        return VerifiedRevision(revision, commit, result)

    def _check(self, commit: CommitFacts) -> CoverageResult:
        settings = self._scope.policy
        checker = self._request_checker if self._is_of_the_request(commit) else self._checker
        policy = policy_from(settings) if settings is not None else None
        return checker.commit(commit.id, policy=policy, before=settings)

    def _is_of_the_request(self, commit: CommitFacts) -> bool:
        """Say whether a commit came with the pull request, and is neither its base nor CI's merge.

        A merge with the tree of the head counts as the head: the fork tested this very tree.
        """
        base = self._scope.base
        if base is None or self.history.contains(base, commit.id):
            return False
        if commit.id != self._scope.merge:
            return True
        head = self._head(commit)
        return head is not None and head.tree == commit.tree

    def _head(self, merge: CommitFacts) -> CommitFacts | None:
        return self.history.commit(merge.parents[1]) if len(merge.parents) == 2 else None  # noqa: PLR2004

    def _check_merge(self, merge: CommitFacts, result: NotCovered) -> CoverageResult:
        """Return the result for a merge without evidence of its own: the head may be checked."""
        if not {reason.code for reason in result.reasons} <= _WITHOUT_EVIDENCE:
            return result  # there is evidence on the merge's own tree, and it is not enough
        settings = self._scope.policy or settings_of(self.history, merge)
        if settings.gate.merge != "head":
            untested = Reason(
                code="merge-untested",
                message=f"{merge.short} is the merge of head and base that CI built, and it was not "
                'tested; the policy wants evidence for it (merge = "own")',
                hints=(f"git fetch origin && git merge {merge.parents[0]}",),
            )
            return replace(result, reasons=(untested, *result.reasons))
        head = self._head(merge)
        if head is None:
            missing = Reason(
                code="head-missing",
                message=f"the head of the pull request that {merge.short} merges is not in this clone",
                facts=merge.parents[1:],
                hints=("wt verify --fetch", "git fetch --depth=2 origin HEAD"),
            )
            return replace(result, reasons=(missing, *result.reasons))
        of_head = self._check(head)
        remark = (
            f"the merge {merge.short} that CI built has no evidence of its own; the head "
            f"{head.short} was asked about"
        )
        if isinstance(of_head, Covered):
            remark = (
                f"the merge {merge.short} that CI built has no evidence of its own; the head "
                f'{head.short} of the pull request stands in for it (merge = "head")'
            )
        return replace(of_head, remarks=(remark, *of_head.remarks))


def settings_at(history: History, revision: str) -> tuple[Settings, CommitFacts]:
    """Return the settings in the commit that `revision` names. Raises `UsageError` if missing."""
    found = history.resolve(revision)
    if found is None:
        raise UsageError(
            f"the commit '{one_line(revision)}', whose policy judges, is not in this clone: nothing "
            "can be said without it",
            hints=("wt verify --fetch", f"git fetch origin {one_line(revision)}"),
            code="policy-missing",
        )
    try:
        return settings_of(history, found), found
    except GitError as error:
        raise UsageError(
            f"the policy of '{one_line(revision)}' cannot be read: {error.message}",
            hints=("wt verify --fetch", *error.hints),
            code="policy-missing",
        ) from error


def verification_document(
    verified: Sequence[VerifiedRevision], *, policy_from: str | None, warnings: Sequence[str]
) -> Verification:
    """Return the results as the document for machines; `policy_from` is the policy's commit."""
    return Verification(
        covered=all(isinstance(one.result, Covered) for one in verified),
        policy_from=policy_from,
        commits=[_commit(one) for one in verified],
        warnings=list(warnings),
    )


def _commit(one: VerifiedRevision) -> VerifiedCommit:
    result = one.result
    covered = result if isinstance(result, Covered) else None
    missing = result if isinstance(result, NotCovered) else None
    return VerifiedCommit(
        revision=one.revision,
        commit=one.commit.id,
        title=one.commit.subject,
        judged=result.commit,
        tree=result.tree,
        covered=covered is not None,
        thinned=covered is not None and covered.thinned,
        rows=[_row(row) for row in covered.rows] if covered else [],
        failing_rows=[_row(row) for row in result.failing_rows],
        subjects=_as_list(VerifiedSubject, result.agents),
        reasons=_as_list(VerifiedReason, missing.reasons if missing else ()),
        nearest=_nearest(missing.nearest) if missing and missing.nearest else None,
        skipped=dict(result.skipped),
        remarks=list(result.remarks),
    )


def _row(row: StoredRow) -> VerifiedRow:
    return VerifiedRow(
        sweep_id=row.sweep_id,
        ts=row.ts,
        scenario=row.scenario_id,
        pack=row.pack,
        tier=row.tier,
        verdict=row.verdict,
        passed=row.passed,
        runs=row.runs,
    )


def _as_list(shape: type[_Shape], values: Sequence[object]) -> list[_Shape]:
    """Return the attributes of `values` that the document has."""
    return msgspec.convert(values, list[shape], from_attributes=True)  # type: ignore[valid-type]


def _nearest(nearest: NearestRow) -> NearestEvidence:
    return NearestEvidence(
        tree=nearest.tree,
        commit=nearest.found_at,
        sweep_id=nearest.row.sweep_id,
        files=list(nearest.differing),
    )
