"""Recorded conversations of other systems, as `*.wtin.json` carries them.

docs/importing.md has the format. Reading is strict, and what was read is a value.
"""

from wt_git.api.interchange.conversation import INTERCHANGE_VERSION as INTERCHANGE_VERSION
from wt_git.api.interchange.conversation import InterchangeFormatError as InterchangeFormatError
from wt_git.api.interchange.conversation import InterchangeMessage as InterchangeMessage
from wt_git.api.interchange.conversation import InterchangePart as InterchangePart
from wt_git.api.interchange.conversation import (
    InterchangeToolDefinition as InterchangeToolDefinition,
)
from wt_git.api.interchange.conversation import InterchangeTrace as InterchangeTrace
from wt_git.api.interchange.conversation import InterchangeWitnessedCall as InterchangeWitnessedCall
from wt_git.api.interchange.conversation import TextPart as TextPart
from wt_git.api.interchange.conversation import ToolCallPart as ToolCallPart
from wt_git.api.interchange.conversation import ToolCallResponsePart as ToolCallResponsePart
from wt_git.api.interchange.conversation import build_envelope as build_envelope
from wt_git.api.interchange.conversation import lint_interchange as lint_interchange
from wt_git.api.interchange.conversation import load_interchange as load_interchange
from wt_git.api.interchange.conversation import parse_interchange as parse_interchange
