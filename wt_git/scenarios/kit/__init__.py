"""What the built-in dimensions share: one fact base, one set of tools, one way to serve them."""
