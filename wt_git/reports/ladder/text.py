"""The totals of the ladder for people: a line for each tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import log_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.ladder_results import LadderResults, TierTotals

_TIER_WIDTH = 10
_TIER_LIMIT = 20


def ladder_lines(found: LadderResults) -> list[str]:
    """Return the lines: a heading, the tiers, and what all of them cost together."""
    lines = [f"ladder under {log_line(found.runs_dir)}"]
    for tier, totals in found.tiers.items():
        lines.append(f"  {log_line(tier, _TIER_LIMIT):<{_TIER_WIDTH}}  {_line(totals)}")
    if found.cumulative_cost_usd is not None:
        lines.append(f"cumulative: ${found.cumulative_cost_usd:.4f}")
    return lines


def _line(of: TierTotals) -> str:
    word = "sweep" if of.sweeps == 1 else "sweeps"
    parts = [f"{of.sweeps} {word}", f"{of.wall_s:.0f}s wall", _tokens(of), _predictions(of)]
    return "; ".join([*parts, _reviews(of), *_dollars(of), *_cache(of)])


def _tokens(of: TierTotals) -> str:
    if of.input_tokens is None:
        return "tokens unknown"
    cached = ""
    if of.cached_tokens is not None:
        cached = f" ({of.cached_tokens} cached, {of.cached_reported}/{of.sweeps} reported)"
    reported = f"({of.tokens_reported}/{of.sweeps} sweeps reported)"
    return f"{of.input_tokens} in{cached} / {of.output_tokens} out tokens {reported}"


def _predictions(of: TierTotals) -> str:
    if not of.predictions:
        return "no predictions"
    return f"{of.predictions_held}/{of.predictions} predictions held"


def _reviews(of: TierTotals) -> str:
    if not of.reviewed:
        return "none reviewed"
    return f"{of.changed_decision}/{of.reviewed} reviewed changed a decision"


def _dollars(of: TierTotals) -> Iterator[str]:
    if of.cost_usd is not None:
        parts = {
            "uncached": of.uncached_input_usd,
            "cache read": of.cache_read_usd,
            "output": of.output_usd,
            "time": of.time_usd,
        }
        told = " + ".join(
            f"{name} {'unknown' if usd is None else f'{usd:.4f}'}" for name, usd in parts.items()
        )
        unknown = f"{of.tokens_unknown_sweeps} tokens unknown"
        yield (
            f"$ {told} = total {of.cost_usd:.4f} ({of.priced_sweeps}/{of.sweeps} priced, {unknown})"
        )


def _cache(of: TierTotals) -> Iterator[str]:
    if of.cache_fail_sweeps or of.cache_unknown_sweeps:
        yield f"cache check: {of.cache_fail_sweeps} failed, {of.cache_unknown_sweeps} unknown"
