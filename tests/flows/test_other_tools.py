"""Our hooks in tools that bring hooks of their own: the pre-commit framework, Git LFS."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.commands import wt
from kit.projects import PACK, POLICY, Project, bare, path_with_wt
from kit.repo import new_repo

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
STAGES = {
    "wt-verify": "pre-push",
    "wt-pre-commit": "pre-commit",
    "wt-prepare-commit-msg": "prepare-commit-msg",
    "wt-post-commit": "post-commit",
    "wt-post-merge": "post-merge",
    "wt-post-rewrite": "post-rewrite",
}


@pytest.fixture
def project(tmp_path) -> Project:
    """A project without hooks, and its remote."""
    remote = bare(tmp_path / "remote.git")
    repo = new_repo(tmp_path / "project")
    repo.git("remote", "add", "origin", str(remote.path))
    repo.write({"pack.py": PACK, "pyproject.toml": POLICY, ".gitignore": "runs/\n*.pyc\n"})
    return Project(repo.path)


@pytest.fixture
def framework(project, tmp_path) -> Project:
    """The project with the pre-commit framework and all of our hooks for it.

    The framework takes them from a repository, as it always does; `language` is changed so that it
    makes no environment of its own, for which it would need the network.
    """
    repo = new_repo(tmp_path / "hooks", {HOOKS.name: HOOKS.read_text()})
    entries = "".join(f"      - id: {name}\n        language: system\n" for name in STAGES)
    config = (
        f"repos:\n  - repo: {repo.path}\n    rev: {repo.git('rev-parse', 'HEAD')}\n    hooks:\n"
    )
    project.write({".pre-commit-config.yaml": config + entries})
    stages = [option for stage in STAGES.values() for option in ("--hook-type", stage)]
    subprocess.run(
        ["pre-commit", "install", *stages],
        cwd=project.path,
        check=True,
        capture_output=True,
        env={"PATH": path_with_wt()},
    )
    return project


def committed(project: Project, *options: str) -> str:
    done = project.tried("commit", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_the_pre_commit_framework_runs_our_hooks(framework):
    """Its own program, with our manifest: it refuses, lets through, and shows evidence."""
    framework.git("add", "--all")
    assert "has no evidence yet" in committed(framework, "-m", "first")
    done = framework.tried("push", "origin", "main")
    assert done.returncode != 0
    assert "wt pre-push: refused: main at" in done.stdout + done.stderr
    sweep = framework.experiment()
    assert framework.tried("push", "origin", "main").returncode == 0
    committed(framework, "--amend", "-m", "another message")
    shown = framework.git("log", "-1", "--format=%N", "--notes=refs/windtunnel/notes")
    framework.git("config", "notes.displayRef", "refs/windtunnel/notes*")
    assert [sweep in line for line in framework.lines()] == [True], shown
    framework.write({"agent.txt": "edited\n"})
    framework.git("add", "--all")
    committed(framework, "-m", "untested")
    assert framework.tried("push", "origin", "main").returncode != 0


def test_wt_init_beside_the_pre_commit_framework(framework):
    """The framework's hooks are chained, and both do their part."""
    framework.git("add", "--all")
    committed(framework, "-m", "first")
    ran = wt("init", cwd=framework.path)
    assert ran.code == 0
    assert "has the hook, too" in ran.out
    said = framework.refused("origin", "main")
    assert "evidence for what is pushed" not in said, "the framework is not asked any more"
    sweep = framework.experiment()
    assert "is covered" in framework.pushed("origin", "main")
    assert [sweep in line for line in framework.lines()] == [True]


needs_git_lfs = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not here")


@needs_git_lfs
@pytest.mark.parametrize("first", ["git lfs install", "wt init"])
def test_git_lfs_keeps_working(project, first, tmp_path):
    """Its hook runs with its input, its store is left alone, and a touch changes no tree."""
    if first == "wt init":
        assert wt("init", cwd=project.path).code == 0
    project.git("lfs", "install", "--local", "--force")
    assert wt("init", cwd=project.path).code == 0
    project.git("lfs", "track", "*.bin")
    project.write({"weights.bin": bytes(range(256)) * 500})
    project.commit("with weights")
    store = files_below(project.path / ".git/lfs")
    project.experiment()
    (project.path / "weights.bin").touch()
    project.experiment()
    assert files_below(project.path / ".git/lfs") == store
    said = project.pushed("origin", "main")
    assert len(re.findall(r"sweep \w{12}, \w{12} ", said)) == 1, "both are on the commit's tree"
    (weights,) = files_below(tmp_path / "remote.git/lfs/objects")
    assert weights.read_bytes() == bytes(range(256)) * 500


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
