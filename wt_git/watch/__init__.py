"""Following a sweep by the events it writes (docs/following-a-sweep.md)."""
