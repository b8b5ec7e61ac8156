"""docs/writing-a-runtime.md, run from top to bottom as a reader would."""

import os
import queue
import re
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "writing-a-runtime.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DONE = "<the command is done>"


class Shell:
    """One bash for the whole page, as in a terminal: variables and background jobs stay."""

    def __init__(self, folder):
        bin_folder = str(Path(sys.executable).parent)
        self._process = subprocess.Popen(
            ["bash", "-m"],
            cwd=folder,
            env=os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def run(self, command, expected):
        """Return what was printed until the command is done and all of `expected` was seen."""
        end = f"echo; echo '{DONE}'"
        self._process.stdin.write(f"{command}\n{end}\n")
        self._process.stdin.flush()
        seen = []
        missing = [_pattern(line) for line in expected]
        is_done = False
        while not is_done or missing:
            try:
                line = self._lines.get(timeout=60)
            except queue.Empty:
                pytest.fail(f"$ {command}\nprinted {seen}\nand never {missing}")
            is_done = is_done or line == DONE
            if line == DONE and missing and not command.endswith("&"):
                pytest.fail(f"$ {command}\nprinted {seen}\nand not {missing}")
            seen.append(line)
            missing = [pattern for pattern in missing if not pattern.fullmatch(line)]
        return seen

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._reader.join()
        self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))


def _pattern(line):
    """A line of the page; `...` stands for what differs each time."""
    return re.compile(".*".join(map(re.escape, line.split("..."))))


def _commands(block):
    """The commands of a console block, each with the lines shown below it."""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line.removeprefix("$ "), []))
        else:
            commands[-1][1].append(line)
    return commands


@pytest.fixture
def shell(tmp_path):
    shell = Shell(tmp_path)
    yield shell
    shell.close()


def _page():
    """The page, with its port replaced by one that is free here."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return PAGE.read_text().replace("8647", str(listener.getsockname()[1]))


@pytest.mark.timeout(300)
def test_every_file_and_command_of_the_page_works_as_shown(shell, tmp_path):
    """Files are saved under the name in their first line, commands print what the page shows."""
    ran = []
    for kind, block in BLOCK.findall(_page()):
        if kind == "python":
            name = block.splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(block)
            compile(block, name, "exec")
        elif kind == "console":
            for command, shown in _commands(block):
                shell.run(command, shown)
                ran.append(command)
    assert len(ran) >= 9


BENCH = """
import own_process, time
from windtunnel.spi import AgentConfig
handle = own_process.OwnProcessRuntime().provision(AgentConfig())
print(handle._process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process that is no child")
def test_the_pages_agent_ends_when_its_bench_is_killed(tmp_path):
    """No process is left over, although nothing could be called."""
    for block in (block for kind, block in BLOCK.findall(_page()) if kind == "python"):
        (tmp_path / block.splitlines()[0].removeprefix("# ")).write_text(block)
    bench = subprocess.Popen(
        [sys.executable, "-c", BENCH], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    with bench:
        agent = os.pidfd_open(int(bench.stdout.readline()))
        bench.kill()
    try:
        ended, _, _ = select.select([agent], [], [], 60)
        assert ended == [agent]
    finally:
        os.close(agent)


def test_every_block_of_the_page_is_of_a_kind_that_is_run():
    """Only configuration is shown without being executed."""
    kinds = [kind for kind, _ in BLOCK.findall(PAGE.read_text())]
    assert set(kinds) == {"python", "console", "toml"}
    assert PAGE.read_text().count("```") == 2 * len(kinds)


def test_every_link_within_the_page_leads_somewhere():
    """Anchors are headings of the page, files exist."""
    text = PAGE.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        assert (PAGE.parent / path).exists() if path else anchor in anchors, target
