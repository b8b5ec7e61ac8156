"""The two forms of a declared tool: the one the SDK serves, and the one Python code calls."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from typing import TYPE_CHECKING, Any

from wt_git.mcp.failures import TIMEOUT
from wt_git.mcp.off_the_loop import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextvars import ContextVar

    from wt_git.mcp.call_log import CallLog, OpenCall
    from wt_git.mcp.failures import Injected

    CurrentCall = ContextVar[OpenCall | None]


def served(function: Callable[..., Any], current: CurrentCall) -> Callable[..., Any]:
    """Return a coroutine function for the SDK, which leaves its plain value in the current call."""
    awaited = inspect.iscoroutinefunction(function)

    @functools.wraps(function)
    async def serve(*args: Any, **kwargs: Any) -> Any:
        call = functools.partial(function, *args, **kwargs)
        value = await call() if awaited else await in_thread(call)
        opened = current.get()
        if opened is not None:
            opened.returns(value)
        return value

    return serve


def callable_directly(
    name: str, function: Callable[..., Any], log: CallLog, current: CurrentCall
) -> Callable[..., Any]:
    """Return a function that logs a call made in process, and shows the failures armed for it.

    A call from inside another tool is part of how the mock works, and not one by the agent: it is
    neither logged nor made to fail.
    """
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            if current.get() is not None:
                return await function(*args, **kwargs)
            return await _logged_async(log, name, functools.partial(function, *args, **kwargs))

        return call_async

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if current.get() is not None:
            return function(*args, **kwargs)
        return _logged(log, name, functools.partial(function, *args, **kwargs))

    return call


def _logged(log: CallLog, name: str, call: functools.partial[Any]) -> Any:
    opened, delay_s, injected = _arrived(log, name, call)
    time.sleep(delay_s)
    if injected is not None:
        log.finish(opened, injected.payload)
        return injected.payload
    try:
        value = call()
    except Exception as failed:
        log.finish(opened, str(failed), error=f"{type(failed).__name__}: {failed}")
        raise
    log.finish(opened, value)
    return value


async def _logged_async(log: CallLog, name: str, call: functools.partial[Any]) -> Any:
    opened, delay_s, injected = _arrived(log, name, call)
    await asyncio.sleep(delay_s)
    if injected is not None:
        log.finish(opened, injected.payload)
        return injected.payload
    try:
        value = await call()
    except Exception as failed:
        log.finish(opened, str(failed), error=f"{type(failed).__name__}: {failed}")
        raise
    log.finish(opened, value)
    return value


def _arrived(
    log: CallLog, name: str, call: functools.partial[Any]
) -> tuple[OpenCall, float, Injected | None]:
    """Log a call's arrival and draw its failure: how long to wait, and what to answer instead."""
    args = _named(call)
    opened = log.begin(name, args)
    armed = log.failures.draw(name)
    if armed is None:
        return opened, 0.0, None
    log.mark_injected(opened, armed.mode)
    delay_s = armed.delay_s if armed.mode == TIMEOUT else 0.0
    return opened, delay_s, log.failures.answer(armed, name, args)


def _named(call: functools.partial[Any]) -> Mapping[str, Any]:
    """Return the arguments of a call by the names of their parameters, defaults left out."""
    try:
        bound = inspect.signature(call.func).bind_partial(*call.args, **call.keywords)
    except (
        TypeError,
        ValueError,
    ):  # the call is about to fail; what it was given is logged all the same
        return {**{str(place): value for place, value in enumerate(call.args)}, **call.keywords}
    named = dict(bound.arguments)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update(named.pop(parameter.name, {}))
    return named
