"""Starting, arming and stopping a recorded server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading

import pytest
import windtunnel.mcp
import windtunnel.mcp.recorded
from kit.mcp_client import call_tool
from kit.universes import orders, orders_document

from wt_git.api.universe import Universe, UniverseFormatError, UniverseTool, universe_from_dict
from wt_git.mcp import RecordedMCPHandle, RecordedMCPServer
from wt_git.spi import MCPServer


@pytest.fixture
def started():
    servers = []

    def start(*args, **options):
        servers.append(RecordedMCPServer(*args, **options))
        return servers[-1], servers[-1].start()

    yield start
    for server in servers:
        server.stop()


def test_the_names_are_found_where_they_are_promised():
    """In the package and in its module, under either name of the package."""
    assert windtunnel.mcp.RecordedMCPServer is RecordedMCPServer
    assert windtunnel.mcp.recorded.RecordedMCPServer is RecordedMCPServer
    assert windtunnel.mcp.recorded.RecordedMCPHandle is RecordedMCPHandle
    assert isinstance(RecordedMCPServer(orders()), MCPServer)


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_server_takes_the_path_of_a_file(started, tmp_path, kind):
    """It is read when the server is made."""
    path = tmp_path / "orders.universe.json"
    path.write_text(json.dumps(orders_document()), encoding="utf-8")
    _, handle = started(kind(path))
    path.unlink()
    assert handle.universe == orders()
    assert call_tool(handle.url, "find_order", {"order": "A1"}).structured == {"status": "shipped"}


def test_a_bad_file_is_refused_before_anything_starts(tmp_path):
    """By file and place."""
    path = tmp_path / "bad.universe.json"
    path.write_text(json.dumps(orders_document() | {"recordings": 1}), encoding="utf-8")
    with pytest.raises(UniverseFormatError, match=r"bad\.universe\.json: recordings must be"):
        RecordedMCPServer(path)
    with pytest.raises(FileNotFoundError):
        RecordedMCPServer(tmp_path / "missing.universe.json")


def test_a_universe_made_in_code_keeps_the_rules_of_the_file():
    """What could not be saved cannot be served."""
    tool = UniverseTool("say", {})
    with pytest.raises(UniverseFormatError, match="duplicate tool definitions"):
        RecordedMCPServer(Universe(1, (tool, tool), ()))


def test_a_server_starts_once_and_stops_for_good(started):
    """Starting it again gives the same handle; after a stop nothing listens and evidence is left."""
    server, handle = started(orders())
    assert server.start() is handle
    assert handle.url.startswith("http://127.0.0.1:")
    assert handle.url.endswith("/mcp")
    assert call_tool(handle.url, "poll").text == '"queued"'
    server.stop()
    server.stop()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port_of(handle)), 5)
    assert [call.result for call in handle.call_log()] == ["queued"]
    RecordedMCPServer(orders()).stop()


def port_of(handle):
    return int(handle.url.rpartition(":")[2].partition("/")[0])


def test_two_threads_start_one_server():
    """Whoever comes second gets the first one's handle."""
    server = RecordedMCPServer(orders())
    handles, together = [], threading.Barrier(2)

    def start():
        together.wait(30)
        handles.append(server.start())

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    server.stop()
    assert handles[0] is handles[1]


def test_a_stopped_server_can_be_started_again(started):
    """With a handle of its own, on a port that is free."""
    server, first = started(orders())
    server.stop()
    second = server.start()
    assert second is not first
    assert call_tool(second.url, "poll").text == '"queued"'


def test_a_second_start_begins_anew(started):
    """Calls and what they used up belong to the handle that saw them; what is armed stays armed."""
    server, first = started(orders())
    server.arm_failure(tool="find_order", mode="malformed_json")
    assert call_tool(first.url, "poll").text == '"queued"'
    server.stop()
    second = server.start()
    assert second.call_log() == []
    assert call_tool(second.url, "poll").text == '"queued"'
    assert call_tool(second.url, "find_order", {"order": "A1"}).text == "INVALID_JSON{{{"
    assert [call.tool_name for call in second.call_log()] == ["poll", "find_order"]
    assert [call.tool_name for call in first.call_log()] == ["poll"]


def test_a_taken_port_is_an_error_that_leaves_nothing_behind(started):
    """The other server is left alone."""
    _, other = started(orders())
    server = RecordedMCPServer(orders(), port=port_of(other))
    with pytest.raises(RuntimeError, match=r"failed to start on 127\.0\.0\.1"):
        server.start()
    server.stop()
    assert call_tool(other.url, "poll").text == '"queued"'


@pytest.mark.parametrize("where", [{"port": 70_000}, {"host": "192.0.2.1"}])
def test_an_address_that_is_none_is_an_error(where):
    """Whatever is wrong with it."""
    with pytest.raises(RuntimeError, match="failed to start on"):
        RecordedMCPServer(orders(), **where).start()


def test_a_wildcard_address_is_advertised_as_one_to_connect_to(started):
    """Agents in containers come from other addresses, with other names for this host."""
    _, handle = started(orders(), host="0.0.0.0")
    assert handle.url == f"http://127.0.0.1:{port_of(handle)}/mcp"
    assert call_tool(handle.url, "poll").text == '"queued"'


def test_where_no_socket_may_listen_calls_work_in_process(started, monkeypatch):
    """The URL says that nobody can connect."""

    def forbidden(*_args, **_options):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "socket", forbidden)
    server, handle = started(orders(), name="sandboxed")
    assert handle.url == "recorded://sandboxed"
    assert handle.call_tool("poll") == "queued"
    server.stop()


def test_a_failure_is_armed_for_the_tools_that_go_by_a_name():
    """A platform's prefix does not matter, the rest answers as ever."""
    document = orders_document()
    document["tools"][1]["name"] = "acme_poll"
    document["recordings"] = document["recordings"][:2]
    server = RecordedMCPServer(universe_from_dict(document))
    server.arm_failure(tool="poll", mode="malformed_json")
    handle = server.start()
    try:
        assert handle.armed_failures() == [
            {"tool": "acme_poll", "mode": "malformed_json", "probability": 1.0}
        ]
        assert call_tool(handle.url, "acme_poll").text == "INVALID_JSON{{{"
        assert not call_tool(handle.url, "find_order", {"order": "A1"}).is_error
        assert [call.extra for call in handle.call_log()] == [{"injected": "malformed_json"}, {}]
    finally:
        server.stop()


def test_the_first_to_arm_a_tool_decides(started):
    """The factory's word stands, whatever the scenario asks for afterwards."""
    server, handle = started(orders())
    server.arm_failure(tool="poll", mode="auth_scope_denied", probability=0.5)
    server.arm_failure(tool="poll", mode="malformed_json")
    server.arm_failure(tool="nobody", mode="malformed_json")
    assert handle.armed_failures() == [
        {"tool": "poll", "mode": "auth_scope_denied", "probability": 0.5}
    ]
    with pytest.raises(ValueError, match="lazy"):
        server.arm_failure(tool="find_order", mode="lazy")


def test_making_a_server_loads_no_server_library():
    """A pack is listed, and its file checked, without half a second of imports."""
    code = (
        "import sys; from windtunnel.mcp import RecordedMCPServer\n"
        "from windtunnel.api import freeze_universe\n"
        "RecordedMCPServer(freeze_universe([], []))\n"
        "print(*sorted({'mcp', 'mcp_types', 'uvicorn', 'starlette', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == ""
