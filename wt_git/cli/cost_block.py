"""What a sweep cost, as `wt run` says it at the end (docs/ladder.md, "Cost")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.records.rows import CacheCheckRecord, Cost, CostUsd


def cost_block(
    question: str | None,
    cost: Cost,
    cost_usd: CostUsd | None,
    cache_check: CacheCheckRecord | None,
    *,
    model: str | None = None,
    by_scenario: Sequence[tuple[str, CacheCheckRecord]] = (),
) -> list[str]:
    """Return the lines of the block, to go behind `wt run: `, each of them one line.

    `cost_usd` and `cache_check` are None where nothing configures them. `model` is the label that
    prices are looked up by. `by_scenario` has what `cache_check` was made of.
    """
    return [
        "cost" if question is None else f"cost — '{one_line(question)}'",
        f"  tokens: {_tokens(cost)}",
        f"  wall: {cost.wall_s:.1f}s",
        *([] if cost_usd is None else _money_lines(cost, cost_usd, model)),
        *([] if cache_check is None else _cache_check(cache_check, by_scenario)),
    ]


def _tokens(cost: Cost) -> str:
    if cost.input_tokens is None or cost.output_tokens is None:
        return "unknown"
    cached = cost.cached_tokens
    split = "cache split unknown" if cached is None else f"{cached} cached"
    return f"{cost.input_tokens} in ({split}) / {cost.output_tokens} out"


def _money_lines(cost: Cost, cost_usd: CostUsd, model: str | None) -> Iterator[str]:
    yield f"  $ {_money(cost_usd)}"
    if None not in {cost.input_tokens, cost.output_tokens} and not cost_usd.tokens_known:
        lacking = (
            "has no 'default', and the runtime reports no model"
            if model is None
            else f"has neither '{one_line(model)}' nor 'default'"
        )
        yield f"  these tokens have no price: [tool.windtunnel.ladder.pricing.models] {lacking}"


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


def _cache_check(
    record: CacheCheckRecord, by_scenario: Sequence[tuple[str, CacheCheckRecord]]
) -> Iterator[str]:
    reason = "" if record.reason is None else f" — {one_line(record.reason)}"
    yield f"  cache check: {record.result}{reason}"
    if len(by_scenario) <= 1:
        yield from (f"  {one_line(line)}" for line in record.calls)
        return
    for name, one in by_scenario:
        if one.calls or one.result != "pass":
            yield f"  {one_line(name)}: {one.result}"
        yield from (f"  {one_line(line)}" for line in one.calls)
