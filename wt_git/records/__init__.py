"""Every document under the runs directory: its model, its reader, its writer (docs/files.md)."""
