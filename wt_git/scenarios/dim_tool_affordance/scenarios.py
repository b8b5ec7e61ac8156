"""The six scenarios of the dimension."""

from __future__ import annotations

from typing import Final

from wt_git.api.scenario import NumberFact, Scenario
from wt_git.api.score import FailureCost

LOW_VISIBLE: Final = FailureCost(severity="low", customer_visible=True)
MEDIUM_VISIBLE: Final = FailureCost(severity="medium", customer_visible=True)


DIM_TAG: Final = "dim:tool_affordance"

# The words of an answer after the start of an export, before its link arrives.
CSV_DELIVERY_MARKERS: Final = [
    "follow-up",
    "follow up",
    "as a follow",
    "arrive",
    "shortly",
    "started the export",
    "export has started",
    "export started",
    "i've started",
    "i started",
    "started exporting",
    "kicked off",
    "be ready",
    "when it's ready",
    "when it is ready",
    "separate message",
    "be sent",
    "be posted",
    "will be posted",
    "posted to the",
    "preparing",
    "on its way",
    "momentarily",
    "queued",
    "exporting",
    "in a moment",
]

_LOWELL_SPINNERS: Final = ["ACC-LSPN-001", "Lowell Spinners"]

lookup_before_action = Scenario(
    name="lookup_before_action",
    prompt=(
        "I'm planning this week's loads. Counting every stage together, how many units does"
        " Lowell Spinners have on order with us right now?"
    ),
    target_facts=[_LOWELL_SPINNERS],
    target_numbers=[NumberFact(20)],
    requires_tool_use=True,
    must_call=["client_lookup", "order_query"],
    order_matters=True,
    failure_cost=MEDIUM_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

field_scope_inference = Scenario(
    name="field_scope_inference",
    prompt=(
        "I want to drop Lowell Spinners a short thank-you note. Which email address do we have for"
        " them?"
    ),
    target_facts=[["ops@lowellspinners.example"]],
    requires_tool_use=True,
    must_call=["client_lookup"],
    failure_cost=LOW_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

wrong_tool_correction = Scenario(
    name="wrong_tool_correction",
    prompt=(
        "What does our catalogue say about SKU B001AAA? I need the product's name, how it is"
        " described, and the brand it is sold under."
    ),
    target_facts=[
        ["Spinners Jersey - Home", "Spinners Jersey"],
        ["machine washable", "SpinnersGear"],
    ],
    requires_tool_use=True,
    must_call=["product_lookup"],
    forbidden_calls=["order_report", "order_query"],
    failure_cost=LOW_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

investigate_before_export = Scenario(
    name="investigate_before_export",
    prompt=(
        "Please get me everything Lowell Spinners has on order as a CSV file, the whole list, and"
        " give me the link to it."
    ),
    target_facts=[_LOWELL_SPINNERS, CSV_DELIVERY_MARKERS],
    requires_tool_use=True,
    must_call=["client_lookup"],
    failure_cost=MEDIUM_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

export_customer_products = Scenario(
    name="export_customer_products",
    prompt=(
        "Can you make me a CSV of the items that belong to Lowell Spinners? Only theirs, please;"
        " no other client's items should be in the file."
    ),
    target_facts=[_LOWELL_SPINNERS, CSV_DELIVERY_MARKERS],
    requires_tool_use=True,
    must_call=["client_lookup"],
    failure_cost=MEDIUM_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

bulk_table_to_csv = Scenario(
    name="bulk_table_to_csv",
    prompt=(
        "Give me a table of every SKU that Seattle Steelheads has in Storage, with the quantity of"
        " each. All of them, none left out."
    ),
    target_facts=[
        ["ACC-STLH-001", "Seattle Steelheads", "Steelheads"],
        CSV_DELIVERY_MARKERS,
    ],
    requires_tool_use=True,
    must_call=["client_lookup"],
    failure_cost=MEDIUM_VISIBLE,
    facts_must_be_asserted=True,
    tool_use_must_succeed=True,
    tags=[DIM_TAG],
)

TOOL_AFFORDANCE_SCENARIOS: Final = [
    lookup_before_action,
    field_scope_inference,
    wrong_tool_correction,
    investigate_before_export,
    export_customer_products,
    bulk_table_to_csv,
]
