"""One module per command: it parses, calls one layer below, prints, and decides nothing."""
