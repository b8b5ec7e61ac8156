"""What CI services say about pull requests: the base comes from them, never from what is judged."""

from __future__ import annotations

import pytest

from wt_git.evidence.verification import PullRequest, pull_request

SHA, BASE = "a" * 40, "b" * 40
GITHUB = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_REF": "refs/pull/7/merge",
    "GITHUB_SHA": SHA,
    "GITHUB_BASE_REF": "main",
}
EVENT = {"pull_request": {"base": {"sha": BASE}}}
GITLAB = {
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
    "CI_COMMIT_SHA": SHA,
}
MAIN = "refs/remotes/origin/main"


@pytest.mark.parametrize(
    ("environ", "event", "expected"),
    [
        ({}, {}, None),
        ({"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": SHA}, EVENT, None),
        (GITHUB, EVENT, PullRequest(SHA, (BASE, MAIN))),
        (GITHUB, {}, PullRequest(SHA, (MAIN,))),
        (GITHUB, {"pull_request": {"base": {"sha": 7}}}, PullRequest(SHA, (MAIN,))),
        (GITHUB, {"pull_request": ["not", "what", "it", "was"]}, PullRequest(SHA, (MAIN,))),
        (
            GITHUB | {"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_REF": "refs/heads/main"},
            EVENT,
            PullRequest(None, (BASE, MAIN)),
        ),
        (
            {"GITHUB_EVENT_NAME": "merge_group", "GITHUB_SHA": SHA},
            {"merge_group": {"base_sha": BASE}},
            PullRequest(None, (BASE,)),
        ),
        (GITLAB, {}, PullRequest(None, (MAIN, BASE))),
        (
            GITLAB
            | {
                "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result",
                "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": BASE,
            },
            {},
            PullRequest(SHA, (BASE, MAIN, BASE)),
        ),
        (
            {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main", "BUILD_SOURCEVERSION": SHA},
            {},
            PullRequest(SHA, (MAIN,)),
        ),
        ({"CHANGE_TARGET": "main"}, {}, PullRequest(None, (MAIN,))),
        (
            {
                "BITBUCKET_PR_DESTINATION_BRANCH": "main",
                "BITBUCKET_PR_DESTINATION_COMMIT": "abc1234",
            },
            {},
            PullRequest(None, ("abc1234", MAIN)),
        ),
    ],
)
def test_what_a_service_says(environ, event, expected):
    """Only where the service built the merge itself are its parents base and head."""
    assert pull_request(environ, event) == expected
