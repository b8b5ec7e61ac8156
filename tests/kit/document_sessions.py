"""Executing the blocks of a page as its reader would: one shell and one Python, in one folder."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import tomli
from kit.documents import PROJECT, Block, Command, commands, not_printed
from kit.python_forks import forking_programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MARK = "--- ended with"
_LIMIT_S = 60.0
_GOODBYE_S = 10.0
_PORT = "8647"
_PYTHON = """
import sys, traceback
names = {"__name__": "page"}
for path in sys.stdin:
    path, where, names["__file__"] = path.rstrip("\\n").split("\\t")
    status = "0"
    try:
        with open(path) as stream:
            exec(compile(stream.read(), where, "exec"), names)
    except BaseException as error:
        traceback.print_exc()
        status = type(error).__name__
    sys.stderr.flush()
    print("MARK", status, flush=True)
""".replace("MARK", f"\\n{_MARK}")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a block or command ended: `status` is an exit code, or an exception's name."""

    status: str
    printed: str


class _Session:
    """An interpreter that executes files by name and says when each is done."""

    def __init__(self, program: list[str], folder: Path, path: str) -> None:
        self._process = subprocess.Popen(
            program,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "PATH": path},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def execute(self, line: str, *, until: Callable[[str], bool] = lambda _printed: True) -> Ended:
        """Send one line and collect what is printed until its end is reported and `until` holds."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        printed = ""
        status = ""
        while not status or not until(printed):
            try:
                got = self._lines.get(timeout=_LIMIT_S)
            except queue.Empty:
                return Ended(status or "timeout", printed)
            if got is None:
                return Ended(status or "gone", printed)
            if got.startswith(_MARK):
                status = got.removeprefix(_MARK).strip()
                printed = printed.removesuffix("\n")  # the one that sets the mark apart
            else:
                printed += got
        return Ended(status, printed)

    def close(self, farewell: str = "") -> None:
        """Say goodbye, then end the interpreter however busy it is."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(farewell)
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GOODBYE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


def _path(*, forks: bool) -> str:
    """Return a PATH on which the commands of this environment come first."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    if forks:
        places.insert(0, str(forking_programs("commands")))
    return os.pathsep.join(places)


class Reader:
    """Somebody who follows a page from top to bottom in a copy of the documentation.

    With `forks`, the commands `python` and `wt` do not spend time on imports, see `python_forks`.
    """

    def __init__(self, folder: Path, *, forks: bool = True) -> None:
        self.folder = folder
        shutil.copytree(PROJECT / "docs", folder / "docs", ignore=_not_sources)
        shutil.copy(PROJECT / "README.md", folder)
        self._scratch = folder.parent / f"{folder.name}-blocks"
        self._scratch.mkdir()
        self._port = _free_port()
        path = _path(forks=forks)
        # -m: background jobs can be named, as in a terminal.
        self._shell = _Session(["bash", "--norc", "--noprofile", "-m"], folder, path)
        self._python = _Session([sys.executable, "-W", "error", "-c", _PYTHON], folder, path)

    def close(self) -> None:
        """End both interpreters, and what the shell left running in the background."""
        self._python.close()
        self._shell.close("kill -KILL $(jobs -p) 2> /dev/null\n")

    def follow(self, block: Block) -> list[str]:
        """Do what `block` says and return what is wrong with it.

        The port that pages speak of is replaced by one that is free here.
        """
        block = replace(block, text=block.text.replace(_PORT, self._port))
        if block.file_name is not None:
            target = self.folder / block.file_name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text + "\n")
        if block.language == "toml":
            tomli.loads(block.text)
            return []
        if block.language == "python":
            return list(self._run_python(block))
        return list(self._run_commands(block))

    def _run_python(self, block: Block) -> Iterator[str]:
        file = self._scratch / "block.py"
        file.write_text("\n" * block.line + block.text)
        named = self.folder / (block.file_name or "page.py")
        ended = self._python.execute(f"{file}\t{block.page}\t{named}")
        if ended.status != (block.raises or "0"):
            yield f"{block.where}: ended with {ended.status}\n{ended.printed}"

    def _run_commands(self, block: Block) -> Iterator[str]:
        listed = commands(block)
        for command in listed:
            wanted = block.exit if command is listed[-1] else 0
            yield from self._run_command(block, command, wanted)

    def _run_command(self, block: Block, command: Command, wanted: int) -> Iterator[str]:
        file = self._scratch / "block.sh"
        file.write_text(command.text + "\n")
        in_background = command.text.rstrip().endswith("&")
        ended = self._shell.execute(
            f"source '{file}' < /dev/null; printf '\\n{_MARK} %s\\n' \"$?\"",
            until=lambda printed: not (in_background and not_printed(command.expected, printed)),
        )
        if ended.status != str(wanted):
            yield (
                f"{block.where}: `{command.text}` ended with {ended.status}, not {wanted}\n"
                f"{ended.printed}"
            )
        elif missing := not_printed(command.expected, ended.printed):
            shown = "\n".join(missing)
            yield f"{block.where}: `{command.text}` printed\n{ended.printed}\nand not\n{shown}"


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def _not_sources(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in {"__pycache__", "runs", ".venv"}}
