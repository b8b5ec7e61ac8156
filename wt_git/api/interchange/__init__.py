"""Recorded conversations of other systems, as `*.wtin.json` carries them.

docs/importing.md has the format. Reading is strict, and what was read is a value.
"""

from wt_git.api.interchange.conversation import (
    INTERCHANGE_VERSION,
    InterchangeFormatError,
    InterchangeMessage,
    InterchangePart,
    InterchangeToolDefinition,
    InterchangeTrace,
    InterchangeWitnessedCall,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    build_envelope,
)
from wt_git.api.interchange.parsing import lint_interchange, load_interchange, parse_interchange

__all__ = [
    "INTERCHANGE_VERSION",
    "InterchangeFormatError",
    "InterchangeMessage",
    "InterchangePart",
    "InterchangeToolDefinition",
    "InterchangeTrace",
    "InterchangeWitnessedCall",
    "TextPart",
    "ToolCallPart",
    "ToolCallResponsePart",
    "build_envelope",
    "lint_interchange",
    "load_interchange",
    "parse_interchange",
]
