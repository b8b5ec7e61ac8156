"""`wt verify`: open the repository, fetch if asked, choose the policy, check, print the answer.

Only with `--fetch` or `--notes-from` does anything go to the network. Commits that a pull request's
clone lacks are fetched beside the user's repository, which is neither deepened nor cut by it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wt_git import files
from wt_git.cli import printing
from wt_git.cli.notes_here import no_commit, notes_here
from wt_git.errors import EXIT_NO, EXIT_YES, GitError, UsageError
from wt_git.evidence.coverage.result import coverage_lines
from wt_git.evidence.notes.sync import NotSynced, merge_fetched_notes
from wt_git.evidence.verification import (
    PullRequest,
    VerificationScope,
    VerifiedRevision,
    Verifier,
    pull_request,
    settings_at,
    verification_document,
)
from wt_git.git.git_config import config_values
from wt_git.git.history import History
from wt_git.git.notes.store import NotesView
from wt_git.git.remote import SideRepository, remote_url, side_repository
from wt_git.githooks.git_hooks import REMOTE_KEY
from wt_git.text import json_characters, log_line, one_line, short_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pygit2

    from wt_git.cli.notes_here import NotesHere
    from wt_git.git.history import CommitFacts
    from wt_git.records.documents.evidence import Verification

    Form = Callable[[Sequence[VerifiedRevision], Verification, Mapping[str, str]], None]

_FETCH_TIMEOUT_S = 120.0
_SUBJECT = "notes on commits"
_COMMIT_ID = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """The options, and `environ`, in which CI services describe their event."""

    revisions: tuple[str, ...]
    policy_from: str | None
    notes_from: str | None
    fetch: bool
    is_merge: bool
    environ: Mapping[str, str]


@dataclass(slots=True)
class VerifyOutcome:
    """The answers, warnings, and the commit with the policy that applied (None: each its own)."""

    verified: list[VerifiedRevision] = field(default_factory=list)
    policy_from: str | None = None
    warnings: list[str] = field(default_factory=list)


def print_verification(options: dict[str, Any], form: str) -> int:
    """Verify the commits that `options` name, print the answer, and return the exit code."""
    environ = dict(os.environ)  # noqa: TID251 - CI services describe their event in it
    outcome = verify(VerifyRequest(environ=environ, **options))
    for warning in outcome.warnings:
        printing.talk("verify", f"warning: {warning}")
    found = verification_document(
        outcome.verified, policy_from=outcome.policy_from, warnings=outcome.warnings
    )
    _FORMS[form](outcome.verified, found, environ)
    return EXIT_YES if found.covered else EXIT_NO


def verify(request: VerifyRequest) -> VerifyOutcome:
    """Return the answers. Raises `UsageError`, `GitError` and `ConfigurationError`."""
    outcome = VerifyOutcome()
    here = notes_here()
    _bring_notes(request, here, outcome)
    with ExitStack() as stack:
        _Session(request, here, outcome, stack).run()
    return outcome


def _bring_notes(request: VerifyRequest, here: NotesHere, outcome: VerifyOutcome) -> None:
    """Fetch the notes if asked to, and let `git log` show notes that were fetched earlier.

    A remote that cannot be reached, or a ref that cannot be written, is a warning: the answer is
    then made from the notes that are here.
    """
    try:
        if request.fetch:
            from wt_git.githooks.commit_notes import share  # noqa: PLC0415 - rare

            done = share(here.notes, _remote(here), timeout_s=_FETCH_TIMEOUT_S, push=False)
            if isinstance(done, NotSynced):
                outcome.warnings.append(f"the notes could not be fetched: {done.reason}")
        elif merge_fetched_notes(here.notes):
            from wt_git.githooks.commit_notes import (  # noqa: PLC0415 - rarely new notes
                head_since,
                show_evidence_on,
            )

            show_evidence_on(here.notes, head_since(here.notes), _SUBJECT)
    except (GitError, OSError) as error:
        outcome.warnings.append(f"git log does not show what was fetched: {error}")


class _Session:
    """One verification. `stack` closes the repository beside the user's, if one is opened."""

    def __init__(
        self, request: VerifyRequest, here: NotesHere, outcome: VerifyOutcome, stack: ExitStack
    ) -> None:
        self._request = request
        self._here = here
        self._outcome = outcome
        self._stack = stack
        self._side: SideRepository | None = None
        self._history = History(here.notes.repository)

    def run(self) -> None:
        asked = [(name, self._resolve(name)) for name in self._request.revisions or ("HEAD",)]
        scope = self._scope()
        fork = self._fork_notes(scope)
        repository = self._repository()
        trees = self._note_trees()
        verifier = Verifier(
            repository,
            NotesView(repository, trees),
            scope,
            fork=NotesView(repository, (fork,)) if fork else None,
            runs_dirs=_runs_dirs(self._here.folders.top),
        )
        self._outcome.verified = [verifier.verify(name, commit) for name, commit in asked]

    def _resolve(self, revision: str) -> CommitFacts:
        found = self._history.resolve(revision)
        if found is None:
            raise no_commit(self._history, revision)
        return found

    def _scope(self) -> VerificationScope:
        """Choose the policy: of `--policy-from`, else of a pull request's base, else of each commit."""
        request = self._pull_request()
        merge = self._merge(request)
        bases = [*merge.parents[:1]] if merge else []
        bases += request.bases if request else ()
        if self._request.fetch:
            self._fetch_missing([*(merge.parents if merge else ()), *bases])
        known = (self._history.resolve(name) for name in bases)
        base = next((one.id for one in known if one is not None), None)
        chosen = self._request.policy_from or base
        if chosen is None:
            if request is not None:
                raise _base_missing(bases)
            return VerificationScope()
        settings, commit = settings_at(self._history, chosen)
        self._outcome.policy_from = commit.id
        return VerificationScope(
            policy=settings, base=base or commit.id, merge=merge.id if merge else None
        )

    def _pull_request(self) -> PullRequest | None:
        if self._request.is_merge:
            return PullRequest(merge="HEAD")
        return pull_request(self._request.environ, _event(self._request.environ))

    def _merge(self, request: PullRequest | None) -> CommitFacts | None:
        """Return the merge that CI built, if it is here."""
        if request is None or request.merge is None:
            return None
        found = self._history.resolve(request.merge)
        if found is not None and len(found.parents) == 2:  # noqa: PLR2004 - base and head
            return found
        if self._request.is_merge:
            raise UsageError("HEAD is not a merge of two commits", code="not-a-merge")
        return None

    def _fetch_missing(self, names: Sequence[str]) -> None:
        """Fetch the commits that are not here, into the repository beside the user's."""
        ids = dict.fromkeys(name for name in names if _COMMIT_ID.fullmatch(name))
        missing = [one for one in ids if self._history.commit(one) is None]
        if not missing:
            return
        try:
            url = remote_url(self._here.notes.repository, _remote(self._here))
            self._opened_side().fetch_commits(url, missing, timeout_s=_FETCH_TIMEOUT_S)
        except GitError as error:
            self._outcome.warnings.append(error.message)
        self._history = History(self._repository())

    def _fork_notes(self, scope: VerificationScope) -> str | None:
        """Fetch the fork's notes into the repository beside the user's; return their tree."""
        url = self._request.notes_from
        if url is None:
            return None
        if scope.base is None:
            raise UsageError(
                "a fork's notes count for the commits of a pull request only: --notes-from needs "
                "the pull request's base",
                hints=(f"wt verify --notes-from {shlex.quote(one_line(url))} --policy-from BASE",),
                code="base-unknown",
            )
        ref = self._here.notes.ref
        commit = self._opened_side().fetch_ref(url, ref, timeout_s=_FETCH_TIMEOUT_S)
        if commit is None:
            self._outcome.warnings.append(f"there are no notes at '{one_line(url)}' ({ref})")
            return None
        self._history = History(self._repository())
        found = self._history.commit(commit)
        return found.tree if found else None

    def _opened_side(self) -> SideRepository:
        if self._side is None:
            self._side = self._stack.enter_context(side_repository(self._here.notes.repository))
        return self._side

    def _repository(self) -> pygit2.Repository:
        return self._side.repository if self._side else self._here.notes.repository

    def _note_trees(self) -> tuple[str, ...]:
        """Return the trees of the notes here: recorded, and fetched from each remote."""
        notes = self._here.notes
        tips = [tip for tip in (notes.tip(), *notes.fetched_tips().values()) if tip is not None]
        found = (self._history.commit(tip) for tip in tips)
        return tuple(dict.fromkeys(one.tree for one in found if one is not None))


