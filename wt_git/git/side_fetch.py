"""Fetching into a repository of its own, so that the user's is neither deepened, cut nor added to.

What is fetched and what is here can then be read together, until the block ends.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.opening import common_folder, open_repository
from wt_git.git.process import ask, run
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pygit2

# What decides how a host is reached. The rest of the user's configuration is about their repository.
_REACHING = ("http.", "https.", "credential.", "url.", "protocol.", "ssh.", "core.sshcommand")
_REASON_LIMIT = 300
_ENOUGH_BLOB = "--filter=blob:limit=64k"


@dataclass(slots=True)
class SideRepository:
    """`repository` reads what was fetched and all that the user's repository has.

    `folder` is where relative URLs count from. Opened anew after each fetch.
    """

    path: Path
    folder: Path
    user_objects: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> pygit2.Repository:
        """The repository, with everything that was fetched so far."""
        # Only now: git would take what the user's refs reach for granted, and a clone may lack it.
        alternates = self.path / "objects" / "info" / "alternates"
        alternates.write_bytes(os.fsencode(self.user_objects) + b"\n")
        self._join_cuts()
        found = open_repository(self.path)
        assert found is not None
        return found

    def _join_cuts(self) -> None:
        """Let history end where it ends in either repository."""
        cuts: set[bytes] = set()
        own = self.path / "shallow"
        for file in (own, self.user_objects.parent / "shallow"):
            with contextlib.suppress(FileNotFoundError):
                cuts |= set(file.read_bytes().split())
        if cuts:
            own.write_bytes(b"".join(one + b"\n" for one in sorted(cuts)))

    def fetch_ref(self, url: str, ref: str, *, timeout_s: float) -> str | None:
        """Fetch the newest state of `ref` and return its commit; None where there is no such ref.

        Raises `GitError`, code `fetch-failed`.
        """
        into = "refs/side/fetched"
        answer = self._fetch(url, ["--depth=1", "--", url, f"+{ref}:{into}"], timeout_s)
        if answer is None:
            return None
        found = run(("rev-parse", "--verify", into), cwd=self.path)
        return found.decode("ascii").strip()

    def fetch_commits(self, url: str, ids: Sequence[str], *, timeout_s: float) -> None:
        """Fetch commits with their trees and small files, without what they build on.

        Raises `GitError`, code `fetch-failed`.
        """
        refspecs = [f"+{one}:refs/side/{one}" for one in ids]
        self._fetch(url, ["--depth=1", _ENOUGH_BLOB, "--", url, *refspecs], timeout_s)

    def _fetch(self, url: str, args: Sequence[str], timeout_s: float) -> str | None:
        quiet = (
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
        )
        words = (f"--git-dir={self.path}", "-c", "gc.auto=0", *quiet, *args)
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
    """Create a repository beside that of the user for the length of the block."""
    folder = Path(user.workdir or user.path)
    with tempfile.TemporaryDirectory(prefix="wt-side-") as name:
        path = Path(name) / "side.git"
        run(("init", "--quiet", "--bare", "--template=", str(path)), cwd=Path(name))
        (path / "objects" / "info").mkdir(exist_ok=True)
        objects = common_folder(user) / "objects"
        yield SideRepository(path, folder, objects, _reaching(folder))


def remote_url(user: pygit2.Repository, remote: str) -> str:
    """Return the URL that `remote` is fetched from. Raises `GitError` for a remote that is none."""
    folder = Path(user.workdir or user.path)
    return os.fsdecode(run(("remote", "get-url", remote), cwd=folder).removesuffix(b"\n"))


def _reaching(folder: Path) -> dict[str, str]:
    """Return, as variables, the settings of the user's repository that say how hosts are reached.

    By the environment, since others can read a command line, and these hold access keys.
    """
    listing = run(("config", "--list", "-z", "--includes"), cwd=folder)
    pairs = []
    for item in listing.split(b"\0"):
        name, found, value = os.fsdecode(item).partition("\n")
        if found and name.lower().startswith(_REACHING):
            pairs.append((name, value))
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)  # noqa: TID251 - they stay, ours follow
    made = {"GIT_CONFIG_COUNT": str(count + len(pairs))}
    for number, (name, value) in enumerate(pairs, start=count):
        made |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return made
