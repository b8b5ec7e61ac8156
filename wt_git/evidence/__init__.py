"""What recorded experiments mean for a state of the code (docs/architecture.md)."""
