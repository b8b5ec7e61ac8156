"""Adverse conditions: a history that misleads, tools that misbehave, and edits of saved traces.

docs/writing-a-scenario.md, "Perturbations", describes each.
"""

from wt_git.api.perturbations.environment import (
    ToolReturnsEmptyUnexpected,
    ToolReturnsMalformedJson,
    ToolReturnsSchemaError,
    ToolTimeoutPerScenario,
)
from wt_git.api.perturbations.hindsight import (
    CorruptPriorAssistantTurn,
    ToolReturnsMalformed,
    ToolTimeout,
)
from wt_git.api.perturbations.memory import InjectStaleMemory
from wt_git.api.perturbations.prior_calls import (
    InjectPaginationTruncation,
    InjectSchemaRejectedCall,
    InjectWrongPriorToolCall,
    MalformedToolCall,
)
from wt_git.api.perturbations.prior_text import BlankAssistantContent, FallbackRenderLeak

__all__ = [
    "BlankAssistantContent",
    "CorruptPriorAssistantTurn",
    "FallbackRenderLeak",
    "InjectPaginationTruncation",
    "InjectSchemaRejectedCall",
    "InjectStaleMemory",
    "InjectWrongPriorToolCall",
    "MalformedToolCall",
    "ToolReturnsEmptyUnexpected",
    "ToolReturnsMalformed",
    "ToolReturnsMalformedJson",
    "ToolReturnsSchemaError",
    "ToolTimeout",
    "ToolTimeoutPerScenario",
]
