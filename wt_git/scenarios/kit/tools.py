"""The tools that most dimensions serve, over the dimension's own rows.

An answer is an object whose `result` is a JSON text of the answer proper, as the systems behind
these mocks send it. A tabular answer adds `columns`, `rows` and `schemaVersion`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from wt_git.scenarios.kit.facts import STAGES, tally, tally_by_stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wt_git.scenarios.kit.facts import FactBase


def envelope(inner: Mapping[str, Any]) -> dict[str, Any]:
    """Return `inner` as an answer without a table."""
    return {"result": json.dumps(inner, ensure_ascii=False)}


def table(
    inner: Mapping[str, Any], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return `inner` as an answer with a table; each row's values are in the columns' order."""
    return {
        **envelope(inner),
        "columns": list(columns),
        "rows": [[row.get(column) for column in columns] for row in rows],
        "schemaVersion": 1,
    }


def page(
    found: Sequence[dict[str, Any]], *, limit: int, offset: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of one page, and its `pagination` object."""
    start, size = max(offset, 0), max(limit, 0)
    shown = list(found[start : start + size])
    return shown, {
        "offset": start,
        "limit": size,
        "returned": len(shown),
        "matchedCount": len(found),
        "hasMore": start + size < len(found),
    }


# Parameter names are part of the tools' schema, in the spelling of the mocked systems.
# ruff: noqa: N803


_CLIENT_COLUMNS: Final = (
    "id",
    "name",
    "status",
    "clientContactName",
    "clientEmail",
    "clientPhone",
)
_ORDER_COLUMNS: Final = ("orderId", "sku", "itemName", "stage", "quantity", "clientName")
_REPORT_COLUMNS: Final = ("stage", "count", "quantity")
_RESOLVE_FIRST: Final = (
    "Nothing matched. Names are not accepted here: find the client's exact id with client_lookup"
    " and ask again with that."
)

_DELIVERY: Final = (
    " deliver_as is handled by the gateway: 'csv' starts an export whose link arrives separately."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a mock server: its bare name, its function, and its description for the agent.

    `failing` has a function of the same arguments for each failure mode that this tool shows in its
    own way.
    """

    name: str
    function: Callable[..., Any]
    description: str
    failing: Mapping[str, Callable[..., dict[str, Any]]] = field(default_factory=dict)


def client_lookup(facts: FactBase) -> Tool:
    """Return the lenient lookup, the only tool that accepts a client's name."""

    def look_up(
        query: str = "",
        *,
        clientStatus: str | None = None,
        excludeArchived: bool = False,
        limit: int = 10,
        offset: int = 0,
        deliver_as: str | None = None,  # noqa: ARG001 - for the gateway
    ) -> dict[str, Any]:
        found = facts.find_clients(query, clientStatus, excludeArchived)
        shown, pagination = page(found, limit=limit, offset=offset)
        inner = {
            "matches": shown,
            "filter": {
                "query": query.strip() or None,
                "clientStatus": clientStatus,
                "excludeArchived": excludeArchived,
            },
            "pagination": pagination,
            "note": _match_note(found),
        }
        return table(inner, _CLIENT_COLUMNS, shown)

    return Tool(
        "client_lookup",
        look_up,
        "Find clients by any part of their name or id, in any case, and get their exact id, status,"
        " contact name, email and phone. A partial name works and may match several clients; an"
        " empty query lists all. Use it first: other tools need the exact id." + _DELIVERY,
    )


def order_query(facts: FactBase) -> Tool:
    """Return the strict query for single orders and their totals."""
    return Tool(
        "order_query",
        _order_query(facts),
        "List orders and their total quantity. Filters are exact: client must be a client's id (a"
        " name yields nothing; resolve it with client_lookup), sku and stage must match exactly"
        f" (stages: {', '.join(STAGES)}). groupBy 'stage' adds totals per stage; summary.total"
        " covers all matches, also those on other pages." + _DELIVERY,
        {"empty_unexpected": _order_query(_without_orders(facts)), "schema_error": _rejected_stage},
    )


def _order_query(facts: FactBase) -> Callable[..., dict[str, Any]]:
    def query(
        client: str | None = None,
        sku: str | None = None,
        stage: str | None = None,
        *,
        clientStatus: str | None = None,
        excludeArchived: bool = False,
        groupBy: str = "none",
        metric: str = "quantity",
        limit: int = 50,
        offset: int = 0,
        deliver_as: str | None = None,  # noqa: ARG001 - for the gateway
    ) -> dict[str, Any]:
        found = facts.query_orders(
            client, sku, stage, client_status=clientStatus, exclude_archived=excludeArchived
        )
        shown, pagination = page(found, limit=limit, offset=offset)
        grouped = groupBy if groupBy != "none" else None
        inner = {
            "filter": {
                "sku": sku,
                "client": client,
                "stage": stage,
                "clientStatus": clientStatus,
                "excludeArchived": excludeArchived,
            },
            "groupBy": groupBy,
            "metric": metric,
            "summary": {
                "by": grouped,
                "buckets": tally_by_stage(found) if grouped == "stage" else {},
                "total": tally(found),
                "bucketsTruncated": False,
            },
            "orders": shown,
            "pagination": pagination,
            "note": _order_note(found),
        }
        return table(inner, _ORDER_COLUMNS, shown)

    return query


def order_report(facts: FactBase) -> Tool:
    """Return the strict report on one article over all stages."""
    return Tool(
        "order_report",
        _order_report(facts),
        "Count the orders of one sku per stage, for all clients or for one. The sku must match"
        " exactly and client must be an exact client id; anything else, a name for one, yields"
        " zeros. For what a product is, use product_lookup." + _DELIVERY,
        {"empty_unexpected": _order_report(_without_orders(facts))},
    )


def _order_report(facts: FactBase) -> Callable[..., dict[str, Any]]:
    def report(
        sku: str,
        client: str | None = None,
        deliver_as: str | None = None,  # noqa: ARG001 - for the gateway
    ) -> dict[str, Any]:
        counted = facts.order_report(sku, client)
        inner = {
            "filter": {"sku": sku, "client": client},
            **counted,
            "note": _order_note(facts.query_orders(client, sku)),
        }
        rows = [{"stage": stage, **numbers} for stage, numbers in counted["byStage"].items()]
        return table(inner, _REPORT_COLUMNS, rows)

    return report


def product_lookup(facts: FactBase) -> Tool:
    """Return the strict lookup in the catalogue."""

    def look_up(
        sku: str,
        deliver_as: str | None = None,  # noqa: ARG001 - for the gateway
    ) -> dict[str, Any]:
        product = facts.find_product(sku)
        if product is None:
            note = f"The catalogue has no article with the exact sku {sku!r}."
            return envelope({"sku": sku, "found": False, "note": note})
        return envelope(
            {"sku": sku, "found": True, "product": product, "note": "1 article matched."}
        )

    return Tool(
        "product_lookup",
        look_up,
        "Get the catalogue entry of one product by its exact sku: name, description, brand,"
        " distributor and whether it is a bundle. It says nothing about orders or stock; a name"
        " yields nothing." + _DELIVERY,
    )


def common_tools(facts: FactBase) -> list[Tool]:
    """Return the four tools of the shared set, over `facts`."""
    return [client_lookup(facts), order_query(facts), order_report(facts), product_lookup(facts)]


def _match_note(found: list[dict[str, Any]]) -> str:
    if not found:
        return "No client matched. Try a shorter part of the name, or an empty query to list all."
    return f"{len(found)} client(s) matched."


def _order_note(found: list[dict[str, Any]]) -> str:
    return f"{len(found)} order(s) matched." if found else _RESOLVE_FIRST


def _without_orders(facts: FactBase) -> FactBase:
    return replace(facts, orders=())


def _rejected_stage(stage: str | None = None, **_: object) -> dict[str, Any]:
    return {
        "rejected": True,
        "error": f"Schema validation error: order_query does not accept stage={stage!r};"
        f" valid stages are {', '.join(STAGES)}",
    }
