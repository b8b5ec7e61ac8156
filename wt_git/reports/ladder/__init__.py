"""What `wt results --ladder` shows."""
