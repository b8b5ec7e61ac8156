"""The driver's side of Contract C: three requests, and every way they can fail as one error.

docs/writing-a-runtime.md, "What the driver makes of an answer". Nothing is tried twice.
"""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any

from wt_git.runtimes.http_inject.connection import Received, post
from wt_git.runtimes.http_inject.protocol import (
    INJECT_ROUTE,
    RESET_ROUTE,
    SURFACE_ROUTE,
    Answer,
    ContractError,
    check_version,
    decode,
    envelope,
    parse_answer,
    parse_surface,
)

if TYPE_CHECKING:
    from wt_git.runtimes.http_inject.endpoint import Endpoint

GRACE_TIMEOUT_S = 5.0
"""How much longer than the agent's deadline a request may take, in seconds."""

# An error page can be megabytes, and this text ends in a trace and on a terminal.
_SHOWN_CHARACTERS = 2_000


class EndpointError(RuntimeError):
    """The endpoint was not reached, was too slow, or broke Contract C: the run is INVALID."""


class Client:
    """Asks one endpoint; a request may take `timeout_s`, the agent's deadline, plus `grace_s`."""

    def __init__(
        self, endpoint: Endpoint, *, timeout_s: float, grace_s: float = GRACE_TIMEOUT_S
    ) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._limit_s = timeout_s + grace_s

    def inject(self, session_id: str, text: str) -> Answer:
        """Deliver one user turn and return the answer; raises `EndpointError`."""
        body = envelope(session_id=session_id, text=text, timeout_s=self._timeout_s)
        received = self._exchange("inject", INJECT_ROUTE, body)
        if received.status != http.client.OK:
            raise _unexpected_status("inject", received)
        try:
            return parse_answer(decode(received.body))
        except ContractError as error:
            raise EndpointError(
                f"http_inject inject: {error} (HTTP 200, body: {_excerpt(received.body)})"
            ) from error

    def reset(self) -> None:
        """Have all sessions wiped; raises `EndpointError` unless the endpoint says that they are."""
        received = self._exchange("reset", RESET_ROUTE, envelope())
        if received.status != http.client.OK:
            raise _unexpected_status("reset", received)
        try:
            check_version(decode(received.body))
        except ContractError as error:
            raise EndpointError(
                f"http_inject reset: {error} (HTTP 200, body: {_excerpt(received.body)})"
            ) from error

    def surface(self) -> dict[str, list[Any]] | None:
        """Return the lists of the prompt surface, or None from an endpoint that reports none.

        Raises `EndpointError`, which quotes nothing of a payload: a prompt may be secret.
        """
        received = self._exchange("surface", SURFACE_ROUTE, envelope())
        if received.status in {http.client.NOT_FOUND, http.client.NOT_IMPLEMENTED}:
            return None
        if received.status != http.client.OK:
            raise EndpointError(f"http_inject surface: expected HTTP 200, got {received.status}")
        try:
            return parse_surface(decode(received.body))
        except ContractError as error:
            raise EndpointError(f"http_inject surface: {error}") from error

    def _exchange(self, operation: str, route: str, payload: dict[str, Any]) -> Received:
        body = json.dumps(payload, allow_nan=False).encode("ascii")
        where = f"{self._endpoint.url}{route}"
        try:
            return post(self._endpoint, route, body, timeout_s=self._limit_s)
        except TimeoutError as error:
            raise EndpointError(
                f"http_inject {operation}: transport timeout: no complete answer from {where} "
                f"within {self._limit_s:g} s"
            ) from error
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise EndpointError(
                f"http_inject {operation}: transport error at {where}: {_cause(error)}"
            ) from error


def _cause(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is the agent running there?"
    return f"{type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]


def _unexpected_status(operation: str, received: Received) -> EndpointError:
    redirect = (
        f" (redirects are not followed; it points to {received.location[:200]})"
        if received.location
        else ""
    )
    return EndpointError(
        f"http_inject {operation}: expected HTTP 200, got {received.status}{redirect}: "
        f"{_excerpt(received.body)}"
    )


def _excerpt(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}… ({len(body)} bytes in all)"
