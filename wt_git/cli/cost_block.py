"""What a sweep cost, as `wt run` says it at the end (docs/ladder.md, "Cost")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from wt_git.records.rows import CacheCheckRecord, Cost, CostUsd


def cost_block(
    question: str | None,
    cost: Cost,
    cost_usd: CostUsd | None,
    cache_check: CacheCheckRecord | None,
) -> list[str]:
    """Return the lines of the block, to go behind `wt run: `, each of them one line.

    `cost_usd` and `cache_check` are None where nothing configures them.
    """
    return [
        "cost" if question is None else f"cost — '{one_line(question)}'",
        f"  tokens: {_tokens(cost)}",
        f"  wall: {cost.wall_s:.1f}s",
        *([] if cost_usd is None else [f"  $ {_money(cost_usd)}"]),
        *([] if cache_check is None else _cache_check(cache_check)),
    ]


def _tokens(cost: Cost) -> str:
    if cost.input_tokens is None or cost.output_tokens is None:
        return "unknown"
    cached = cost.cached_tokens
    split = "cache split unknown" if cached is None else f"{cached} cached"
    return f"{cost.input_tokens} in ({split}) / {cost.output_tokens} out"


def _money(cost: CostUsd) -> str:
    total = f"total {cost.total:.4f}"
    if not cost.tokens_known:
        return f"tokens unknown — time cost only: {total}"
    fresh = f"uncached {cost.uncached_input:.4f}"
    if cost.cache_split_known:
        fresh += f" + cache read {cost.cache_read:.4f}"
    else:
        fresh += " (cache split unknown)"
    return f"{fresh} + output {cost.output:.4f} + time {cost.time:.4f} = {total}"


def _cache_check(record: CacheCheckRecord) -> list[str]:
    reason = "" if record.reason is None else f" — {one_line(record.reason)}"
    checked = [f"  {one_line(line)}" for line in record.calls]
    return [f"  cache check: {record.result}{reason}", *checked]
