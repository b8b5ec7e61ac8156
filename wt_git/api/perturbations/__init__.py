"""Adverse conditions: misleading histories, failing tools, and edits of saved traces.

docs/writing-a-scenario.md, "Perturbations", describes each. As in `wt_git.api`, a name is loaded on
first use: every run needs the tool failures, and few need another condition.
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
        CorruptPriorAssistantTurn,
        FallbackRenderLeak,
        InjectStaleMemory,
        ToolReturnsMalformed,
        ToolTimeout,
    )
    from wt_git.api.perturbations.tool_failures import (
        ToolReturnsEmptyUnexpected,
        ToolReturnsMalformedJson,
        ToolReturnsSchemaError,
        ToolTimeoutPerScenario,
    )

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
_MODULES = ("prior_context", "prior_calls", "tool_failures")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _MODULES:
            found = vars(importlib.import_module(f"{__name__}.{module}")).get(name)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