def _remote(here: NotesHere) -> str:
    """Return the remote to ask: as `wt init` recorded it, else `origin`, else the only one."""
    names = [name for name in here.notes.repository.remotes.names() if name]
    recorded = config_values(here.folders.home, REMOTE_KEY)
    if not recorded and "origin" in names:
        return "origin"
    return here.remote(names[0] if not recorded and len(names) == 1 else None)


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the document in which GitHub describes its event; empty where there is none."""
    try:
        found = json.loads(Path(environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    except (KeyError, OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _runs_dirs(top: Path | None) -> tuple[Path, ...]:
    """Return the runs directories that may explain why evidence is missing."""
    folders = [Path("runs"), *([top / "runs"] if top else [])]
    return tuple({folder.resolve(): folder for folder in folders if folder.is_dir()}.values())


def _base_missing(bases: Sequence[str]) -> UsageError:
    named = " or ".join(one_line(one, 80) for one in bases) or "unknown"
    return UsageError(
        f"the policy is that of the pull request's base, and the base ({named}) is not in this "
        "clone",
        hints=("wt verify --fetch", "wt verify --policy-from REV"),
        code="policy-missing",
    )


def _text(verified: Sequence[VerifiedRevision], found: Verification, _: Mapping[str, str]) -> None:
    for one in verified:
        for line in coverage_lines(one.result, _name(one)):
            printing.data(line)
    if found.policy_from is not None:
        printing.data(f"judged by the policy of {short_commit(found.policy_from)}")


def _name(one: VerifiedRevision) -> str:
    short = short_commit(one.commit.id)
    return short if one.commit.id.startswith(one.revision) else f"{one.revision} ({short})"


def _json(_: Sequence[VerifiedRevision], found: Verification, __: Mapping[str, str]) -> None:
    click.echo(json_characters(files.json_document(found.as_document())))


def _github(
    verified: Sequence[VerifiedRevision], found: Verification, environ: Mapping[str, str]
) -> None:
    from wt_git.reports.ci_formats import job_summary, workflow_commands  # noqa: PLC0415 - rare

    _text(verified, found, environ)
    for line in workflow_commands(found):
        click.echo(line)
    target = environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8") as stream:
            stream.write(job_summary(found))
    except OSError as error:
        printing.talk("verify", f"warning: no job summary: {error.strerror} ('{log_line(target)}')")


def _junit(_: Sequence[VerifiedRevision], found: Verification, __: Mapping[str, str]) -> None:
    from wt_git.reports.ci_formats import verify_junit  # noqa: PLC0415 - rare

    click.echo(verify_junit(found), nl=False)


_FORMS: dict[str, Form] = {"text": _text, "json": _json, "github": _github, "junit": _junit}
