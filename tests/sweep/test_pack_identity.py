"""Packs of one name from different sources."""

from __future__ import annotations

import pytest
from kit.gate_histories import History

from wt_git.sweep.gate_check import is_of_another_pack, pack_files, pack_sources

SHOP = {"pack_source:packs/shop.py:PACK": "packs/shop.py"}
DESK = {"pack_source:packs/desk.py:PACK": "packs/desk.py"}
EASY = {"pack_source:packs/easy.py:PACK": "packs/easy.py"}


def is_another(recorded: dict[str, str], asked: dict[str, str]) -> bool:
    history = History()
    history.focused("refund", x_sources=recorded)
    (row,) = history.rows()
    return is_of_another_pack(row, pack_sources(asked))


@pytest.mark.parametrize(
    ("recorded", "asked", "expected"),
    [
        (SHOP, SHOP, False),
        (SHOP, EASY, True),
        (SHOP | DESK, SHOP, False),
        (SHOP, SHOP | DESK, False),
        (SHOP | DESK, DESK | EASY, False),
        ({}, SHOP, False),
        (SHOP, {}, False),
        ({"soul": "packs/shop.py"}, SHOP, False),
    ],
)
def test_one_source_in_common_is_enough(
    recorded: dict[str, str], asked: dict[str, str], *, expected: bool
) -> None:
    """A sweep of several packs and one of a single pack may share it; no source says nothing."""
    assert is_another(recorded, asked) is expected


def test_a_source_is_its_path_in_the_tree_and_its_attribute() -> None:
    """How the path was typed does not matter, unless the file is outside of the tree."""
    moved = {"pack_source:../packs/shop.py:PACK": "packs/shop.py"}
    outside = {"pack_source:/tmp/shop.py:PACK": "outside"}
    assert pack_sources(moved) == pack_sources(SHOP) == {"packs/shop.py:PACK"}
    assert pack_sources(outside) == {"/tmp/shop.py:PACK"}
    assert pack_files(SHOP | outside) == {"packs/shop.py", "/tmp/shop.py"}
