"""The commit log as text: lines under each commit, and the trend of each scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import log_line, scenario_name, short_commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.documents.evidence import CommitLog, LoggedCommit, LoggedRow

_NAME_LIMIT = 60
_BARS = "▁▂▃▄▅▆▇█"
_PLAIN_BARS = "_.:-=+*#"
_GAP, _PLAIN_GAP = "·", " "


def commit_lines(one: LoggedCommit) -> list[str]:
    """Return the lines of a commit: itself, then one for each experiment."""
    mark = "covered" if one.covered else "not covered"
    head = f"{short_commit(one.commit)} {one.time[:10]} {log_line(one.title, 80)} ({mark})"
    return [head, *(f"    {_row_line(row)}" for row in one.rows)]


def _row_line(row: LoggedRow) -> str:
    parts = [
        f"{log_line(row.verdict, 20):<18}",
        f"{log_line(row.tier, 12):<10}",
        f"{log_line(_row_name(row), _NAME_LIMIT)} {row.passed}/{row.runs}",
    ]
    tail = [*_cost_parts(row), _prediction_text(row), row.sweep_id]
    return " ".join(parts) + "  " + ", ".join(part for part in tail if part)


def _cost_parts(row: LoggedRow) -> Iterator[str]:
    if row.wall_s is not None:
        yield f"{row.wall_s:.1f} s"
    if row.tokens is not None:
        yield f"{row.tokens} tokens"
    if row.usd is not None:
        yield f"${row.usd:.4g}"


def _prediction_text(row: LoggedRow) -> str:
    if row.expect is None or row.prediction_held is None:
        return ""
    return (
        f"expected {log_line(row.expect, 10)}: {'held' if row.prediction_held else 'did not hold'}"
    )


def trend_lines(log: CommitLog, *, plain: bool) -> list[str]:
    """Return a line for each scenario with its pass rate on each commit, the oldest first.

    `plain` uses only ASCII. A commit on which a scenario was not run leaves a gap; of several
    experiments on one commit the latest counts. Probes replay a part of a scenario and are left out.
    """
    bars, gap = (_PLAIN_BARS, _PLAIN_GAP) if plain else (_BARS, _GAP)
    rates = [_pass_rates(one) for one in reversed(log.commits)]
    names = sorted({name for one in rates for name in one})
    width = max((len(log_line(name, _NAME_LIMIT)) for name in names), default=0)
    lines = []
    for name in names:
        known = [one[name] for one in rates if name in one]
        trend = "".join(_trend_bar(one[name], bars) if name in one else gap for one in rates)
        shown = log_line(name, _NAME_LIMIT)
        change = f"{known[0]:.0%} -> {known[-1]:.0%}" if len(known) > 1 else f"{known[0]:.0%}"
        lines.append(f"{shown:<{width}}  {trend}  {change}")
    return lines


def _pass_rates(one: LoggedCommit) -> dict[str, float]:
    return {
        _row_name(row): min(max(row.passed / row.runs, 0.0), 1.0)
        for row in one.rows
        if row.runs > 0 and row.tier != "probe"
    }


def _trend_bar(rate: float, bars: str) -> str:
    return bars[round(rate * (len(bars) - 1))]


def _row_name(row: LoggedRow) -> str:
    return scenario_name(row.pack, row.scenario)
