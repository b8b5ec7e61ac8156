"""From records to documents (docs/architecture.md)."""
