"""The rows that mock tools answer from, the questions tools ask of them, and the shared rows.

A dimension takes its rows from here and replaces fields where it must. Two clients are called
Lowell, so that a question about "Lowell" needs a lookup first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

STAGES: Final = ("Intake", "Checked In", "Storage", "Client Outbound", "Shipped")
"""The stages of an order, in the order in which it passes them."""


@dataclass(frozen=True, slots=True)
class Client:
    """A customer. Strict tools need the `id`; names only work in a lookup."""

    id: str
    name: str
    contact: str
    email: str
    phone: str
    status: str = "active"
    archived: bool = False

    def row(self) -> dict[str, Any]:
        """Return the client as JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "clientContactName": self.contact,
            "clientEmail": self.email,
            "clientPhone": self.phone,
            "archived": self.archived,
        }


@dataclass(frozen=True, slots=True)
class Product:
    """An article of the catalogue."""

    sku: str
    name: str
    description: str = ""
    brand: str = ""
    distributor: str = ""
    bundle: bool = False

    def row(self) -> dict[str, Any]:
        """Return the product as JSON."""
        return {
            "sku": self.sku,
            "name": self.name,
            "description": self.description,
            "brand": self.brand,
            "distributor": self.distributor,
            "bundle": self.bundle,
        }


@dataclass(frozen=True, slots=True)
class Order:
    """A quantity of one article that a client has ordered, and its stage."""

    id: str
    product: Product
    client: Client
    stage: str
    quantity: int
    work_queue: str
    batch: str | None = None

    def row(self) -> dict[str, Any]:
        """Return the order as JSON."""
        row = {
            "orderId": self.id,
            "sku": self.product.sku,
            "itemName": self.product.name,
            "client": self.client.id,
            "clientName": self.client.name,
            "stage": self.stage,
            "quantity": self.quantity,
            "workQueue": self.work_queue,
        }
        return row if self.batch is None else {**row, "batchLocation": self.batch}


@dataclass(frozen=True, slots=True)
class FactBase:
    """The rows of one dimension. Every answer has new rows that a caller may change."""

    clients: tuple[Client, ...]
    orders: tuple[Order, ...] = ()
    products: tuple[Product, ...] = ()

    def find_clients(
        self,
        query: str = "",
        client_status: str | None = None,
        exclude_archived: bool = False,  # noqa: FBT001, FBT002 - passed by position too
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

        The case of the id does not count. A name finds no order.
        """
        found = [
            order.row()
            for order in self.orders
            if _is_client(order, client)
            and sku in {None, order.product.sku}
            and stage in {None, order.stage}
            and _is_wanted(order.client, client_status, exclude_archived=exclude_archived)
        ]
        start = max(offset, 0)
        return found[start:] if limit is None else found[start : start + max(limit, 0)]

    def order_report(self, sku: str, client: str | None = None) -> dict[str, Any]:
        """Return `byStage`, with every stage, and `total`: the number of orders and their quantity."""
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
    """Return the number of orders and their total quantity."""
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


LOWELL_SPINNERS: Final = Client(
    "ACC-LSPN-001", "Lowell Spinners", "Joe Marsh", "ops@lowellspinners.example", "+1-555-0101"
)
LOWELL_CONCESSIONS: Final = Client(
    "ACC-LSPN-002",
    "Lowell Concessions",
    "Jane Concession",
    "accounts@lowellspinners.example",
    "+1-555-0102",
)
PORTLAND_PICKLES: Final = Client(
    "ACC-PORT-001", "Portland Pickles", "Pete Pickle", "pete@portlandpickles.example", "+1-555-0201"
)
CHICAGO_CUBS: Final = Client(
    "ACC-CHIC-001", "Chicago Cubs", "Ron Bleacher", "ron@cubs.example", "+1-555-0301"
)
SEATTLE_STEELHEADS: Final = Client(
    "ACC-STLH-001", "Seattle Steelheads", "Sam Steel", "sam@steelheads.example", "+1-555-0401"
)

SPINNERS_JERSEY: Final = Product(
    "B001AAA",
    "Spinners Jersey - Home",
    "Official home jersey, machine washable.",
    "SpinnersGear",
    "Mike's Apparel",
)
SPINNERS_CAP: Final = Product(
    "B002BBB",
    "Spinners Cap - Adjustable",
    "Adjustable strapback cap with team logo.",
    "SpinnersGear",
    "Mike's Apparel",
)

SPINNERS_JERSEYS_IN_INTAKE: Final = Order(
    "ORD-1001", SPINNERS_JERSEY, LOWELL_SPINNERS, "Intake", 12, "Q-INTAKE-1", "BATCH-2026-04"
)
SPINNERS_CAPS_IN_INTAKE: Final = Order(
    "ORD-1002", SPINNERS_CAP, LOWELL_SPINNERS, "Intake", 8, "Q-INTAKE-2", "BATCH-2026-04"
)
CONCESSIONS_JERSEYS_IN_STORAGE: Final = Order(
    "ORD-2001", SPINNERS_JERSEY, LOWELL_CONCESSIONS, "Storage", 3, "Q-STORAGE-1", "BATCH-2026-05"
)
CUBS_PENNANTS_IN_STORAGE: Final = Order(
    "ORD-4001",
    Product("B005EEE", "Cubs World Series Pennant"),
    CHICAGO_CUBS,
    "Storage",
    100,
    "Q-STORAGE-3",
    "BATCH-2026-06",
)
