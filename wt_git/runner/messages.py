"""Which messages the agent is sent for a turn; docs/writing-a-scenario.md, "Conversations"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.scenario import PreSendPerturbation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Turn
    from wt_git.spi.agent_runtime import Message


def user_texts(scenario: Scenario) -> list[str]:
    """Return the user side of the conversation, in order; at least one text."""
    return list(scenario.user_turns) or [scenario.scored_prompt]


def pre_send_perturbations(scenario: Scenario) -> list[PreSendPerturbation]:
    """Return the perturbations that shape the history, in declared order, known by their class."""
    return [p for p in scenario.perturbations if isinstance(p, PreSendPerturbation)]


def conversation(
    history: Iterable[Mapping[str, Any]], turns: Iterable[Turn], user_text: str
) -> list[Message]:
    """Return frozen history, then the live texts so far, then the new user text.

    Every message is a fresh object, so a driver that edits what it is given spoils no later turn.
    """
    return [
        *(dict(message) for message in history),
        *({"role": turn.role, "content": turn.content} for turn in turns),
        {"role": "user", "content": user_text},
    ]


def shaped(
    messages: list[Message], perturbations: Sequence[PreSendPerturbation], scenario: Scenario
) -> list[Message]:
    """Return `messages` after every history-shaping perturbation, in declared order."""
    for perturbation in perturbations:
        messages = perturbation.shape_messages(messages, scenario)
    return messages
