"""What a dry run tells people, a line for each thing. Pure text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.ladder.budget import shortest
from wt_git.ladder.decimals import plain
from wt_git.naming import listed
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.sweep.forecast import Expected


def forecast_lines(expected: Expected) -> Iterator[str]:
    """Yield tier, runtime, budget, runs, and what they may take."""
    found = expected.found
    names = [one_line(one.scenario.name) for one in expected.scenarios]
    yield f"tier:       {found.tier} ({listed(names)})"
    model = f", model {one_line(found.runtime.model)}" if found.runtime.model else ""
    yield f"runtime:    {one_line(found.request.runtime)}{model}"
    budget = "no limit" if found.budget_s is None else f"{shortest(found.budget_s)}s"
    ceiling = "" if found.ceiling is None else f", at most ${plain(found.ceiling)}"
    yield f"budget:     {budget}{ceiling}"
    yield f"runs:       {expected.runs} ({len(names)} x {found.request.runs})"
    yield f"time:       {_time(expected)}"
    yield f"cost:       {_cost(expected)}"


def _time(expected: Expected) -> str:
    seconds, budget_s = expected.wall_s, expected.found.budget_s
    if seconds is None:
        return _unknown(
            [one_line(one.scenario.name) for one in expected.scenarios if one.wall_s is None]
        )
    is_too_long = budget_s is not None and seconds > budget_s
    more = "; more than the budget" if is_too_long else ""
    return f"about {_duration(seconds)}{_basis(expected)}{more}"


def _cost(expected: Expected) -> str:
    if expected.found.settings.ladder.pricing is None:
        return "not known: there is no [tool.windtunnel.ladder.pricing]"
    cost, ceiling = expected.cost, expected.found.ceiling
    if cost is not None:
        more = "; more than the ceiling" if ceiling is not None and cost > ceiling else ""
        return f"about ${cost:.4f}{_basis(expected)}{more}"
    return _unknown([one_line(one.scenario.name) for one in expected.scenarios if one.cost is None])


def _basis(expected: Expected) -> str:
    return f", from {sum(one.earlier_runs for one in expected.scenarios)} earlier run(s)"


def _unknown(names: list[str]) -> str:
    return f"not known: no earlier runs that say it for {listed(names)}"


def _duration(seconds: float) -> str:
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}min" if hours else f"{minutes}min {rest}s"
