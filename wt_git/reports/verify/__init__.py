"""What `wt verify` writes for other services."""
