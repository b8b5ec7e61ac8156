"""A repository that is set up for evidence, with a scenario to run and a remote to push to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from kit.commands import DECLARED, wt
from kit.python_forks import forking_programs
from kit.repo import Repo, git

POLICY = '[tool.windtunnel.gate]\nruntime = "in_memory"\n'
PACK = """
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack(
    name="p", scenarios=[Scenario(name="s", prompt="say it", target_facts=[["ok"]])]
)
"""
_RUN = ("run", "--pack-source", "pack.py:PACK", *DECLARED)
_SWEEP = re.compile(r"sweep ([0-9a-f]{12})")


class Project(Repo):
    """A working directory with hooks, a pack of one scenario that passes, and a policy."""

    def commit(self, message: str) -> str:
        """Commit the whole working directory without hooks; `tried("commit", …)` runs them."""
        self.git("add", "--all")
        quietly = ("-c", "core.hooksPath=/dev/null")
        self.git(*quietly, "commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def experiment(self) -> str:
        """Run the scenario on what is in the working directory; return the sweep's id."""
        ran = wt(*_RUN, cwd=self.path)
        assert ran.code == 0, ran.err
        found = _SWEEP.search(ran.err)
        assert found is not None
        return found[1]

    def tried(self, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        """Run git, whatever it ends with; `wt` is on its PATH."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path_with_wt(), "GIT_EDITOR": "true", **(env or {})},
        )
        print(f"$ git {' '.join(args)}\n{done.stdout}{done.stderr}exit {done.returncode}")
        return done

    def pushed(self, *args: str) -> str:
        """Push, which must work, and return what was said."""
        done = self.tried("push", *args)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def refused(self, *args: str) -> str:
        """Push, which our hook must refuse, and return what was said."""
        done = self.tried("push", *args)
        assert done.returncode != 0
        assert "wt pre-push: refused" in done.stderr, done.stderr
        return done.stderr

    def lines(self, revision: str = "HEAD") -> list[str]:
        """Return the lines that `git log` shows under a commit."""
        return [one for one in self.git("log", "-1", "--format=%N", revision).split("\n") if one]


def path_with_wt() -> str:
    """Return a PATH on which this environment's commands come first; `wt` forks."""
    places = (forking_programs("hooks"), Path(sys.executable).parent, os.environ["PATH"])
    return os.pathsep.join(map(str, places))


def copied(template: Path, folder: Path) -> Project:
    """Copy a folder with a `project` and its `remote.git` into `folder`; return the project."""
    shutil.copytree(template, folder, symlinks=True, dirs_exist_ok=True)
    project = Project(folder / "project")
    project.git("remote", "set-url", "origin", str(folder / "remote.git"))
    return project


def bare(path: Path) -> Repo:
    """Make an empty bare repository."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--bare")
    return Repo(path)


def new_project(path: Path, remote: Repo, *, policy: str = POLICY) -> Project:
    """Make a project with one commit that was not tested, and `remote` as origin."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet")
    project = Project(path)
    project.git("remote", "add", "origin", str(remote.path))
    project.write({"pack.py": PACK, "pyproject.toml": policy, ".gitignore": "runs/\n*.pyc\n"})
    project.commit("first")
    set_up(project)
    return project


def clone_of(remote: Repo, path: Path) -> Project:
    """Clone `remote` and set the clone up."""
    git(path.parent, "clone", "--quiet", str(remote.path), path.name)
    project = Project(path)
    set_up(project)
    return project


def set_up(repo: Repo) -> None:
    """Run `wt init`; the hooks then start as forks, see `python_forks`."""
    ran = wt("init", cwd=repo.path)
    assert ran.code == 0, ran.out
    repo.git("config", "windtunnel.python", str(forking_programs("hooks") / "python"))
