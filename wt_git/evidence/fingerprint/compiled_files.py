"""Files that Python compiles from source: in no snapshot, tracked or not."""

from __future__ import annotations

SUFFIXES = (".pyc", ".pyo")
"""Ends of the names of such files."""

PATTERNS = tuple(f"**/*{suffix}" for suffix in SUFFIXES)
"""Patterns that match them."""
