"""Running tests against mutants, on copies of the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutation.operators import Mutant

PROJECT = Path(__file__).resolve().parent.parent.parent
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "dist", "build")
_TIMEOUT_S = 600

Outcome = Literal["killed", "survived", "stuck"]


class ProjectCopy:
    """A copy of the project with an environment of its own, in which `wt` is the copy's, too."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        for name in ("wt_git", "tests", "hooks", "docs"):
            shutil.copytree(PROJECT / name, self.project / name, ignore=_LEFT_OUT)
        for name in ("pyproject.toml", "README.md"):
            shutil.copy2(PROJECT / name, self.project / name)
        home = folder / "environment"
        venv.create(home, symlinks=True)
        self._python = home / "bin" / "python"
        places = [self.project, self.project / "wt_git" / "_alias"]
        installed = [one for one in sys.path if Path(one).name == "site-packages"]
        site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
        (site / "copy.pth").write_text("\n".join(map(str, [*places, *installed])) + "\n")
        script = home / "bin" / "wt"
        script.write_text(f"#!{self._python}\nfrom wt_git.cli import entry\n\nentry()\n")
        script.chmod(0o755)
        self._edits = 0

    def outcome(self, mutant: Mutant, tests: Sequence[str]) -> tuple[Outcome, str]:
        """Whether `tests` notice the mutant, and what pytest said."""
        path = self.project / mutant.path
        original = path.read_bytes()
        try:
            self._write(path, mutant.applied(original))
            return self.run(tests)
        finally:
            self._write(path, original)

    def run(self, tests: Sequence[str]) -> tuple[Outcome, str]:
        """Run tests until the first failure."""
        command = [str(self._python), "-P", "-m", "pytest", "-x", "-q", "--tb=line"]
        command += ["-o", "addopts=--import-mode=importlib", "-m", "not bench and not thorough"]
        command += ["-p", "no:cacheprovider", "-p", "no:randomly", "--timeout=60"]
        command += ["--hypothesis-profile=mutants", *tests]
        try:
            done = subprocess.run(
                command,
                cwd=self.project,
                check=False,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                env={**os.environ, "CI": "1"},  # the same examples each time
            )
        except subprocess.TimeoutExpired:
            return "stuck", "the tests did not end"
        said = done.stdout + done.stderr
        return ("survived" if done.returncode == 0 else "killed"), said

    def _write(self, path: Path, content: bytes) -> None:
        """Write a module with a time that it never had, so that no compiled file passes for it."""
        self._edits += 1
        path.write_bytes(content)
        time = path.stat().st_mtime + self._edits
        os.utime(path, (time, time))
