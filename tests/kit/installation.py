"""The project installed as users install it: into a virtual environment of its own."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class Installation:
    """A fresh virtual environment at `path`; the packages we depend on are lent by the tests' own.

    What is installed here comes first on the path, so our own packages are never the tests'.
    """

    def __init__(self, path: Path) -> None:
        venv.create(path, symlinks=True, with_pip=False)
        self.bin = path / "bin"
        self.site_packages = Path(
            sysconfig.get_path("purelib", vars={"base": str(path), "platbase": str(path)})
        )
        lent = sysconfig.get_path("purelib")
        (self.site_packages / "zz_lent_by_the_tests.pth").write_text(f"{lent}\n")

    def install(self, *what: str | Path) -> None:
        """Install with pip, from the disk alone."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "--quiet"]
        offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
        # What is lent must not count as installed: our own package may be among it.
        _checked([*pip, "install", "--ignore-installed", *offline, *map(str, what)])

    def python(self, code: str) -> str:
        """Run `code` in the environment, away from any checkout, and return what it printed."""
        return self.run("python", "-I", "-W", "error", "-c", code)

    def run(self, command: str, *args: str) -> str:
        """Run one of the environment's commands and return what it printed."""
        return _checked([str(self.bin / command), *args])


def build_wheel(folder: Path) -> Path:
    """Build the project's wheel into `folder`."""
    _checked([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def _checked(command: list[str]) -> str:
    cwd = PROJECT if "hatchling" in command else None
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()
