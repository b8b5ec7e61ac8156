"""What keeps a test inside its own folder and off the network.

Two things leak by accident: a child process that finds the developer's home, git configuration or
a variable of the shell; and code in this process that opens a file or a connection elsewhere. The
first is sealed by the environment, the second is watched through Python's audit events.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ConfigLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

# Settings of the machine that a test must not depend on; PIP_ and UV_ only say where packages are.
_STRIPPED_PREFIXES = ("GIT_", "WT_", "XDG_", "OPENAI_", "HYPOTHESIS_", "PYTEST_ADDOPTS")
_STRIPPED = (
    "ALL_PROXY",
    "CLICOLOR_FORCE",
    "EDITOR",
    "FORCE_COLOR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANGUAGE",
    "NO_COLOR",
    "NO_PROXY",
    "PAGER",
    "PYTHONPATH",
    "VISUAL",
)

GIT_IDENTITY = """\
[user]
\tname = Test Author
\temail = author@example.test
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[core]
\tfsmonitor = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""


def sealed_environment(folder: Path) -> dict[str, str]:
    """Return the process's environment with home, caches, git and locks moved into `folder`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_STRIPPED_PREFIXES) and name.upper() not in _STRIPPED
    }
    home = folder / "home"
    return kept | {
        "COLUMNS": "100",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "LINES": "40",
        "TMPDIR": str(folder / "tmp"),
        "TZ": "UTC",
        "USERPROFILE": str(home),
        "WT_LOCK_DIR": str(folder / "locks"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
    }


class SealedFolder:
    """A folder with a home, a place for temporary files and an empty folder to work in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in _PARTS:
            (path / name).mkdir(parents=True)
        (path / "home" / ".gitconfig").write_text(GIT_IDENTITY)
        self._environment = sealed_environment(path)
        self._made = self._state()

    def is_as_made(self) -> bool:
        """Whether nothing in it was made, changed or removed since."""
        return self._state() == self._made

    def _state(self) -> list[tuple[list[str], int, int]] | None:
        try:
            state = [
                (sorted(one.name for one in place.iterdir()), place.stat().st_mode, 0)
                for place in (self.path, *(self.path / name for name in _PARTS))
            ]
            config = (self.path / "home" / ".gitconfig").stat()
        except OSError:
            return None
        return [*state, ([], config.st_mode, config.st_mtime_ns)]

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Let this process and its children live in the folder."""
        before, temporary, cwd = dict(os.environ), tempfile.tempdir, Path.cwd()
        try:
            _set_environment(self._environment)
            tempfile.tempdir = None  # asks TMPDIR again
            seal_libgit2(self.path / "home")
            os.chdir(self.path / "work")
            yield
        finally:
            os.chdir(cwd)
            tempfile.tempdir = temporary
            _set_environment(before)


_PARTS = ("home", "tmp", "work")


def _set_environment(environment: dict[str, str]) -> None:
    for name in set(os.environ) - set(environment):
        if name != "PYTEST_CURRENT_TEST":
            del os.environ[name]
    for name, value in environment.items():
        if name != "PYTEST_CURRENT_TEST" and os.environ.get(name) != value:
            os.environ[name] = value


def seal_libgit2(home: Path) -> None:
    """Let libgit2 look for configuration there only: it asked for HOME when it was loaded."""
    for level, place in (
        (ConfigLevel.SYSTEM, home / "none"),
        (ConfigLevel.XDG, home / ".config/git"),
        (ConfigLevel.GLOBAL, home),
    ):
        pygit2.settings.search_path[level] = str(place)


class NetworkUseError(ConnectionError):
    """A test tried to reach something that is not this machine."""


class EscapeWatch:
    """Notes every file written outside `allowed` and every connection that leaves the machine.

    Connections are refused as well. One watch serves the whole session, since an audit hook cannot
    be removed; it reports only between `begin` and `end`.
    """

    def __init__(self, *, allowed: tuple[Path, ...]) -> None:
        self._allowed = tuple(os.path.realpath(path) for path in allowed)
        self._seen: list[str] = []
        self._active = False
        sys.addaudithook(self._audit)

    def begin(self) -> None:
        """Start to take notes, with none."""
        self._seen = []
        self._active = True

    def end(self) -> list[str]:
        """Stop and return what was noted, in the order it happened."""
        self._active = False
        return self._seen

    def _audit(self, event: str, args: tuple[object, ...]) -> None:
        if not self._active:
            return
        if event == "open":
            self._opened(*args)
        elif event == "socket.getaddrinfo":
            self._connecting(args[0])
        elif event in {"socket.connect", "socket.sendto"} and isinstance(args[1], tuple):
            self._connecting(args[1][0])

    def _opened(self, path: object, mode: object, flags: object) -> None:
        writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        if not isinstance(path, str | bytes) or not isinstance(flags, int) or not flags & writing:
            return
        where = os.path.realpath(os.fsdecode(path))
        if where.endswith(".pyc") or "__pycache__" in where:
            return
        if not any(where == home or where.startswith(home + os.sep) for home in self._allowed):
            self._seen.append(f"wrote {where}")

    def _connecting(self, host: object) -> None:
        name = host.decode() if isinstance(host, bytes) else host
        if not isinstance(name, str) or _is_this_machine(name):
            return
        if name.endswith(".invalid"):  # a name that is reserved for not existing
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        self._seen.append(f"reached for {name}")
        raise NetworkUseError(f"tests may use the loopback interface only, not {name}")


def _is_this_machine(name: str) -> bool:
    if name in {"", "localhost", socket.gethostname()}:
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
