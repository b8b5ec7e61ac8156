"""The SDK's streamable HTTP app, set up for the address it is served on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings

from wt_git.mcp import addresses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.mcpserver import MCPServer
    from starlette.applications import Starlette


def streamable_http_app(
    server: MCPServer[Any], host: str | None, options: Mapping[str, Any]
) -> Starlette:
    """Return an app with MCP at `/mcp`, whose host check fits a server that listens on `host`.

    Left alone, the SDK refuses every name but the loopback's. `options` are its own and win.
    """
    names = addresses.accepted_host_headers(host)
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=names is not None,
        allowed_hosts=names or [],
        allowed_origins=[f"http://{name}" for name in names or ()],
    )
    return server.streamable_http_app(**{"transport_security": security, **options})
