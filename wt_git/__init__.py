"""Wind Tunnel: a Git-native bench for tool-using AI agents."""

__version__ = "0.1.0"
