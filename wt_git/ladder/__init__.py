"""Decisions about experiments, as pure functions over records (docs/architecture.md)."""
