"""Tool servers in processes of their own, started as packs start them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import httpx
import pytest
from kit.mcp_client import call_tool, until

from wt_git.mcp.addresses import listen
from wt_git.mcp.fastmcp import FastMCPServer, FastMCPServerConfig, child_process
from wt_git.mcp.fastmcp.child_process import EvidenceClient
from wt_git.mcp.fastmcp.server import ChildProcessMCPHandle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOP = """
import os
from wt_git.mcp.fastmcp import LoggingFastMCP
server = LoggingFastMCP("shop")

@server.tool()
def add(a: int, b: int = 2) -> int:
    "Add two numbers."
    return a + b

@server.tool(structured_output=False)
def environment(name: str) -> str:
    return os.environ.get(name, "unset")

@server.tool()
def identity() -> list[int]:
    return [os.getpid(), os.getsid(0)]

@server.tool()
def everything() -> list[str]:
    return [*os.environ.values(), *open("/proc/self/cmdline").read().split(chr(0))]

if __name__ == "__main__":
    server.run()
"""


@pytest.fixture
def config(tmp_path: Path):
    """Write a module and return the config that starts it."""

    def write(source: str = SHOP, **options) -> FastMCPServerConfig:
        (tmp_path / "mock_shop.py").write_text(textwrap.dedent(source))
        environment = {"PYTHONPATH": str(tmp_path), **options.pop("extra_env", {})}
        return FastMCPServerConfig("mock_shop", extra_env=environment, **options)

    return write


@pytest.fixture(scope="module")
def running_shop(tmp_path_factory) -> Iterator[ChildProcessMCPHandle]:
    """One process for the tests that leave a server as they find it."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "mock_shop.py").write_text(textwrap.dedent(SHOP))
    environment = {"PYTHONPATH": str(folder)}
    with started(FastMCPServerConfig("mock_shop", extra_env=environment)) as handle:
        yield handle


@pytest.fixture
def shop(running_shop) -> ChildProcessMCPHandle:
    """The shared process with an empty log and no failure."""
    running_shop.configure_failure_mode(None)
    running_shop.reset_call_log()
    return running_shop


@contextlib.contextmanager
def started(config: FastMCPServerConfig) -> Iterator[ChildProcessMCPHandle]:
    server = FastMCPServer(config=config)
    try:
        yield server.start()
    finally:
        server.stop()


def refuses(url: str) -> bool:
    """Say whether nobody listens at a URL."""
    parts = httpx.URL(url)
    try:
        socket.create_connection((parts.host, parts.port), timeout=5).close()
    except OSError:
        return True
    return False


def test_calls_are_logged_across_the_process_boundary(shop):
    """The handle tells of tools, calls and definitions what the process knows."""
    assert shop.served_tools() == ["add", "environment", "identity", "everything"]
    assert call_tool(shop.url, "add", {"a": 1}).text == "3"
    assert call_tool(shop.url, "add", {"a": "x"}).is_error
    good, bad = shop.call_log()
    assert (good.tool_name, good.args, good.result, good.extra) == ("add", {"a": 1}, 3, {})
    assert bad.args == {"a": "x"}
    assert "ValidationError" in bad.extra["error"]
    assert shop.served_tool_definitions()[0]["description"] == "Add two numbers."
    shop.reset_call_log()
    assert shop.call_log() == []


def test_a_failure_mode_reaches_the_process(shop):
    """What is configured on the handle happens in the process, and a mistake is refused here."""
    shop.configure_failure_mode("auth_scope_denied")
    assert {report["tool"] for report in shop.armed_failures()} == {*shop.served_tools()}
    assert call_tool(shop.url, "add", {"a": 1}).is_error
    assert shop.call_log()[0].extra == {"injected": "auth_scope_denied"}
    with pytest.raises(ValueError, match="lazy"):
        shop.configure_failure_mode("lazy")
    shop.configure_failure_mode(None)
    assert call_tool(shop.url, "add", {"a": 1}).text == "3"
    assert shop.armed_failures() == []


def test_a_failure_can_be_asked_for_by_the_environment(config):
    """The process arms what it is told at its start, for the one tool that is meant."""
    server = FastMCPServer(config=config())
    server.arm_failure(tool="environment", mode="malformed_json")
    try:
        handle = server.start()
        assert handle.armed_failures() == [
            {"tool": "environment", "mode": "malformed_json", "probability": 1.0}
        ]
        assert call_tool(handle.url, "environment", {"name": "A"}).text == "INVALID_JSON{{{"
        assert call_tool(handle.url, "add", {"a": 1}).text == "3"
    finally:
        server.stop()
    assert "MOCK_MCP_FAILURE_MODE" not in os.environ


def test_the_agent_can_neither_read_nor_clear_the_evidence(shop):
    """On the port it talks to, it is refused; and the token is nowhere that it could look."""
    call_tool(shop.url, "add", {"a": 1})
    assert httpx.get(shop.calls_url).status_code == 403
    assert httpx.post(f"{shop.calls_url}/reset").status_code == 403
    assert [call.tool_name for call in shop.call_log()] == ["add"]
    visible = call_tool(shop.url, "everything").text.split("\n")
    for secret in visible:
        address = httpx.URL(shop.url)
        stolen = EvidenceClient(address.host, address.port, secret.strip(' ",') or "none")
        with contextlib.suppress(RuntimeError, ValueError):
            pytest.fail(f"{secret!r} opens the evidence: {stolen.get('/calls')}")


