"""`wt run` on a pack whose tools are a recorded universe beside it, with an agent that speaks MCP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.commands import ledger, traces, wt
from kit.universes import orders_document

AGENT = """
import asyncio, json
from mcp import Client

async def ask(url, lines):
    said = []
    async with Client(url) as client:
        for line in lines:
            name, _, args = line.partition(" ")
            answer = await client.call_tool(name, json.loads(args or "{}"))
            said.append(answer.content[0].text)
    return "; ".join(said)

class Handle:
    def __init__(self, url):
        self.url = url
    def send(self, messages, session_id):
        return {"content": asyncio.run(ask(self.url, messages[-1]["content"].splitlines()))}
    def reset_state(self):
        pass
    def teardown(self):
        pass

class Runtime:
    def provision(self, config, mcps=None):
        return Handle(mcps[0].url)

class Plugin:
    max_concurrency = None
    def build(self, runtime_name, label, soul_path):
        return Runtime()

PLUGIN = Plugin()
"""

PACK = """
from pathlib import Path
from windtunnel.api import *
from windtunnel.mcp import RecordedMCPServer

UNIVERSE = Path(__file__).with_name("orders.universe.json")

def tools(scenario):
    server = RecordedMCPServer(UNIVERSE)
    {arming}
    return server

PACK = ScenarioPack(name="orders", mcp_factory=tools, scenarios=[Scenario(
    name="asks", prompt={prompt!r}, target_facts=[[{fact!r}]],
    policies=[no_divergence()], perturbations=[{perturbations}], requires_tools=["poll"],
)])
"""


def flown(prompt, fact, *, perturbations="", arming="pass", document=None, runs=1, code=0):
    """Fly one scenario; its traces, and the detail of the first score's layers."""
    document = document or orders_document()
    Path("orders.universe.json").write_text(json.dumps(document), encoding="utf-8")
    Path("agent.py").write_text(AGENT, encoding="utf-8")
    text = PACK.format(prompt=prompt, fact=fact, perturbations=perturbations, arming=arming)
    Path("pack.py").write_text(text, encoding="utf-8")
    source = ("--pack-source", "pack.py:PACK", "--runtime", "agent.py:PLUGIN")
    ran = wt("run", *source, "--runs", str(runs))
    assert ran.code == code, ran.err
    return [json.loads(path.read_text()) for path in traces()], ran


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_every_run_finds_the_recording_as_it_was_made():
    """Also what is given only once; what the agent asked is in the trace, answered and unmarked."""
    found, _ = flown('poll\npoll\nfind_order {"order": "A2"}', '"done"; {"status": "lost"}', runs=3)
    assert len(found) == 3
    for trace in found:
        assert [
            (call["tool_name"], call["args"], call["result"], call.get("extra"))
            for call in trace["mcp_calls"]
        ] == [
            ("poll", {}, "queued", None),
            ("poll", {}, "done", None),
            ("find_order", {"order": "A2"}, {"status": "lost"}, None),
        ]
        assert trace["worker_warnings"] == ["mcp_evidence: available"]
    assert len({trace["tool_schema_hash"] for trace in found}) == 1
    assert ledger()[-1]["verdict"] == "PASS"


def test_leaving_the_recording_is_in_the_trace_and_fails_the_policy():
    """With the policy that answered, by name."""
    document = orders_document()
    document["matching"] = {"on_miss": "nearest"}
    asked = 'find_order {"order": "A1", "page": 2}\nfind_odor'
    (trace,), _ = flown(asked, "shipped", document=document, code=1)
    assert [call["extra"]["divergence"] for call in trace["mcp_calls"]] == [
        {"policy": "nearest", "matched": 0},
        {"policy": "nearest", "matched": None},
    ]
    assert trace["worker_warnings"] == [
        "universe_divergence: tool=find_order policy=nearest",
        "universe_divergence: tool=find_odor policy=nearest",
        "mcp_evidence: available",
    ]
    (sidecar,) = Path("runs").rglob("*.score.json")
    score = json.loads(sidecar.read_text())["score"]
    assert score["outcome"]["passed"]
    assert not score["constraint"]["passed"]
    assert "no_divergence" in score["constraint"]["detail"]


@pytest.mark.parametrize(
    ("perturbation", "answer", "marker"),
    [
        ('ToolReturnsMalformedJson("poll")', "INVALID_JSON{{{", "malformed_json"),
        ('ToolReturnsEmptyUnexpected("poll")', '{"result": "[]"', "empty_unexpected"),
        ('ToolTimeoutPerScenario("poll", 0)', "queued", "timeout"),
    ],
)
def test_a_scenario_makes_its_recorded_tool_fail(perturbation, answer, marker):
    """Without a word in the factory; it is proven call by call, and the other tools still answer."""
    (trace,), _ = flown(
        'poll\nfind_order {"order": "A1"}', answer, perturbations=perturbation, code=0
    )
    first, second = trace["mcp_calls"]
    assert first["extra"] == {"injected": marker}
    assert second["result"] == {"status": "shipped"}
    assert "extra" not in second
    assert any(marker in warning for warning in trace["worker_warnings"])
    assert ledger()[-1]["verdict"] == "PASS"


def test_a_factory_arms_its_server_before_the_scenario_does():
    """Then what the scenario declares did not happen, and the run says nothing about the agent."""
    flown(
        "poll",
        "permission",
        perturbations='ToolReturnsMalformedJson("poll")',
        arming='server.arm_failure(tool="poll", mode="auth_scope_denied")',
        code=1,
    )
    assert ledger()[-1]["verdict"] == "INVALID"


def test_a_mode_set_on_the_handle_holds_for_every_run():
    """A factory may start its server itself; the bench starts it again and gets the same handle."""
    found, _ = flown(
        'poll\nfind_order {"order": "A1"}',
        "permission",
        arming='server.start().configure_failure_mode("auth_scope_denied")',
        runs=2,
    )
    for trace in found:
        assert [call["result"]["code"] for call in trace["mcp_calls"]] == [403, 403]
        assert trace["worker_warnings"] == ["mcp_evidence: available"]


def test_a_universe_that_breaks_its_rules_is_named(tmp_path):
    """By its file and the place in it; nothing was scored."""
    document = orders_document()
    document["recordings"][3]["tool_name"] = "pol"
    found, ran = flown("poll", "x", document=document, code=1)
    assert found == []
    assert "orders.universe.json: recordings[3].tool_name names undefined tools: 'pol'" in ran.err
