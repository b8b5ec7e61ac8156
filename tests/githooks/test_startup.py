"""What a hook loads: a commit and a push wait for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from kit.projects import bare, new_project

_PROGRAM = """
import sys
before = set(sys.modules)
try:
    from wt_git.cli import main
    code = main(sys.argv[1:])
finally:
    print(chr(10) + "LOADED", *sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""
HEAVY = {"filelock", "httpx", "mcp", "pydantic", "rich", "starlette", "uvicorn"}
LAYERS = ("wt_git.sweep", "wt_git.runner", "wt_git.reports", "wt_git.runtimes", "wt_git.scenarios")
ZEROS = "0" * 40


@pytest.fixture
def project(tmp_path):
    """A project without notes."""
    return new_project(tmp_path / "project", bare(tmp_path / "remote.git"))


def loaded(project, *args: str, stdin: str = "", code: int = 0) -> set[str]:
    """The modules that `wt hook` loads, called as git calls it."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, "hook", *args],
        cwd=project.path,
        input=stdin,
        check=False,
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert done.returncode == code, done.stderr
    (line,) = [one for one in done.stderr.split("\n") if one.startswith("LOADED")]
    return set(line.split(" ")[1:])


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_a_covered_push_loads_what_it_needs_and_no_more(project):
    """Neither the engine nor the reports, and nothing that draws or serves."""
    project.experiment()
    project.pushed("origin", "main")
    head = project.git("rev-parse", "HEAD")
    modules = loaded(
        project,
        "pre-push",
        "origin",
        "url",
        stdin=f"refs/heads/main {head} refs/heads/main {ZEROS}\n",
    )
    assert "pygit2" in tops(modules)
    assert tops(modules) & {*HEAVY, "subprocess"} == set()
    assert [name for name in modules if name.startswith(LAYERS)] == []


NOTHING_TO_DO = {
    "an empty push": (["pre-push", "origin", "url"], ""),
    "a deletion": (["pre-push", "origin", "url"], f"(delete) {ZEROS} refs/heads/x {'a' * 40}\n"),
    "a tag": (["pre-push", "origin", "url"], f"v1 {'a' * 40} refs/tags/v1 {ZEROS}\n"),
    "the notes": (
        ["pre-push", "origin", "url"],
        f"n {'a' * 40} refs/windtunnel/notes {ZEROS}\n",
    ),
    "nothing received": (["pre-receive"], ""),
    "a commit without any notes": (["post-commit"], ""),
    "a merge without any notes": (["post-merge", "0"], ""),
    "an amended commit without any notes": (["post-rewrite", "amend"], f"{'a' * 40} {'b' * 40}\n"),
    "no trailer": (["prepare-commit-msg", ".git/COMMIT_EDITMSG"], ""),
}


def test_a_hook_that_has_nothing_to_do_leaves_before_it_opens_the_repository(project):
    """Opening it costs several interpreters' starts."""
    needless = {}
    for case, (args, stdin) in NOTHING_TO_DO.items():
        modules = loaded(project, *args, stdin=stdin)
        needless[case] = tops(modules) & (HEAVY | {"pygit2"})
        needless[case] |= {name for name in modules if name.startswith(LAYERS)}
    assert {case: names for case, names in needless.items() if names} == {}


def test_a_commit_whose_check_is_off_loads_nothing_either(project):
    """The policy is read from the index by git itself."""
    text = (project.path / "pyproject.toml").read_text()
    project.write({"pyproject.toml": text + 'pre_commit = "off"\n'})
    project.git("add", "pyproject.toml")
    assert "pygit2" not in tops(loaded(project, "pre-commit"))
