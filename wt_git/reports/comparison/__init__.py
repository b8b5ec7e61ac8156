"""What `wt compare` shows."""
