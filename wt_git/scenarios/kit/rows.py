"""The kinds of row that mock tools answer from, and the names their fields have on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

STAGES: Final = ("Intake", "Checked In", "Storage", "Client Outbound", "Shipped")
"""The stages of an order, in the order in which it passes them."""


@dataclass(frozen=True, slots=True)
class Client:
    """A customer. `id` is what strict tools want; names only work in a lookup."""

    id: str
    name: str
    contact: str
    email: str
    phone: str
    status: str = "active"
    archived: bool = False

    def row(self) -> dict[str, Any]:
        """Return the client as tools send it."""
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
    description: str
    brand: str
    distributor: str
    bundle: bool = False

    def row(self) -> dict[str, Any]:
        """Return the product as tools send it."""
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
    """A quantity of one article that a client has ordered, and where it is now."""

    id: str
    sku: str
    item: str
    client: Client
    stage: str
    quantity: int
    work_queue: str
    batch: str | None = None

    def row(self) -> dict[str, Any]:
        """Return the order as tools send it."""
        row = {
            "orderId": self.id,
            "sku": self.sku,
            "itemName": self.item,
            "client": self.client.id,
            "clientName": self.client.name,
            "stage": self.stage,
            "quantity": self.quantity,
            "workQueue": self.work_queue,
        }
        return row if self.batch is None else {**row, "batchLocation": self.batch}