def test_the_given_environment_wins(config):
    """It is the parent's, then the address, then what the config says."""
    extra = {"MOCK_MCP_HOST": "elsewhere", "COLOUR": "green"}
    with started(config(extra_env=extra)) as handle:
        for name, value in extra.items():
            assert call_tool(handle.url, "environment", {"name": name}).text == value
        port = str(httpx.URL(handle.url).port)
        assert call_tool(handle.url, "environment", {"name": "MOCK_MCP_PORT"}).text == port
        assert call_tool(handle.url, "environment", {"name": "HOME"}).text == os.environ["HOME"]


def test_a_host_called_calls_is_no_trouble():
    """URLs are made of their parts, so no host name can be taken for a path."""
    handle = ChildProcessMCPHandle("calls-mcp.example", 8080, "token")
    assert handle.url == "http://calls-mcp.example:8080/mcp"
    assert handle.calls_url == "http://calls-mcp.example:8080/calls"


def test_it_leads_a_session_of_its_own(shop):
    """Ctrl-C in the terminal of the bench does not reach it."""
    pid, session = (int(part) for part in call_tool(shop.url, "identity").text.split("\n"))
    assert session == pid != os.getpid()


def test_started_twice_it_is_one_process_and_stopped_it_is_reaped(config):
    """No child is orphaned by a second start, and none stays on the process table."""
    server = FastMCPServer(config=config())
    handle = server.start()
    assert server.start() is handle
    pid = int(call_tool(handle.url, "identity").text.split("\n")[0])
    server.stop()
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert refuses(handle.url)


def test_a_child_that_does_not_react_is_killed(config, monkeypatch):
    """A process that handles neither the signal nor the end of its input does not outlive the stop."""
    monkeypatch.setattr(child_process, "_STOP_LIMIT_S", 0.3)
    server = FastMCPServer(config=config())
    pid = int(call_tool(server.start().url, "identity").text.split("\n")[0])
    os.kill(pid, signal.SIGSTOP)
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("source", "token"),
    [
        ("raise SystemExit('out of paper')", "out of paper"),
        ("import no_such_module_here", "no_such_module_here"),
        (SHOP.replace("server.run()", "pass"), "exited immediately"),
    ],
)
def test_a_module_that_ends_is_reported_with_its_last_words(config, source, token):
    """The message says that it exited, and why it said it did."""
    server = FastMCPServer(config=config(source))
    with pytest.raises(RuntimeError, match="exited immediately") as failure:
        server.start()
    assert token in str(failure.value)
    server.stop()


def test_a_bad_failure_in_the_environment_is_reported(config):
    """A mode that nobody knows stops the server from starting, by name."""
    server = FastMCPServer(config=config(extra_env={"MOCK_MCP_FAILURE_MODE": "lazy"}))
    with pytest.raises(RuntimeError, match="lazy"):
        server.start()


def test_a_module_that_never_serves_is_given_up(config):
    """The deadline passes, the message says what is missing, and no process is left."""
    source = "import sys, time\nprint('still here', flush=True)\nsys.stdin.read()\n"
    given_up = config(source, startup_delay=0.0, startup_timeout=0.5)
    with pytest.raises(RuntimeError, match=r"run\(\).*"):
        FastMCPServer(config=given_up).start()


def test_a_foreign_server_on_the_port_is_not_taken_for_the_child(config):
    """A port that is in use is an error, whoever answers there."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RuntimeError, match=str(port)):
            FastMCPServer(config=config(host="127.0.0.1", port=port)).start()


def test_a_dead_child_has_no_empty_log(config):
    """Evidence that cannot be read raises: an empty list would say that nothing was called."""
    with started(config()) as handle:
        pid = int(call_tool(handle.url, "identity").text.split("\n")[0])
        os.kill(pid, signal.SIGKILL)
        until(lambda: refuses(handle.url))
        for read in (
            handle.call_log,
            handle.reset_call_log,
            handle.served_tools,
            handle.served_tool_definitions,
            handle.armed_failures,
        ):
            with pytest.raises(OSError, match="refused"):
                read()


_BENCH = """
import sys, time
from wt_git.mcp.fastmcp import FastMCPServer, FastMCPServerConfig, child_process
server = FastMCPServer(config=FastMCPServerConfig("mock_shop"))
print(server.start().url, flush=True)
sys.stdin.read()
"""


def test_it_dies_with_the_bench_even_by_sigkill(config, tmp_path):
    """A bench that was killed without a chance to clean up leaves no server behind."""
    config()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    bench = subprocess.Popen(
        [sys.executable, "-c", _BENCH],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with bench:
        url = bench.stdout.readline().strip()
        assert not refuses(url)
        bench.kill()
        bench.wait()
    until(lambda: refuses(url))


def test_run_by_hand_it_serves_its_own_address(config, tmp_path):
    """Without a bench, the module listens where it says, shows its log here, and ends on Ctrl-C."""
    config(SHOP.replace("server.run()", "server.run(port=int(os.environ['PORT']))"))
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, "-m", "mock_shop"], env=environment, stderr=subprocess.PIPE, text=True
    )
    with process:
        url = f"http://127.0.0.1:{port}"
        until(lambda: not refuses(f"{url}/mcp"))
        assert call_tool(f"{url}/mcp", "add", {"a": 1}).text == "3"
        assert [call["tool_name"] for call in httpx.get(f"{url}/calls").json()] == ["add"]
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert "Traceback" not in process.stderr.read()
