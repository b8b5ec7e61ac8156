"""`python -m wt_git`."""

from wt_git.cli import entry

entry()
