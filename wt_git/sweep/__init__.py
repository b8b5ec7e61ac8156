"""Many scenarios: what is asked, found, selected, scheduled and recorded (docs/architecture.md)."""
