"""What `wt init` records in the repository's own configuration."""

from __future__ import annotations

PYTHON = "windtunnel.python"
"""The interpreter that hooks run with."""

REMOTE = "windtunnel.remote"
"""The remote that notes are pushed to."""
