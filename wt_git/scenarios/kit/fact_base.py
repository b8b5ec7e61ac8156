"""Questions that mock tools ask of a dimension's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.scenarios.kit.rows import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.scenarios.kit.rows import Client, Order, Product


@dataclass(frozen=True, slots=True)
class FactBase:
    """The rows of one dimension. Every answer is made of fresh rows that a caller may change."""

    clients: tuple[Client, ...]
    orders: tuple[Order, ...] = ()
    products: tuple[Product, ...] = ()

    def find_clients(
        self,
        query: str = "",
        client_status: str | None = None,
        exclude_archived: bool = False,  # noqa: FBT001, FBT002 - asked by position too
    ) -> list[dict[str, Any]]:
        """Return the clients whose id or name contains `query`; a blank query finds all."""
        wanted = query.strip().casefold()
        return [
            client.row()
            for client in self.clients
            if wanted in f"{client.id} {client.name}".casefold()
            and _is_wanted(client, client_status, exclude_archived=exclude_archived)
        ]

    def query_orders(
        self,
        client: str | None = None,
        sku: str | None = None,
        stage: str | None = None,
        *,
        client_status: str | None = None,
        exclude_archived: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[dict[str, Any]]:
        """Return the orders of the client with exactly this id, this sku, this stage.

        Only the case of the id is forgiven: a name finds nothing.
        """
        found = [
            order.row()
            for order in self.orders
            if _is_client(order, client)
            and sku in {None, order.sku}
            and stage in {None, order.stage}
            and _is_wanted(order.client, client_status, exclude_archived=exclude_archived)
        ]
        start = max(offset, 0)
        return found[start:] if limit is None else found[start : start + max(limit, 0)]

    def order_report(self, sku: str, client: str | None = None) -> dict[str, Any]:
        """Return `byStage`, with every stage, and `total`: how many orders, how large together."""
        found = self.query_orders(client, sku)
        by_stage = tally_by_stage(found)
        return {
            "byStage": {stage: by_stage.get(stage, tally([])) for stage in STAGES},
            "total": tally(found),
        }

    def find_product(self, sku: str) -> dict[str, Any] | None:
        """Return the product with exactly this sku."""
        return next((product.row() for product in self.products if product.sku == sku), None)


def tally(orders: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Return how many orders there are, and their quantity together."""
    quantities = [order["quantity"] for order in orders]
    return {"count": len(quantities), "quantity": sum(quantities)}


def tally_by_stage(orders: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return a tally for each stage that occurs, in the order of the stages."""
    return {
        stage: tally(order for order in orders if order["stage"] == stage)
        for stage in STAGES
        if any(order["stage"] == stage for order in orders)
    }


def _is_client(order: Order, client: str | None) -> bool:
    return client is None or order.client.id.casefold() == client.casefold()


def _is_wanted(client: Client, status: str | None, *, exclude_archived: bool) -> bool:
    return status in {None, client.status} and not (exclude_archived and client.archived)
