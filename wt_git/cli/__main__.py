"""`python -m wt_git.cli`."""

from wt_git.cli import entry

entry()
