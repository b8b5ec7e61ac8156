from __future__ import annotations

import contextlib
import threading

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from wt_git.mcp.addresses import listen
from wt_git.mcp.serving import ThreadServer


def test_an_app_that_does_not_start_is_reported():
    """The reason is the exception's cause or its log; port and thread are given back."""

    @contextlib.asynccontextmanager
    async def broken(_: Starlette):
        raise LookupError("no database")
        yield

    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(RuntimeError, match="failed to start"):
        ThreadServer(Starlette(lifespan=broken), listener)
    listen("127.0.0.1", port).close()
    assert "tool server" not in {thread.name for thread in threading.enumerate()}


def test_the_app_hears_of_its_end():
    """What the app opened when it started, it can close when it is stopped."""
    heard = []

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette):
        heard.append("start")
        yield
        heard.append("end")

    server = ThreadServer(Starlette(lifespan=lifespan), listen("127.0.0.1", 0))
    assert heard == ["start"]
    server.stop()
    server.stop()
    assert heard == ["start", "end"]


def test_an_idle_connection_does_not_hold_up_the_stop():
    """A client that keeps its connection open finds it closed."""

    async def hello(_):
        return PlainTextResponse("hello")

    listener = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server = ThreadServer(Starlette(routes=[Route("/", hello)]), listener)
    with httpx.Client() as client:
        assert client.get(url).text == "hello"
        server.stop()
        with pytest.raises(httpx.TransportError):
            client.get(url)
