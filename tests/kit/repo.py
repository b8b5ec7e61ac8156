"""Git repositories for tests, made by the real git."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Repo:
    """A repository at `path`; create one with `new_repo`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write each file, given its path in the working directory, making folders as needed."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def git(self, *args: str) -> str:
        """Run git here and return what it printed, without the last line break."""
        return git(self.path, *args)

    def commit(self, message: str) -> str:
        """Commit the whole working directory, changed or not, and return the commit's id."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")


def new_repo(path: Path, files: Mapping[str, str | bytes] | None = None) -> Repo:
    """Create a repository at `path`; with `files`, commit them as its first commit."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "--quiet")
    repo = Repo(path)
    if files is not None:
        repo.write(files)
        repo.commit("first")
    return repo


def git(folder: Path, *args: str) -> str:
    """Run git in `folder` and return what it printed, without the last line break.

    A failure is an `AssertionError` that shows git's own words.
    """
    done = subprocess.run(
        ["git", *args],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        errors="surrogateescape",
    )
    assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
    return done.stdout.removesuffix("\n")
