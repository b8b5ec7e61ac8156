"""One scenario on one agent: shape messages, send, collect evidence, score.

docs/architecture.md, "One batch", gives the order of steps; `batch` and `run` follow it.
"""
