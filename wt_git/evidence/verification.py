"""`wt verify`: which commits are checked, under whose policy, and by whose notes.

CI services build a merge of base and head. The commits of a pull request are checked by the
policy of the base; the notes of a fork count for the commits of its own pull request only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wt_git.errors import GitError, UsageError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.evidence_trees import JoinedNotes
from wt_git.evidence.coverage.result import CoverageResult, Covered, NotCovered, Reason
from wt_git.evidence.policy import policy_from, settings_of
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.config import Settings
    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.git.history import CommitFacts, History

_NULL = "0" * 40


@dataclass(frozen=True, slots=True)
class PullRequest:
    """`merge` is the commit that the service built, None when it checks the head out itself.

    Its first parent is the base then. `bases` are other names for the base, the surest first.
    """

    merge: str | None = None
    bases: tuple[str, ...] = ()


def pull_request(environ: Mapping[str, str], event: Mapping[str, Any]) -> PullRequest | None:
    """Return the pull request that CI runs for; None outside of CI and for other events.

    `event` is the document that GitHub describes its event with; empty elsewhere.
    """
    for service in (_github, _gitlab, _azure, _others):
        found = service(environ, event)
        if found is not None:
            return found
    return None


def _github(environ: Mapping[str, str], event: Mapping[str, Any]) -> PullRequest | None:
    name = environ.get("GITHUB_EVENT_NAME", "")
    if name == "merge_group":
        base = _within(event, "merge_group", "base_sha")
        return PullRequest(bases=_known(base))
    if name not in {"pull_request", "pull_request_target"}:
        return None
    # Of `pull_request_target` GITHUB_SHA is the base, of `pull_request` the merge of both.
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
    """Jenkins and Bitbucket name the branch that a request is for."""
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


_BARE_OF_EVIDENCE = frozenset(
    {"no-evidence", "no-notes", "stale-evidence", "base-moved", "history-short"}
)


@dataclass(frozen=True, slots=True)
class VerifiedRevision:
    """The answer for a commit, by the name it was asked by.

    `answer.commit` is another commit where the head of a pull request stands in for its merge.
    """

    revision: str
    commit: CommitFacts
    answer: CoverageResult


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationScope:
    """Whose policy judges and which commits are of a pull request.

    `policy` None: each commit's own. `merge` is the merge that CI built, whose first parent is the
    base. `base` is what the pull request is for; commits that it has are not the request's own.
    """

    policy: Settings | None = None
    base: str | None = None
    merge: str | None = None


class Verifier:
    """Judges commits of `repository` by the notes in `view`.

    `fork` holds the notes of a fork; they are added for the pull request's own commits only.
    """

    def __init__(
        self,
        repository: pygit2.Repository,
        view: NotesSource,
        judging: VerificationScope,
        *,
        fork: NotesSource | None = None,
        runs_dirs: Sequence[Path] = (),
    ) -> None:
        self._checker = CoverageChecker(repository, view, runs_dirs=runs_dirs)
        both = JoinedNotes(view, fork) if fork is not None else None
        self._forked = (
            CoverageChecker(repository, both, runs_dirs=runs_dirs) if both is not None else None
        )
        self._judging = judging
        self.history: History = self._checker.history

    def verify(self, revision: str, commit: CommitFacts) -> VerifiedRevision:
        """Return the answer for one commit. Raises `GitError` and `ConfigurationError`."""
        answer = self._answer(commit)
        if commit.id == self._judging.merge and isinstance(answer, NotCovered):
            answer = self._for_the_merge(commit, answer)
        return VerifiedRevision(revision, commit, answer)

    def _answer(self, commit: CommitFacts) -> CoverageResult:
        settings = self._judging.policy
        checker = self._checker
        if self._forked is not None and self._is_the_requests_own(commit):
            checker = self._forked
        policy = policy_from(settings) if settings is not None else None
        return checker.commit(commit.id, policy=policy, before=settings)

    def _is_the_requests_own(self, commit: CommitFacts) -> bool:
        """Say whether a commit came with the pull request: neither its base, nor CI's merge.

        A merge whose tree is that of the head says nothing that the head does not.
        """
        base = self._judging.base
        if base is None or self.history.contains(base, commit.id):
            return False
        if commit.id != self._judging.merge:
            return True
        head = self._head(commit)
        return head is not None and head.tree == commit.tree

    def _head(self, merge: CommitFacts) -> CommitFacts | None:
        return self.history.commit(merge.parents[1]) if len(merge.parents) == 2 else None  # noqa: PLR2004

    def _for_the_merge(self, merge: CommitFacts, answer: NotCovered) -> CoverageResult:
        """Return what holds for a merge without evidence of its own: its head may stand in."""
        if not {reason.code for reason in answer.reasons} <= _BARE_OF_EVIDENCE:
            return answer  # there is something on the merge's own tree, and it is not enough
        settings = self._judging.policy or settings_of(self.history, merge)
        if settings.gate.merge != "head":
            return replace(answer, reasons=(_untested(merge), *answer.reasons))
        head = self._head(merge)
        if head is None:
            return replace(answer, reasons=(_head_missing(merge), *answer.reasons))
        of_head = self._answer(head)
        stands = f"the merge {merge.short} that CI built has no evidence of its own; the head "
        if isinstance(of_head, Covered):
            said = f'{stands}{head.short} of the pull request stands in for it (merge = "head")'
            return replace(of_head, remarks=(said, *of_head.remarks))
        return replace(of_head, remarks=(f"{stands}{head.short} was asked about", *of_head.remarks))


def settings_at(history: History, revision: str) -> tuple[Settings, CommitFacts]:
    """Return the settings of the commit that `revision` names. Raises `UsageError` if not here."""
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


def _untested(merge: CommitFacts) -> Reason:
    return Reason(
        code="merge-untested",
        message=f"{merge.short} is the merge of head and base that CI built, and nobody tested what "
        'comes out of both; the policy wants evidence for it (merge = "own")',
        hints=(f"git fetch origin && git merge {merge.parents[0]}",),
    )


def _head_missing(merge: CommitFacts) -> Reason:
    return Reason(
        code="head-missing",
        message=f"the head of the pull request that {merge.short} merges is not in this clone",
        facts=merge.parents[1:],
        hints=("wt verify --fetch", "git fetch --depth=2 origin HEAD"),
    )
