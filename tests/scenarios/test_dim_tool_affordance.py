from __future__ import annotations

import pytest
from kit.mcp_client import call_tool, call_tools
from kit.traces import a_trace, assistant, user

from wt_git.api.evaluators.layers import evaluate_outcome, evaluate_trajectory
from wt_git.api.scenario import is_vacuous
from wt_git.api.tool_calls import tool_name_matches
from wt_git.mcp.fastmcp import FastMCPServer, FastMCPServerConfig
from wt_git.scenarios import builtin_packs
from wt_git.scenarios.dim_tool_affordance import PACK, synthetic_db
from wt_git.scenarios.dim_tool_affordance.scenarios import (
    CSV_DELIVERY_MARKERS,
    DIM_TAG,
    TOOL_AFFORDANCE_SCENARIOS,
)

SCENARIOS = {scenario.name: scenario for scenario in TOOL_AFFORDANCE_SCENARIOS}


def test_the_pack_is_built_in():
    """Six scenarios in their order, each with the pack's tag and no other, owned by nobody."""
    assert builtin_packs()[0] is PACK
    assert (PACK.name, PACK.owner, PACK.transport_only) == ("tool_affordance", None, False)
    assert [scenario.name for scenario in PACK.scenarios] == [
        "lookup_before_action",
        "field_scope_inference",
        "wrong_tool_correction",
        "investigate_before_export",
        "export_customer_products",
        "bulk_table_to_csv",
    ]
    for scenario in PACK.scenarios:
        assert scenario.tags == [DIM_TAG] == ["dim:tool_affordance"]
        assert scenario.requires_tool_use
        assert not scenario.perturbations
        assert not scenario.policies
        assert not is_vacuous(scenario)


def test_what_failures_would_cost():
    """Visible to a customer and reversible; low where one field is asked for, medium elsewhere."""
    weights = {name: scenario.failure_cost.risk_weight for name, scenario in SCENARIOS.items()}
    assert weights == {
        "lookup_before_action": 6,
        "field_scope_inference": 3,
        "wrong_tool_correction": 3,
        "investigate_before_export": 6,
        "export_customer_products": 6,
        "bulk_table_to_csv": 6,
    }


def test_prompts_carry_what_the_scenario_is_about(subtests):
    """The question names its client or article, never by the id that the agent has to find."""
    for name, words in [
        ("lookup_before_action", ["Lowell Spinners"]),
        ("field_scope_inference", ["Lowell Spinners", "email"]),
        ("wrong_tool_correction", ["B001AAA", "described", "brand"]),
        ("investigate_before_export", ["Lowell Spinners", "CSV", "link"]),
        ("export_customer_products", ["Lowell Spinners", "CSV", "Only"]),
        ("bulk_table_to_csv", ["Seattle Steelheads", "SKU", "Storage", "quantity", "table"]),
    ]:
        with subtests.test(name=name, words=words):
            prompt = SCENARIOS[name].prompt
            assert all(word in prompt for word in words)
            assert "ACC-" not in prompt


def test_the_bulk_question_does_not_give_the_csv_away():
    """That a table of this size goes out as CSV is for the agent to know."""
    assert "csv" not in SCENARIOS["bulk_table_to_csv"].prompt.lower()


def test_no_prompt_is_its_own_answer(subtests):
    """Repeating the question fails the outcome, tools used or not."""
    for name, scenario in SCENARIOS.items():
        with subtests.test(name=name):
            assert not evaluate_outcome(flight(scenario.prompt, "client_lookup"), scenario).passed


def flight(answer: str, *tools: str):
    """A trace whose server saw these calls and whose last words are `answer`."""
    calls = [
        {"tool_name": tool, "args": {}, "result": {}, "timestamp_ms": float(place), "extra": {}}
        for place, tool in enumerate(tools)
    ]
    return a_trace(
        user(), assistant(answer), mcp_calls=calls, worker_warnings=["mcp_evidence: available"]
    )


def judge(name: str, answer: str, *tools: str) -> tuple[bool, bool]:
    scenario, trace = SCENARIOS[name], flight(answer, *tools)
    return (
        evaluate_outcome(trace, scenario).passed,
        evaluate_trajectory(trace, scenario).passed,
    )


def test_the_total_is_a_number_not_a_substring(subtests):
    """Twenty has to be stated; 200 or part of an identifier is not twenty."""
    for answer, outcome in [
        ("Lowell Spinners have 20 units on order.", True),
        ("ACC-LSPN-001: 12 + 8 = 20.", True),
        ("Lowell Spinners have 200 units on order.", False),
        ("Lowell Spinners have 2026 units.", False),
        ("Lowell Spinners: see ORD-2001.", False),
        ("They have 20 units.", False),
    ]:
        with subtests.test(answer=answer, outcome=outcome):
            tools = ("client_lookup", "order_query")
            assert judge("lookup_before_action", answer, *tools) == (outcome, True)


def test_the_lookup_comes_before_the_query(subtests):
    """The right answer without a tool, or with the tools the wrong way round, does not pass."""
    for tools, outcome, trajectory in [
        (("client_lookup", "order_query"), True, True),
        (("mcp_acme_ops_client_lookup", "ops.order_query"), True, True),
        (("order_query", "client_lookup"), True, False),
        (("client_lookup",), True, False),
        ((), False, False),
    ]:
        with subtests.test(tools=tools, outcome=outcome, trajectory=trajectory):
            answer = "Lowell Spinners have 20 units on order."
            assert judge("lookup_before_action", answer, *tools) == (outcome, trajectory)


