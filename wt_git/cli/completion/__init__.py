"""Completion in the shell: the scripts, and what they ask `wt __complete` on every TAB."""
