"""Fetching and pushing with the git program, which has the user's credentials and transports.

Nothing here forces a push, asks a question, or takes longer than it was given. The answer of the other
side is one of the outcomes below, not an exception. The user's hooks, tags and submodules are not
involved. A `SideRepository` receives what must not change the user's own repository.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError
from wt_git.git.libgit2 import common_folder, open_repository
from wt_git.git.process import Answer, ask, run
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pygit2


class Done(msgspec.Struct, frozen=True):
    """The ref was fetched, or pushed."""


class NothingThere(msgspec.Struct, frozen=True):
    """The remote has no such ref yet."""


class LostRace(msgspec.Struct, frozen=True):
    """Another process moved the ref first, or holds its lock: fetch, merge and try again."""

    reason: str


class Rejected(msgspec.Struct, frozen=True):
    """The remote refuses the push for good, by a rule or because of broken refs."""

    reason: str


class Unreachable(msgspec.Struct, frozen=True):
    """The remote, the network, permission or git is missing, or the time is over."""

    reason: str


FetchOutcome = Done | NothingThere | LostRace | Unreachable
PushOutcome = Done | LostRace | Rejected | Unreachable

_SETTINGS = ("gc.auto=0", "maintenance.auto=false", "fetch.writeCommitGraph=false")
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_NO_SUCH_REF = re.compile(r"couldn't find remote ref")
_LOCAL_RACE = re.compile(
    r"cannot lock ref|unable to update local ref|unable to create .*\.lock", re.IGNORECASE
)
# Messages of git when another push was first, or is running.
_REMOTE_RACE = re.compile(
    r"fetch first|non-fast-forward|stale info|needs force|already exists"
    r"|cannot lock ref|failed to update ref|failed to lock|incorrect old value|is at .* but expected"
    r"|reference transaction|remote ref updated since checkout|atomic",
    re.IGNORECASE,
)
_REASON_LIMIT = 300


def fetch(folder: Path, source: str, ref: str, into: str, *, timeout_s: float) -> FetchOutcome:
    """Fetch `ref` from `source`, a remote or a URL, and set the ref `into` to it.

    Also a partial clone gets the content; a shallow clone keeps its depth.
    """
    deadline = time.monotonic() + timeout_s
    if _is_option(source):
        return Unreachable(f"'{source}' is not the name of a remote")
    args = (*_FETCH, "--no-prune", "--no-filter", source, f"+{ref}:{into}")
    try:
        answer = _run(args, folder, deadline)
        if answer.status == 0:
            answer = _complete(folder, source, into, deadline)
    except GitError as error:
        return Unreachable(one_line(error.message, _REASON_LIMIT))
    if answer.status == 0:
        return Done()
    if _NO_SUCH_REF.search(answer.err):
        return NothingThere()
    if _LOCAL_RACE.search(answer.err):
        return LostRace(_error_message(answer))
    return Unreachable(_error_message(answer))


def push(folder: Path, target: str, commit: str, ref: str, *, timeout_s: float) -> PushOutcome:
    """Push `commit` to `ref` of `target`, a remote or a URL, without force and without hooks."""
    if _is_option(target):
        return Unreachable(f"'{target}' is not the name of a remote")
    # A mirroring remote accepts no refspecs.
    settings = ("-c", f"remote.{target}.mirror=false") if "=" not in target else ()
    args = ("push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
    deadline = time.monotonic() + timeout_s
    try:
        answer = _run((*settings, *args, target, f"{commit}:{ref}"), folder, deadline)
    except GitError as error:
        return Unreachable(one_line(error.message, _REASON_LIMIT))
    line = next((one for one in _porcelain(answer) if one[1].endswith(f":{ref}")), None)
    if line is None:
        return Unreachable(_error_message(answer))
    flag, _, summary = line
    if flag != "!":
        return Done()
    if _REMOTE_RACE.search(summary):
        return LostRace(one_line(summary, _REASON_LIMIT))
    return Rejected(one_line(f"{summary} {_said_by_remote(answer)}".strip(), _REASON_LIMIT))


def _complete(folder: Path, source: str, into: str, deadline: float) -> Answer:
    """Fetch objects that an earlier, filtered fetch left out of a partial clone."""
    nothing_missing = Answer(0, b"", "")
    partial = ("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    if ask(partial, cwd=folder).status != 0:
        return nothing_missing
    listing = ("rev-list", "--objects", "--missing=print", f"{into}^{{tree}}")
    listed = _run(listing, folder, deadline).out.split(b"\n")
    missing = [line[1:] for line in listed if line.startswith(b"?")]
    if not missing:
        return nothing_missing
    args = ("-c", "fetch.negotiationAlgorithm=noop", *_FETCH, "--filter=blob:none", "--stdin")
    return _run((*args, source), folder, deadline, stdin=b"\n".join([*missing, b""]))


def _run(args: tuple[str, ...], folder: Path, deadline: float, *, stdin: bytes = b"") -> Answer:
    left = deadline - time.monotonic()
    if left <= 0:
        raise GitError("there was no time left")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ask((*settings, *args), cwd=folder, timeout_s=left, stdin=stdin)


def _porcelain(answer: Answer) -> list[tuple[str, str, str]]:
    """Return flag, refspec and summary of each ref in the output of `git push --porcelain`."""
    lines = answer.out.decode("utf-8", "replace").split("\n")
    parts = [line.split("\t", 2) for line in lines]
    return [(found[0], found[1], found[2]) for found in parts if len(found) == 3]  # noqa: PLR2004


def _said_by_remote(answer: Answer) -> str:
    lines = (line.strip() for line in answer.err.splitlines())
    return " ".join(line for line in lines if line.startswith("remote: "))


def _error_message(answer: Answer) -> str:
    lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
    said = (errors or lines or [f"git ended with status {answer.status}"])[0]
    return one_line(said, _REASON_LIMIT)


def _is_option(name: str) -> bool:
    return not name or name.startswith("-")


# Settings about hosts. The other settings of the user are about their own repository.
_HOST_SETTINGS = ("http.", "https.", "credential.", "url.", "protocol.", "ssh.", "core.sshcommand")
_SMALL_FILES = "--filter=blob:limit=64k"


class SideRepository(msgspec.Struct):
    """A temporary repository for fetched commits, which also reads the user's objects.

    The user's repository is neither deepened, cut nor added to. `folder` is the folder to which
    relative URLs are relative; `settings` are variables for git.
    """

    path: Path
    folder: Path
    user_objects: Path
    settings: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def repository(self) -> pygit2.Repository:
        """The repository, opened anew, with everything that was fetched so far."""
        # Not before the fetch: git would assume that it has the history of the user's commits.
        alternates = self.path / "objects" / "info" / "alternates"
        alternates.write_bytes(os.fsencode(self.user_objects) + b"\n")
        self._join_shallow()
        found = open_repository(self.path)
        assert found is not None
        return found

    def _join_shallow(self) -> None:
        """Let history end where either repository is shallow."""
        cuts: set[bytes] = set()
        own = self.path / "shallow"
        for file in (own, self.user_objects.parent / "shallow"):
            with contextlib.suppress(FileNotFoundError):
                cuts |= set(file.read_bytes().split())
        if cuts:
            own.write_bytes(b"".join(one + b"\n" for one in sorted(cuts)))

    def fetch_ref(self, url: str, ref: str, *, timeout_s: float) -> str | None:
        """Fetch the newest commit of `ref` and return its id; None if there is no such ref.

        Raises `GitError`, code `fetch-failed`.
        """
        into = "refs/side/fetched"
        answer = self._fetch(url, ["--depth=1", "--", url, f"+{ref}:{into}"], timeout_s)
        if answer is None:
            return None
        found = run(("rev-parse", "--verify", into), cwd=self.path)
        return found.decode("ascii").strip()

    def fetch_commits(self, url: str, ids: Sequence[str], *, timeout_s: float) -> None:
        """Fetch commits with their trees and small files, without their ancestors.

        Raises `GitError`, code `fetch-failed`.
        """
        refspecs = [f"+{one}:refs/side/{one}" for one in ids]
        self._fetch(url, ["--depth=1", _SMALL_FILES, "--", url, *refspecs], timeout_s)

    def _fetch(self, url: str, args: Sequence[str], timeout_s: float) -> str | None:
        words = (f"--git-dir={self.path}", "-c", "gc.auto=0", *_FETCH, *args)
        try:
            answer = ask(words, cwd=self.folder, timeout_s=timeout_s, env=self.settings)
        except GitError as error:
            raise GitError(error.message, code="fetch-failed") from error
        if answer.status == 0:
            return answer.err
        if "couldn't find remote ref" in answer.err:
            return None
        said = answer.err.splitlines() or [f"git ended with status {answer.status}"]
        raise GitError(
            f"nothing could be fetched from '{one_line(url)}': {one_line(said[0], _REASON_LIMIT)}",
            code="fetch-failed",
        )


@contextmanager
def side_repository(user: pygit2.Repository) -> Iterator[SideRepository]:
    """Create a side repository of the repository `user` for the duration of the block."""
    folder = Path(user.workdir or user.path)
    with tempfile.TemporaryDirectory(prefix="wt-side-") as name:
        path = Path(name) / "side.git"
        run(("init", "--quiet", "--bare", "--template=", str(path)), cwd=Path(name))
        (path / "objects" / "info").mkdir(exist_ok=True)
        objects = common_folder(user) / "objects"
        yield SideRepository(path, folder, objects, _host_settings(folder))


def remote_url(user: pygit2.Repository, remote: str) -> str:
    """Return the URL from which `remote` is fetched. Raises `GitError` for an unknown remote."""
    folder = Path(user.workdir or user.path)
    return os.fsdecode(run(("remote", "get-url", remote), cwd=folder).removesuffix(b"\n"))


def _host_settings(folder: Path) -> dict[str, str]:
    """Return the settings of the user's repository about hosts, as variables for git.

    Not as options: other users can read a command line, and these settings have access keys.
    """
    listing = run(("config", "--list", "-z", "--includes"), cwd=folder)
    pairs = []
    for item in listing.split(b"\0"):
        name, found, value = os.fsdecode(item).partition("\n")
        if found and name.lower().startswith(_HOST_SETTINGS):
            pairs.append((name, value))
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)  # noqa: TID251 - ours follow them
    made = {"GIT_CONFIG_COUNT": str(count + len(pairs))}
    for number, (name, value) in enumerate(pairs, start=count):
        made |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return made