def test_the_catalogue_is_not_asked_through_orders():
    """Right facts through the wrong tool fail the trajectory."""
    answer = "It is the Spinners Jersey - Home, machine washable."
    assert judge("wrong_tool_correction", answer, "product_lookup") == (True, True)
    assert judge("wrong_tool_correction", answer, "product_lookup", "order_report") == (True, False)


def test_an_export_is_announced_not_typed_out(subtests):
    """Each marker of a delivery passes; a table in the answer does not."""
    for name in ["investigate_before_export", "export_customer_products", "bulk_table_to_csv"]:
        with subtests.test(name=name):
            client = SCENARIOS[name].target_facts[0][0]
            for marker in CSV_DELIVERY_MARKERS:
                assert judge(name, f"{client}: {marker}", "client_lookup") == (True, True)
            table = f"{client}\n| sku | quantity |\n| B001AAA | 12 |"
            assert judge(name, table, "client_lookup") == (False, True)


def test_what_is_asked_for_can_be_found_out():
    """An agent that goes lookup, id, query gets every fact that the scenarios want."""
    server = PACK.mcp_factory(SCENARIOS["lookup_before_action"])
    try:
        url = server.start().url
        found = call_tool(url, "client_lookup", {"query": "Lowell Spinners"}).inner()["matches"]
        (client,) = found
        assert client["clientEmail"] == "ops@lowellspinners.example"
        orders, product, by_name = call_tools(
            url,
            [
                ("order_query", {"client": client["id"]}),
                ("product_lookup", {"sku": "B001AAA"}),
                ("order_query", {"client": client["name"]}),
            ],
        )
        assert orders.inner()["summary"]["total"]["quantity"] == 20
        assert by_name.inner()["summary"]["total"]["quantity"] == 0
        entry = product.inner()["product"]
        assert "machine washable" in entry["description"]
        assert (entry["name"], entry["brand"]) == ("Spinners Jersey - Home", "SpinnersGear")
    finally:
        server.stop()


def test_every_tool_that_a_scenario_names_is_served():
    """No scenario asks for a call that cannot be made."""
    server = PACK.mcp_factory(SCENARIOS["lookup_before_action"])
    try:
        served = server.start().served_tools()
    finally:
        server.stop()
    for scenario in PACK.scenarios:
        for name in [*scenario.must_call, *scenario.forbidden_calls]:
            assert any(tool_name_matches(name, tool) for tool in served)


def test_the_rows_are_those_of_the_shared_world():
    """Five clients, their totals, and a page of articles that adds up to 527."""
    totals = {
        client["id"]: sum(
            order["quantity"] for order in synthetic_db.ORDERS if order["client"] == client["id"]
        )
        for client in synthetic_db.CLIENTS
    }
    assert totals == {
        "ACC-LSPN-001": 20,
        "ACC-LSPN-002": 3,
        "ACC-PORT-001": 0,
        "ACC-CHIC-001": 100,
        "ACC-STLH-001": 527,
    }
    assert {order["stage"] for order in synthetic_db.ORDERS} <= set(synthetic_db.VALID_STAGES)
    assert (
        len({order["orderId"] for order in synthetic_db.ORDERS}) == len(synthetic_db.ORDERS) == 24
    )
    bulk = [order for order in synthetic_db.ORDERS if order["client"] == "ACC-STLH-001"]
    assert bulk[7] == {
        "orderId": "ORD-STL-3008",
        "sku": "B207STL",
        "itemName": "Steelheads Tee - Logo",
        "client": "ACC-STLH-001",
        "clientName": "Seattle Steelheads",
        "stage": "Storage",
        "quantity": 11,
        "workQueue": "Q-STORAGE-07",
        "batchLocation": "BATCH-2026-06",
    }
    assert [product["sku"] for product in synthetic_db.PRODUCTS] == ["B001AAA", "B002BBB"]


def test_the_database_module_answers_by_function():
    """The rows can be asked without a server."""
    assert synthetic_db.find_clients("lowell", None, False)[1]["id"] == "ACC-LSPN-002"
    assert len(synthetic_db.query_orders("ACC-STLH-001", None, "Storage", limit=5)) == 5
    assert synthetic_db.order_report("B001AAA", None)["total"] == {"count": 2, "quantity": 15}


@pytest.mark.parametrize(
    ("environment", "name"),
    [({}, "ops_client_lookup"), ({"TOOL_PREFIX": ""}, "client_lookup")],
)
def test_the_mock_runs_as_a_module(environment, name):
    """In a process of its own its tools carry the platform's prefix, unless told otherwise."""
    module = "wt_git.scenarios.dim_tool_affordance.mock_mcp.server"
    server = FastMCPServer(config=FastMCPServerConfig(module, extra_env=environment))
    try:
        handle = server.start()
        assert handle.served_tools()[0] == name
        found = call_tool(handle.url, name, {"query": "cubs"}).inner()
        assert found["matches"][0]["id"] == "ACC-CHIC-001"
        assert [call.tool_name for call in handle.call_log()] == [name]
    finally:
        server.stop()
