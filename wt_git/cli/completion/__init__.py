"""Completion in the shell: the scripts, and the answers of `wt __complete` on every TAB."""
