"""The example agent as a process: how it starts, how it ends, and what `wt run` makes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from kit.agent_forks import forked_agents
from kit.commands import ledger, start_wt, wt
from kit.example_agent import AGENT, PACK, PLUGIN, forked_child, module
from kit.openai_server import ScriptedModel, says

from wt_git.mcp.fastmcp import FastMCPServer, LoggingFastMCP

VERDICTS = {
    "hours_on_tuesday": "PASS",
    "hours_on_saturday": "FAIL",
    "shelf_then_copies": "PASS",
    "renew_a_loan": "PASS",
    "ask_before_renewing": "PASS",
}
PARENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from child import Child
print(Child().process.pid, flush=True)
time.sleep(600)
"""


def verdicts() -> dict[str, str]:
    """The verdict of each scenario in the ledger."""
    return {row["scenario_id"]: row["verdict"] for row in ledger()}


def wait_until_gone(pid: int) -> None:
    """Return when no process has this id any more; fails after half a minute."""
    for _ in range(3000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return
        time.sleep(0.01)
    pytest.fail(f"process {pid} is still there")


def agents_of(parent: int) -> list[int]:
    """The children of a process, whichever of its threads started them."""
    listed = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(pid) for children in listed for pid in children.read_text().split()]


def test_as_shipped_the_plugin_shows_green_and_red() -> None:
    """One planted bug; four scenarios at a time change nothing."""
    ran = wt(
        *("run", "--pack-source", PACK, "--runtime", PLUGIN),
        *("--scheduler", "concurrent", "--max-concurrency", "2", "--runs", "2"),
    )
    assert ran.code == 1
    assert verdicts() == VERDICTS
    assert "no_tools_used: the tool servers recorded no call" in ran.err
    assert {row["model"] for row in ledger()} == {"rules"}


def test_as_shipped_the_endpoint_shows_green_and_red() -> None:
    """The same verdicts from the agent's own account."""
    child = forked_child()
    try:
        ran = wt(
            *("run", "--pack-source", PACK, "--runtime", "http_inject", "--runs", "2"),
            env={"WT_INJECT_URL": child.url},
        )
    finally:
        child.stop()
    assert ran.code == 1
    assert verdicts() == VERDICTS
    assert "no_tools_used: the transcript holds no tool call" in ran.err


def test_the_agent_ends_with_a_parent_that_is_killed() -> None:
    """Not even SIGKILL leaves it behind; and it is out of reach of the terminal's Ctrl-C."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(AGENT)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    agent = int(parent.stdout.readline())
    assert os.getsid(agent) == agent
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until_gone(agent)


def test_the_agent_ends_with_a_sweep_that_is_killed() -> None:
    """The plugin's agent in mid-turn, the bench killed: nothing stays."""
    with ScriptedModel() as model:
        begun: list[int] = []

        def kill_the_bench() -> None:
            begun.extend(agents_of(sweep.pid))
            sweep.kill()
            return says("nobody hears this")

        model.script(kill_the_bench)
        sweep = start_wt(
            *("run", "--pack-source", PACK, "--runtime", PLUGIN),
            *("--scenario", "hours_on_saturday"),
            env=os.environ | {"AGENT_OPENAI_URL": model.url},
        )
        sweep.communicate()
    assert sweep.returncode == -signal.SIGKILL
    (agent,) = begun
    wait_until_gone(agent)


def test_stopping_twice_is_stopping_once() -> None:
    """Teardown may come again, and after a crash."""
    child = module("child").Child()
    os.kill(child.process.pid, signal.SIGKILL)
    child.stop()
    child.stop()
    assert child.process.poll() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("options", "environment", "why"),
    [
        (("--system-prompt", "Be brief."), {}, "rules take no system prompt"),
        ((), {"AGENT_MISREPORT": "sometimes"}, "expected hide:NAME or invent:NAME"),
        (("--tools", "http://127.0.0.1:9/mcp"), {}, "ConnectError"),
        (("--no-such-option",), {}, "it said nothing"),
    ],
)
def test_an_agent_that_cannot_start_says_why(options, environment, why, monkeypatch) -> None:
    """In one line, to whoever starts it; no process stays."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(RuntimeError, match="the agent did not start") as caught:
        forked_child(*options)
    assert why in str(caught.value)


def test_a_plugin_that_cannot_start_its_agent_makes_an_error_of_the_scenario() -> None:
    """No verdict on an agent that never was; the reason is on the line."""
    with forked_agents():
        ran = wt(
            *("run", "--pack-source", PACK, "--runtime", PLUGIN),
            *("--scenario", "hours_on_saturday"),
            env={"AGENT_MISREPORT": "sometimes"},
        )
    assert ran.code == 1
    assert "ERROR   hours_on_saturday" in ran.out
    assert "AGENT_MISREPORT" in ran.out
    assert ledger() == []


def test_the_first_of_two_servers_with_the_same_tool_is_called() -> None:
    """Any number of servers can be mounted; a name belongs to the first that offers it."""
    ours, theirs = LoggingFastMCP("ours"), LoggingFastMCP("theirs")

    def opening_hours(day: str) -> dict[str, object]:
        """When."""
        return {"open": True, "opens": "07:00", "closes": day}

    def find_book(title: str) -> dict[str, object]:
        """Where."""
        return {"found": False, "title": title}

    for server, tools in ((ours, [opening_hours]), (theirs, [opening_hours, find_book])):
        for function in tools:
            server.tool()(function)
    servers = [FastMCPServer(mcp_instance=server) for server in (ours, theirs)]
    urls = [server.start().url for server in servers]
    child = forked_child("--tools", urls[0], "--tools", urls[1])
    try:
        for question in ("Open on Friday?", 'Where is "Dune"?'):
            request = {"messages": [{"role": "user", "content": question}], "timeout_s": 20}
            answer = httpx.post(f"{child.url}/chat", json=request, trust_env=False).json()
            assert answer["error"] is None
    finally:
        child.stop()
        for server in servers:
            server.stop()
    assert [call.tool_name for call in ours.call_log.get_calls()] == ["opening_hours"]
    assert [call.tool_name for call in theirs.call_log.get_calls()] == ["find_book"]


def test_a_tool_server_that_went_away_is_the_failure_of_the_agent() -> None:
    """The turn is answered with an error that names the cause; the agent lives on."""
    tools = FastMCPServer(mcp_instance=LoggingFastMCP("short-lived"))
    child = forked_child("--tools", tools.start().url)
    tools.stop()
    try:
        request = {"messages": [{"role": "user", "content": "Open on Friday?"}], "timeout_s": 20}
        answer = httpx.post(f"{child.url}/chat", json=request, trust_env=False).json()
    finally:
        child.stop()
    assert answer["content"] == ""
    assert "ConnectError" in answer["error"]
