"""The warning that a perturbation leaves on a trace, by which integrity knows that it happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.trace import Trace

MARKER_PREFIX = "perturbation_applied: "


def marker_text(slug: str, **pairs: object) -> str:
    """Return the marker of the perturbation called `slug`, with `pairs` in the order given."""
    return MARKER_PREFIX + " ".join([slug, *(f"{key}={value}" for key, value in pairs.items())])


def marked(trace: Trace, marker: str) -> Trace:
    """Return a copy of `trace` with turn and warning lists of its own and `marker` as last warning."""
    return replace(trace, turns=list(trace.turns), worker_warnings=[*trace.worker_warnings, marker])
