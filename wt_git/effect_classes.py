"""Effect classes of tool calls, and the autonomy that an agent gets for each.

The values of `Policy.effect_class`; see docs/writing-a-scenario.md, "Effect classes".
"""

from __future__ import annotations

from enum import Enum


class EffectClass(Enum):
    """The effect of a tool call on the world, from reading it to destroying a part of it."""

    READ = "read"
    DRAFT = "draft"
    INTERNAL_UPDATE = "internal_update"
    EXTERNAL_SEND = "external_send"
    DESTRUCTIVE = "destructive"


AUTONOMOUS: frozenset[EffectClass] = frozenset({EffectClass.READ, EffectClass.DRAFT})
"""Effects an agent may have without asking."""

APPROVAL_REQUIRED: frozenset[EffectClass] = frozenset(
    {EffectClass.INTERNAL_UPDATE, EffectClass.EXTERNAL_SEND}
)
"""Effects an agent may have after an approval."""

FORBIDDEN_OR_EXPLICIT_APPROVAL: frozenset[EffectClass] = frozenset({EffectClass.DESTRUCTIVE})
"""Effects an agent may not have, unless this very act was approved."""


class EffectPolicy(dict[EffectClass, str]):
    """The autonomy for each effect class, as a plain mapping that a bench may edit."""

    @classmethod
    def default(cls) -> EffectPolicy:
        """Return the autonomy of the three constants above, one entry per class."""
        return cls(
            {
                **dict.fromkeys(AUTONOMOUS, "autonomous"),
                **dict.fromkeys(APPROVAL_REQUIRED, "approval_required"),
                **dict.fromkeys(FORBIDDEN_OR_EXPLICIT_APPROVAL, "forbidden_or_explicit_approval"),
            }
        )
