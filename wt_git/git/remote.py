"""Moving a notes ref between repositories, by the git program: its credentials, its transports.

Nothing here is forced, asks a question, or takes longer than it was given. What the other side
said is one of the outcomes below, never an exception; an outcome that another try may change is a
class of its own. The user's hooks, tags and submodules stay out of it.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.process import Answer, ask
from wt_git.text import one_line

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Done:
    """It is there: the ref was fetched, or the other side now has what was pushed."""


@dataclass(frozen=True, slots=True)
class NothingThere:
    """The other side has no such ref yet."""


@dataclass(frozen=True, slots=True)
class LostRace:
    """Somebody else was faster, or at work at the same moment; fetch, merge and try again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """The other side has a rule against it, or the refs are unusable; another try gives the same."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No answer: no such remote, no network, no permission, no git, or not within the time."""

    reason: str


FetchOutcome = Done | NothingThere | LostRace | Unreachable
PushOutcome = Done | LostRace | Rejected | Unreachable

_SETTINGS = ("gc.auto=0", "maintenance.auto=false", "fetch.writeCommitGraph=false")
_NO_SUCH_REF = re.compile(r"couldn't find remote ref")
_LOCAL_RACE = re.compile(
    r"cannot lock ref|unable to update local ref|unable to create .*\.lock", re.IGNORECASE
)
# Each was seen, or stands in git's sources: another push was first, or is under way.
_REMOTE_RACE = re.compile(
    r"fetch first|non-fast-forward|stale info|needs force|already exists"
    r"|cannot lock ref|failed to update ref|failed to lock|incorrect old value|is at .* but expected"
    r"|reference transaction|remote ref updated since checkout|atomic",
    re.IGNORECASE,
)
_REASON_LIMIT = 300


def fetch(folder: Path, source: str, ref: str, into: str, *, timeout_s: float) -> FetchOutcome:
    """Fetch `ref` from `source`, a remote or a URL, and set the ref `into` to it.

    The content comes along also into a partial clone; a shallow one is neither deepened nor cut.
    """
    deadline = time.monotonic() + timeout_s
    if _is_option(source):
        return Unreachable(f"'{source}' is no name of a remote")
    args = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    answer = _try((*args, "--no-prune", "--no-filter", source, f"+{ref}:{into}"), folder, deadline)
    if isinstance(answer, Unreachable):
        return answer
    if answer.status == 0:
        return _complete(folder, source, into, deadline)
    if _NO_SUCH_REF.search(answer.err):
        return NothingThere()
    if _LOCAL_RACE.search(answer.err):
        return LostRace(_last_words(answer))
    return Unreachable(_last_words(answer))


def push(folder: Path, target: str, commit: str, ref: str, *, timeout_s: float) -> PushOutcome:
    """Push `commit` to `ref` of `target`, a remote or a URL, without force and without hooks."""
    if _is_option(target):
        return Unreachable(f"'{target}' is no name of a remote")
    # A mirroring remote takes no refspecs.
    settings = ("-c", f"remote.{target}.mirror=false") if "=" not in target else ()
    args = ("push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
    deadline = time.monotonic() + timeout_s
    answer = _try((*settings, *args, target, f"{commit}:{ref}"), folder, deadline)
    if isinstance(answer, Unreachable):
        return answer
    line = next((one for one in _porcelain(answer) if one[1].endswith(f":{ref}")), None)
    if line is None:
        return Unreachable(_last_words(answer))
    flag, _, summary = line
    if flag != "!":
        return Done()
    if _REMOTE_RACE.search(summary):
        return LostRace(one_line(summary, _REASON_LIMIT))
    return Rejected(one_line(f"{summary} {_said_by_remote(answer)}".strip(), _REASON_LIMIT))


def _complete(folder: Path, source: str, into: str, deadline: float) -> FetchOutcome:
    """Fetch what an earlier, filtered fetch left out of a partial clone; git thinks it has it."""
    if not _is_partial(folder):
        return Done()
    listing = ("rev-list", "--objects", "--missing=print", f"{into}^{{tree}}")
    answer = _try(listing, folder, deadline)
    if isinstance(answer, Unreachable):
        return answer
    missing = [line[1:] for line in answer.out.split(b"\n") if line.startswith(b"?")]
    if not missing:
        return Done()
    args = ("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags")
    more = ("--no-write-fetch-head", "--no-recurse-submodules", "--filter=blob:none", "--stdin")
    asked = b"".join(line + b"\n" for line in missing)
    answer = _try((*args, *more, source), folder, deadline, stdin=asked)
    if isinstance(answer, Unreachable):
        return answer
    return Done() if answer.status == 0 else Unreachable(_last_words(answer))


def _is_partial(folder: Path) -> bool:
    args = ("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    return ask(args, cwd=folder).status == 0


def _try(
    args: tuple[str, ...], folder: Path, deadline: float, *, stdin: bytes = b""
) -> Answer | Unreachable:
    left = deadline - time.monotonic()
    if left <= 0:
        return Unreachable("there was no time left")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        return ask((*settings, *args), cwd=folder, timeout_s=left, stdin=stdin)
    except GitError as error:
        return Unreachable(one_line(error.message, _REASON_LIMIT))


def _porcelain(answer: Answer) -> list[tuple[str, str, str]]:
    """Return flag, refspec and summary of each ref that `git push --porcelain` reports on."""
    lines = answer.out.decode("utf-8", "replace").split("\n")
    parts = [line.split("\t", 2) for line in lines]
    return [(found[0], found[1], found[2]) for found in parts if len(found) == 3]  # noqa: PLR2004


def _said_by_remote(answer: Answer) -> str:
    lines = (line.strip() for line in answer.err.splitlines())
    return " ".join(line for line in lines if line.startswith("remote: "))


def _last_words(answer: Answer) -> str:
    """Return what git said was wrong: its first complaint, else how it ended."""
    lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
    complaints = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
    said = (complaints or lines or [f"git ended with status {answer.status}"])[0]
    return one_line(said, _REASON_LIMIT)


def _is_option(name: str) -> bool:
    return not name or name.startswith("-")
