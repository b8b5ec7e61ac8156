"""What is right for a snapshot: the tree that git itself gives, and that nothing was written."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def oracle_tree(top: Path, *, status: int = 0) -> str:
    """Return the tree of `git add --all` on a copy of the index, with objects in a scratch folder.

    The copy keeps its time: git's check for racy edits needs it. `status` is what `git add` ends
    with: 1 where it stages all but what lies outside of a sparse checkout.
    """
    git_dir, common = _paths(top, "--git-dir", "--git-common-dir")
    with tempfile.TemporaryDirectory() as folder:
        if (git_dir / "index").exists():
            shutil.copy2(git_dir / "index", Path(folder) / "index")
        (Path(folder) / "objects").mkdir()
        environment = os.environ | {
            "GIT_INDEX_FILE": f"{folder}/index",
            "GIT_OBJECT_DIRECTORY": f"{folder}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{common}/objects",
        }
        added = _git(top, "-c", "core.splitIndex=false", "add", "--all", ":/", env=environment)
        assert added.returncode == status, added.stderr
        written = _git(top, "write-tree", env=environment)
        assert written.returncode == 0, written.stderr
        return written.stdout.decode().strip()


def repository_bytes(top: Path) -> dict[str, str]:
    """Return a digest of every file under the git directory, apart from what is ours to write."""
    (common,) = _paths(top, "--git-common-dir")
    found = {}
    for folder, folders, names in os.walk(common):
        if folder == str(common) and "windtunnel" in folders:
            folders.remove("windtunnel")
        for name in [*names, *folders]:
            path = Path(folder) / name
            content = b"" if path.is_dir() else path.read_bytes()
            status = path.lstat()
            # Git itself renews the time of objects and of a shared index when it comes by.
            renewed = "sharedindex" in name or "/objects/" in str(path) or path.is_dir()
            time = 0 if renewed else status.st_mtime_ns
            found[str(path)] = f"{hashlib.sha256(content).hexdigest()} {status.st_mode} {time}"
    return found


def worktree_state(top: Path) -> dict[str, tuple[int, int, int]]:
    """Return mode, size and time of every file of the working directory."""
    found = {}
    for folder, folders, names in os.walk(top):
        if ".git" in folders:
            folders.remove(".git")
        for name in [*names, *folders]:
            path = Path(folder) / name
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def _paths(top: Path, *which: str) -> list[Path]:
    done = _git(top, "rev-parse", "--path-format=absolute", *which)
    return [Path(os.fsdecode(line)) for line in done.stdout.split(b"\n")[:-1]]


def _git(
    top: Path, *args: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *args], check=False, cwd=top, env=env, capture_output=True)
