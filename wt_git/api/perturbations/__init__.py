"""Adverse conditions: a history that misleads, tools that misbehave, and edits of saved traces.

docs/writing-a-scenario.md, "Perturbations", describes each. As in `wt_git.api`, the names are
resolved on first use: every run looks for tools that misbehave, and few know another condition.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in `wt_git.api`
if TYPE_CHECKING:
    from typing import Any

    from wt_git.api.perturbations.prior_calls import (
        InjectPaginationTruncation,
        InjectSchemaRejectedCall,
        InjectWrongPriorToolCall,
        MalformedToolCall,
    )
    from wt_git.api.perturbations.prior_context import (
        BlankAssistantContent,
        FallbackRenderLeak,
        InjectStaleMemory,
    )
    from wt_git.api.perturbations.tool_failures import (
        ToolReturnsEmptyUnexpected,
        ToolReturnsMalformedJson,
        ToolReturnsSchemaError,
        ToolTimeoutPerScenario,
    )
    from wt_git.api.perturbations.trace_only import (
        CorruptPriorAssistantTurn,
        ToolReturnsMalformed,
        ToolTimeout,
    )

_HOME = {
    "BlankAssistantContent": "prior_context",
    "CorruptPriorAssistantTurn": "trace_only",
    "FallbackRenderLeak": "prior_context",
    "InjectPaginationTruncation": "prior_calls",
    "InjectSchemaRejectedCall": "prior_calls",
    "InjectStaleMemory": "prior_context",
    "InjectWrongPriorToolCall": "prior_calls",
    "MalformedToolCall": "prior_calls",
    "ToolReturnsEmptyUnexpected": "tool_failures",
    "ToolReturnsMalformed": "trace_only",
    "ToolReturnsMalformedJson": "tool_failures",
    "ToolReturnsSchemaError": "tool_failures",
    "ToolTimeout": "trace_only",
    "ToolTimeoutPerScenario": "tool_failures",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
