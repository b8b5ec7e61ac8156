"""Reading the evidence of a tool server in another process, over its evidence routes."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class EvidenceClient:
    """The bearer of one server's token. Evidence that cannot be read raises, and is never empty."""

    host: str
    port: int
    token: str

    def get(self, path: str, *, limit_s: float = _LIMIT_S) -> list[Any]:
        """Return the list at `path`; raises `RuntimeError` or `OSError` when there is none to read."""
        answer = self._request("GET", path, None, limit_s)
        if not isinstance(answer, list):
            raise RuntimeError(
                f"tool server at {self.host}:{self.port} answered GET {path} with"
                f" {type(answer).__name__}, not a list"
            )
        return answer

    def post(self, path: str, body: object = None) -> None:
        """Send `body`; raises `ValueError` when the server refuses it, else as `get`."""
        self._request("POST", path, json.dumps(body), _LIMIT_S)

    def _request(self, method: str, path: str, body: str | None, limit_s: float) -> Any:
        # Not httpx: it loads slowly, and would send a request for this machine to a proxy.
        connection = http.client.HTTPConnection(self.host, self.port, timeout=limit_s)
        try:
            connection.request(
                method,
                path,
                body,
                {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
            )
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        text = content.decode("utf-8", "replace")
        if response.status == http.client.BAD_REQUEST:
            raise ValueError(text)
        if response.status != http.client.OK:
            raise RuntimeError(
                f"tool server at {self.host}:{self.port} answered {method} {path} with status"
                f" {response.status}: {text[:200]}"
            )
        return json.loads(text)
