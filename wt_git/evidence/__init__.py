"""Evidence in git: fingerprints, notes, and the coverage of commits (docs/architecture.md)."""
