"""The structure of the package stays readable: `kit/figures.py` prints the same figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from kit.figures import Module, cycles, read_modules, vague_per_thousand

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    return read_modules(CHECKOUT)


def test_docstrings_use_plain_words(modules):
    """Words such as `whoever` and `what` make a reader stop; a few are right."""
    assert vague_per_thousand(modules) <= 8


def test_no_module_imports_itself_through_others(modules):
    """Imports for types only and imports inside functions count."""
    assert cycles(modules) == []


def test_a_module_is_one_subject(modules):
    """A module over 480 lines has a second one in it."""
    assert [f"{one.name}: {one.lines}" for one in modules if one.lines > 480] == []


def test_a_folder_fits_on_a_screen(modules):
    """A folder with more modules than that holds two subjects."""
    sizes = Counter(one.path.parent for one in modules)
    assert [str(folder) for folder, size in sizes.items() if size > 22] == []
