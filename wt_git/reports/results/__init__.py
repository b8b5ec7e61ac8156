"""What `wt results` shows."""
