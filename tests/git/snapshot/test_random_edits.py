"""Whatever is done to a working directory, in whatever order, the snapshot stays git's own tree."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from kit.oracle import oracle_tree
from kit.repo import Repo, git
from kit.snapshots import found

from wt_git.git.snapshot.take import take_snapshot

FORMATS = {"sha256": "sha256"}
PATHS = ["a", "b.txt", "d/a", "d/b.txt", "d/e/f", "link", "x.up", "d"]
CONTENTS = ["", "one\n", "two\n", "dos\r\nlines\r\n", "mixed\r\nlines\n", "$Id$\n"]
ATTRIBUTES = ["", "* text=auto\n", "*.txt text eol=crlf\n", "*.up filter=up\n", "* ident\n"]
COMMANDS = [
    ("add", "--all"),
    ("add", "--intent-to-add", "."),
    ("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", "d"),
    ("commit", "--quiet", "--allow-empty", "-m", "next"),
    ("reset", "--quiet", "--hard"),
    ("reset", "--quiet", "--mixed", "HEAD"),
    ("stash", "--quiet"),
    ("update-index", "--refresh"),
    ("update-index", "--assume-unchanged", "a"),
    ("update-index", "--no-assume-unchanged", "a"),
    ("config", "core.autocrlf", "input"),
    ("config", "--unset", "core.autocrlf"),
    ("config", "core.fileMode", "false"),
]

steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(CONTENTS)),
    st.tuples(st.just("same"), st.sampled_from(PATHS)),
    st.tuples(st.just("touch"), st.sampled_from(PATHS)),
    st.tuples(st.just("remove"), st.sampled_from(PATHS)),
    st.tuples(st.just("mode"), st.sampled_from(PATHS), st.sampled_from([0o644, 0o755])),
    st.tuples(st.just("link"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(
        st.just("attributes"),
        st.sampled_from([".gitattributes", "d/.gitattributes", ".git/info/attributes"]),
        st.sampled_from(ATTRIBUTES),
    ),
    st.tuples(
        st.just("ignore"), st.sampled_from([".gitignore", "d/.gitignore"]), st.just("a\nd\n")
    ),
    st.tuples(st.just("git"), st.sampled_from(COMMANDS)),
)


def perform(repo: Repo, step: tuple) -> None:
    kind, name, *rest = step
    if kind == "git":
        os.system(f"git -C {repo.path} {' '.join(name)} >/dev/null 2>&1")
        return
    path = repo.path / name
    try:
        match kind:
            case "write" | "attributes" | "ignore":
                if path.is_dir():
                    shutil.rmtree(path)
                repo.write({name: rest[0]})
            case "same":  # as long as before, at the same time: git calls that racy
                before = path.stat()
                path.write_bytes(path.read_bytes()[::-1])
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            case "touch":
                path.touch()
            case "remove":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            case "mode":
                path.chmod(rest[0])
            case "link":
                path.unlink(missing_ok=True)
                path.symlink_to(rest[0])
    except OSError:
        pass  # nothing there to do it to


@given(st.lists(steps, min_size=1, max_size=10), st.sampled_from(["plain", "split", "sha256"]))
def test_any_history_of_edits(steps, kind):
    """After each step the snapshot, with what earlier ones remembered, is the tree git gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        git(Path(folder), "init", "--quiet", "--object-format", FORMATS.get(kind, "sha1"), "r")
        repo = Repo(path)
        repo.write({"a": "one\n", "d/b.txt": "two\n", "x.up": "up\n"})
        repo.commit("first")
        repo.git("config", "filter.up.clean", "tr a-z A-Z")
        repo.git("config", "core.splitIndex", "true" if kind == "split" else "false")
        repository = found(repo.path)
        for step in steps:
            perform(repo, step)
            assert take_snapshot(repository).tree == oracle_tree(repo.path)
