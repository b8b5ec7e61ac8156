"""Calls tools over HTTP, on any number of MCP servers, with the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mcp import Client, MCPError
from mcp.types import TextContent
from steps import Call, Tool


class Toolbox:
    """The tools of the servers that are connected; a name belongs to the first that offers it."""

    def __init__(self, owners: dict[str, Client], tools: list[Tool], clients: list[Client]) -> None:
        self.tools = tools
        self._owners = owners
        self._clients = clients

    async def call(self, call: Call) -> str:
        """Make `call` and return the result as text; a refused call returns the reason.

        A name that nobody offers goes to the first server all the same: it is for the server to
        say no, and to witness that it was asked.
        """
        if not self._clients:
            return f"there is no tool {call.name}"
        client = self._owners.get(call.name, self._clients[0])
        try:
            result = await client.call_tool(call.name, call.arguments)
        except MCPError as refusal:
            return f"the call was refused: {refusal}"
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@asynccontextmanager
async def connect(urls: tuple[str, ...]) -> AsyncIterator[Toolbox]:
    """Connect to the MCP servers at `urls` and list their tools, for the time of the `with`."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(url)) for url in urls]
        owners: dict[str, Client] = {}
        tools: list[Tool] = []
        for client in clients:
            for tool in (await client.list_tools()).tools:
                if tool.name not in owners:
                    owners[tool.name] = client
                    tools.append(Tool(tool.name, tool.description or "", tool.input_schema))
        yield Toolbox(owners, tools, clients)
