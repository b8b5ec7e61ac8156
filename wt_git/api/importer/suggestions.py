"""What a recorded answer said, as a start for what later answers must say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.interchange.conversation import InterchangeTrace

_MOST = 5
_LONG_LINE = 240
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def last_answer(trace: InterchangeTrace) -> str | None:
    """Return the text of the last message in which the assistant said something."""
    answers = [one.text_content() for one in trace.messages if one.role == "assistant"]
    return next((text for text in reversed(answers) if text.strip()), None)


def suggested_facts(answer: str) -> list[str]:
    """Return at most five pieces: the lines of `answer`, or the sentences of a long single line."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) == 1 and len(lines[0]) > _LONG_LINE:
        lines = _SENTENCE_END.split(lines[0])
    return lines[:_MOST]
