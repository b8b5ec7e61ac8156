"""Git repositories, through the git program (docs/architecture.md). Knows nothing of sweeps."""
