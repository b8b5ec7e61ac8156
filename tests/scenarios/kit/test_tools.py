from __future__ import annotations

import inspect
import json

import pytest

from wt_git.scenarios.dim_tool_affordance.synthetic_db import FACTS
from wt_git.scenarios.kit.tools import common_tools

TOOLS = {tool.name: tool for tool in common_tools(FACTS)}


def inner(name: str, /, **args) -> dict:
    return json.loads(TOOLS[name].function(**args)["result"])


def test_four_tools_are_common():
    """Their names and parameters are those that agents and scenarios know."""
    parameters = {
        name: {
            parameter.name: parameter.default
            for parameter in inspect.signature(tool.function).parameters.values()
        }
        for name, tool in TOOLS.items()
    }
    empty = inspect.Parameter.empty
    assert parameters == {
        "client_lookup": {
            "query": "",
            "clientStatus": None,
            "excludeArchived": False,
            "limit": 10,
            "offset": 0,
            "deliver_as": None,
        },
        "order_query": {
            "client": None,
            "sku": None,
            "stage": None,
            "clientStatus": None,
            "excludeArchived": False,
            "groupBy": "none",
            "metric": "quantity",
            "limit": 50,
            "offset": 0,
            "deliver_as": None,
        },
        "order_report": {"sku": empty, "client": None, "deliver_as": None},
        "product_lookup": {"sku": empty, "deliver_as": None},
    }


def test_a_lookup_answers_with_matches():
    """Matches, the filter that was applied, the page, and a note with the count."""
    answer = inner("client_lookup", query=" Lowell ", limit=1)
    assert [match["id"] for match in answer["matches"]] == ["ACC-LSPN-001"]
    assert answer["filter"] == {"query": "Lowell", "clientStatus": None, "excludeArchived": False}
    assert answer["pagination"] == {
        "offset": 0,
        "limit": 1,
        "returned": 1,
        "matchedCount": 2,
        "hasMore": True,
    }
    assert "2" in answer["note"]
    assert inner("client_lookup")["filter"]["query"] is None


def test_a_query_answers_with_totals_over_all_pages():
    """The total covers all matches, the orders are one page, buckets come only when asked for."""
    answer = inner("order_query", client="ACC-LSPN-001", limit=1)
    assert [order["orderId"] for order in answer["orders"]] == ["ORD-1001"]
    assert answer["summary"] == {
        "by": None,
        "buckets": {},
        "total": {"count": 2, "quantity": 20},
        "bucketsTruncated": False,
    }
    grouped = inner("order_query", client="ACC-LSPN-001", groupBy="stage")
    assert grouped["summary"]["by"] == "stage"
    assert grouped["summary"]["buckets"] == {"Intake": {"count": 2, "quantity": 20}}
    assert grouped["groupBy"] == "stage"
    assert grouped["metric"] == "quantity"
    assert grouped["filter"]["client"] == "ACC-LSPN-001"


def test_a_name_where_an_id_is_wanted_gets_a_hint():
    """An empty answer says how to ask: by the exact id, found by the lookup."""
    answer = inner("order_query", client="Lowell Spinners")
    assert answer["orders"] == []
    assert "client_lookup" in answer["note"]


def test_a_report_counts_by_stage():
    """All five stages and the total, and a table of them."""
    answer = inner("order_report", sku="B001AAA", client="ACC-LSPN-001")
    assert answer["total"] == {"count": 1, "quantity": 12}
    assert answer["filter"] == {"sku": "B001AAA", "client": "ACC-LSPN-001"}
    whole = TOOLS["order_report"].function("B001AAA")
    assert whole["columns"] == ["stage", "count", "quantity"]
    assert whole["rows"][0] == ["Intake", 1, 12]
    assert len(whole["rows"]) == 5


def test_a_product_is_found_or_not():
    """The catalogue answers without a table."""
    assert inner("product_lookup", sku="B001AAA")["product"]["distributor"] == "Mike's Apparel"
    missing = inner("product_lookup", sku="Jersey")
    assert missing["found"] is False
    assert "Jersey" in missing["note"]
    assert set(TOOLS["product_lookup"].function("B001AAA")) == {"result"}


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        (
            "client_lookup",
            ["id", "name", "status", "clientContactName", "clientEmail", "clientPhone"],
        ),
        ("order_query", ["orderId", "sku", "itemName", "stage", "quantity", "clientName"]),
    ],
)
def test_tabular_tools_add_a_table_on_the_top_level(name, columns):
    """One layout for all: columns, rows and version beside the result."""
    answer = TOOLS[name].function()
    assert set(answer) == {"result", "columns", "rows", "schemaVersion"}
    assert answer["columns"] == columns
    assert answer["schemaVersion"] == 1
    assert all(len(row) == len(columns) for row in answer["rows"])


def test_a_delivery_is_accepted_and_changes_nothing(subtests):
    """The gateway delivers; the tool's answer is the same."""
    for name, args in [
        ("client_lookup", {}),
        ("order_query", {}),
        ("order_report", {"sku": "B001AAA"}),
        ("product_lookup", {"sku": "B001AAA"}),
    ]:
        with subtests.test(name=name, args=args):
            function = TOOLS[name].function
            assert function(**args, deliver_as="csv") == function(**args)
            assert json.loads(function(**args)["result"])["note"]


def test_descriptions_agree_with_behaviour():
    """The lenient tool says that names work, the strict ones that they yield nothing."""
    assert "partial name works" in TOOLS["client_lookup"].description
    for name in ("order_query", "order_report", "product_lookup"):
        assert "exact" in TOOLS[name].description
        assert "name" in TOOLS[name].description


def test_an_emptiness_has_the_shape_of_an_answer():
    """Where nothing is found unexpectedly, the answer looks like that of an empty system."""
    query = TOOLS["order_query"].failing["empty_unexpected"](client="ACC-LSPN-001")
    assert json.loads(query["result"])["summary"]["total"] == {"count": 0, "quantity": 0}
    assert query["rows"] == []
    report = TOOLS["order_report"].failing["empty_unexpected"]("B001AAA")
    assert json.loads(report["result"])["total"] == {"count": 0, "quantity": 0}
    assert TOOLS["client_lookup"].failing == {}


def test_a_refused_stage_names_the_valid_ones():
    """The refusal says what was sent and every value that would do."""
    refusal = TOOLS["order_query"].failing["schema_error"](client="x", stage="Incoming")
    assert refusal["rejected"] is True
    assert refusal["error"].startswith("Schema validation error")
    for word in ("Incoming", "Intake", "Checked In", "Storage", "Client Outbound", "Shipped"):
        assert word in refusal["error"]
