"""The shared fact base. A dimension picks its rows from here, and replaces fields where it must.

Two clients are called Lowell: whoever is asked about "Lowell" has to find out which.
"""

from __future__ import annotations

from typing import Final

from wt_git.scenarios.kit.rows import Client, Order, Product

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
    "ORD-1001",
    SPINNERS_JERSEY.sku,
    SPINNERS_JERSEY.name,
    LOWELL_SPINNERS,
    "Intake",
    12,
    "Q-INTAKE-1",
    "BATCH-2026-04",
)
SPINNERS_CAPS_IN_INTAKE: Final = Order(
    "ORD-1002",
    SPINNERS_CAP.sku,
    SPINNERS_CAP.name,
    LOWELL_SPINNERS,
    "Intake",
    8,
    "Q-INTAKE-2",
    "BATCH-2026-04",
)
CONCESSIONS_JERSEYS_IN_STORAGE: Final = Order(
    "ORD-2001",
    SPINNERS_JERSEY.sku,
    SPINNERS_JERSEY.name,
    LOWELL_CONCESSIONS,
    "Storage",
    3,
    "Q-STORAGE-1",
    "BATCH-2026-05",
)
CUBS_PENNANTS_IN_STORAGE: Final = Order(
    "ORD-4001",
    "B005EEE",
    "Cubs World Series Pennant",
    CHICAGO_CUBS,
    "Storage",
    100,
    "Q-STORAGE-3",
    "BATCH-2026-06",
)
