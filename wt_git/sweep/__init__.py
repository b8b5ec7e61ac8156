"""A sweep: scenarios are selected, admitted, run and recorded (docs/architecture.md)."""
