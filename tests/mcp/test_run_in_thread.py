from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from wt_git.mcp.fastmcp.logging_mcp import run_in_thread


def test_the_value_comes_back():
    """The awaited value is the function's own, and it ran on another thread."""
    ident, name = asyncio.run(run_in_thread(lambda: (threading.get_ident(), "value")))
    assert ident != threading.get_ident()
    assert name == "value"


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_an_exception_is_raised_where_it_is_awaited(error):
    """The caller sees what the function raised."""

    def fail() -> None:
        raise error

    async def attempt() -> None:
        with pytest.raises(type(error)):
            await run_in_thread(fail)

    asyncio.run(attempt())


def test_a_stop_iteration_does_not_get_lost():
    """The one exception that a future refuses comes back in another's text."""

    def fail() -> None:
        next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(run_in_thread(fail))


def test_the_context_goes_along():
    """Context variables of the caller are seen by the function."""
    variable = contextvars.ContextVar("variable", default="outer")

    async def ask() -> str:
        variable.set("inner")
        return await run_in_thread(variable.get)

    assert asyncio.run(ask()) == "inner"


def test_the_loop_goes_on_while_the_function_blocks():
    """Other work is done while a tool blocks, and its end wakes the loop."""
    release = threading.Event()

    async def both() -> list[str]:
        blocked = asyncio.create_task(run_in_thread(lambda: release.wait(60)))
        await asyncio.sleep(0)
        release.set()
        return ["other work", str(await blocked)]

    assert asyncio.run(both()) == ["other work", "True"]


def test_a_function_that_never_ends_does_not_hold_up_the_loop():
    """The loop closes over a hanging function, and what it returns later harms nobody."""
    release, ended = threading.Event(), threading.Event()

    def hang() -> None:
        release.wait(60)
        ended.set()

    async def abandon() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_in_thread(hang), 0.01)

    asyncio.run(abandon())
    release.set()
    assert ended.wait(60)


def test_there_is_no_limit_to_blocking_functions():
    """A hundred hanging calls do not keep the next one waiting."""
    release = threading.Event()

    async def crowd() -> str:
        hanging = [asyncio.create_task(run_in_thread(lambda: release.wait(60))) for _ in range(100)]
        try:
            return await run_in_thread(lambda: "answered")
        finally:
            release.set()
            await asyncio.gather(*hanging)

    assert asyncio.run(crowd()) == "answered"
