"""Mock tools as real MCP servers, and the evidence of every call that reached them.

Found by name, never imported by scenarios or runtimes: docs/architecture.md, "Layers".
"""
