"""A synchronous MCP client for tests: the official one, one call at a time, over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
from mcp import Client

from wt_git.mcp.fastmcp import FastMCPServer, FastMCPServerConfig, LoggingFastMCP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.mcp.fastmcp.server import InProcessMCPHandle


@dataclass(frozen=True)
class Answer:
    """What a tool call came to: its text, its structured content, and whether it is an error."""

    text: str
    structured: Any
    is_error: bool

    def inner(self) -> Any:
        """Return the object inside a mock's envelope."""
        return json.loads(json.loads(self.text)["result"])


def call_tool(
    url: str, name: str, arguments: dict[str, Any] | None = None, **options: Any
) -> Answer:
    """Call one tool on a fresh connection and return its answer."""
    return call_tools(url, [(name, arguments or {})], **options)[0]


def call_tools(url: str, calls: list[tuple[str, dict[str, Any]]], **options: Any) -> list[Answer]:
    """Make several calls, one after another, on one connection."""

    async def talk() -> list[Answer]:
        async with Client(url, **options) as client:
            return [_answer(await client.call_tool(name, args)) for name, args in calls]

    return asyncio.run(talk())


def list_tools(url: str) -> list[Any]:
    """Return the tools as the official client lists them."""

    async def talk() -> list[Any]:
        async with Client(url) as client:
            return list((await client.list_tools()).tools)

    return asyncio.run(talk())


def _answer(result: Any) -> Answer:
    text = "\n".join(part.text for part in result.content)
    return Answer(text, result.structured_content, bool(result.is_error))


def post_raw_call(
    url: str, params: Any, *, headers: dict[str, str] | None = None, timeout: float = 20
) -> httpx.Response:
    """Send a `tools/call` with `params` as they are, as a careless agent might, after a handshake."""
    accept = {"Accept": "application/json, text/event-stream", **(headers or {})}
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    }
    with httpx.Client(headers=accept, timeout=timeout, trust_env=False) as client:
        first = client.post(
            url, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        )
        session = {
            "mcp-protocol-version": "2025-06-18",
            **{k: v for k, v in first.headers.items() if k == "mcp-session-id"},
        }
        client.post(
            url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session
        )
        return client.post(
            url,
            json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params},
            headers=session,
        )


@contextlib.contextmanager
def on_a_thread(server: LoggingFastMCP, host: str = "127.0.0.1") -> Iterator[InProcessMCPHandle]:
    """Serve `server` on a thread of this process for the length of a `with`."""
    running = FastMCPServer(mcp_instance=server, config=FastMCPServerConfig("", host=host))
    try:
        yield running.start()
    finally:
        running.stop()


@contextlib.contextmanager
def meanwhile(action: Callable[[], Any]) -> Iterator[list[Any]]:
    """Run `action` on a thread beside the block; its outcome, or its exception, is in the list."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(action())
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield outcome
    thread.join(60)
    assert not thread.is_alive()


def until(condition: Callable[[], Any], limit_s: float = 60) -> Any:
    """Return the condition's value once it is true; fails when that takes for ever."""
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.005)
    return value
