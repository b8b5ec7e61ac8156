"""What `wt triage` shows."""
