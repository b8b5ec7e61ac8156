"""The fact base, tools and mock server that the built-in dimensions share."""
