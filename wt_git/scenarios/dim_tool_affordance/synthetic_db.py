"""The dimension's rows: shared rows, and one client with a page of articles in stock."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from wt_git.scenarios.kit import facts

_STEELHEADS_ARTICLES: Final = (
    "Home Jersey",
    "Away Jersey",
    "Cap - Fitted",
    "Cap - Snapback",
    "Beanie",
    "Hoodie - Navy",
    "Hoodie - Gray",
    "Tee - Logo",
    "Tee - Retro",
    "Socks",
    "Scarf",
    "Foam Finger",
    "Pennant",
    "Mini Bat",
    "Bobblehead",
    "Travel Mug",
    "Water Bottle",
    "Keychain",
    "Sticker Pack",
    "Tote Bag",
)


def _steelheads_order(place: int, article: str) -> facts.Order:
    return facts.Order(
        id=f"ORD-STL-{3001 + place}",
        product=facts.Product(f"B2{place:02}STL", f"Steelheads {article}"),
        client=facts.SEATTLE_STEELHEADS,
        stage="Storage",
        quantity=5 + 7 * place % 43,
        work_queue=f"Q-STORAGE-{place:02}",
        batch="BATCH-2026-06",
    )


FACTS: Final = facts.FactBase(
    clients=(
        facts.LOWELL_SPINNERS,
        facts.LOWELL_CONCESSIONS,
        facts.PORTLAND_PICKLES,
        facts.CHICAGO_CUBS,
        facts.SEATTLE_STEELHEADS,
    ),
    orders=(
        facts.SPINNERS_JERSEYS_IN_INTAKE,
        facts.SPINNERS_CAPS_IN_INTAKE,
        facts.CONCESSIONS_JERSEYS_IN_STORAGE,
        replace(facts.CUBS_PENNANTS_IN_STORAGE, work_queue="Q-STORAGE-2"),
        *(_steelheads_order(place, article) for place, article in enumerate(_STEELHEADS_ARTICLES)),
    ),
    products=(facts.SPINNERS_JERSEY, facts.SPINNERS_CAP),
)

CLIENTS: Final = [client.row() for client in FACTS.clients]
ORDERS: Final = [order.row() for order in FACTS.orders]
PRODUCTS: Final = [product.row() for product in FACTS.products]
VALID_STAGES: Final = list(facts.STAGES)

find_clients = FACTS.find_clients
query_orders = FACTS.query_orders
order_report = FACTS.order_report
