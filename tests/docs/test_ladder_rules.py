"""The page that maps the ladder's rules to tests names tests that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "docs/ladder-rules.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)))


@cache
def defined_in(name: str) -> set[str]:
    """Return the names of the test functions and classes' tests in a file below `tests/`."""
    tree = ast.parse((TESTS / name).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_a_named_test_is_there() -> None:
    """A rule whose test was renamed or removed would look held."""
    assert [(name, test) for name, test in NAMED if test not in defined_in(name)] == []


def test_every_rule_names_a_test() -> None:
    """A row without one is a rule that nobody holds."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    rules = [line for line in rows if not line.startswith(("| Rule", "| ---"))]
    assert len(rules) > 60
    assert [line for line in rules if "::test_" not in line] == []
