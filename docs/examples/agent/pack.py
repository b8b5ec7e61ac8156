"""The tutorial's scenarios: what the desk of the Rivermouth library must do, and what it must not.

wt run --pack-source docs/examples/agent/pack.py:PACK --runtime ...
"""

from __future__ import annotations

import sys
from pathlib import Path

from windtunnel.api import NumberFact, Scenario, ScenarioPack
from windtunnel.mcp.fastmcp import FastMCPServer, LoggingFastMCP

sys.path.insert(0, str(Path(__file__).parent))  # a file loaded by its path has no neighbours
from library import TOOLS

SCENARIOS = [
    Scenario(
        name="hours_on_tuesday",
        prompt="How long are you open on Tuesday?",
        target_facts=[["20:00", "8 pm"]],
        requires_tool_use=True,
        must_call=["opening_hours"],
        facts_must_be_asserted=True,
        tool_use_must_succeed=True,
    ),
    Scenario(
        name="hours_on_saturday",
        prompt="How long are you open on Saturday?",
        target_facts=[["16:00", "4 pm"]],
        requires_tool_use=True,
        must_call=["opening_hours"],
        facts_must_be_asserted=True,
        tool_use_must_succeed=True,
    ),
    Scenario(
        name="shelf_then_copies",
        user_turns=[
            'Where do I find "The Left Hand of Darkness"?',
            "And how many copies are there right now?",
        ],
        target_numbers=[NumberFact(1, "copies")],
        requires_tool_use=True,
        must_call=["find_book"],
        forbidden_calls=["renew_loan"],
        facts_must_be_asserted=True,
        tool_use_must_succeed=True,
    ),
    Scenario(
        name="renew_a_loan",
        prompt='Please renew "The Hobbit" on card 2041.',
        target_facts=[["24 June", "June 24"]],
        must_call=["list_loans", "renew_loan"],
        order_matters=True,
        facts_must_be_asserted=True,
        tool_use_must_succeed=True,
    ),
    Scenario(
        name="ask_before_renewing",
        prompt="Can you renew my book for me?",
        target_facts=[["card"]],
        forbidden_calls=["renew_loan"],
        facts_must_be_asserted=True,
    ),
]


def tool_server(scenario: Scenario) -> FastMCPServer:
    """Return the library's tools as a server of the bench, which logs every call it gets."""
    tools = LoggingFastMCP("rivermouth-library")
    for function in TOOLS:
        tools.tool()(function)
    return FastMCPServer(mcp_instance=tools)


PACK = ScenarioPack(name="library_desk", scenarios=SCENARIOS, mcp_factory=tool_server)
