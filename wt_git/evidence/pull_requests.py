"""What a CI service says about the pull request it runs for.

Services build a merge of base and head and check that out. The policy is then the base's, not that
of the change which is judged; so the base is taken from the service, never from what was pushed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

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
