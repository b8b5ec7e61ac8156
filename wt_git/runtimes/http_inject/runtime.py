"""The runtime `http_inject`: drives an agent that offers Contract C."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from wt_git.api.failure_classes import classify_error_text
from wt_git.runtimes.http_inject.client import (
    DEFAULT_BASE_URL,
    GRACE_TIMEOUT_S,
    URL_VARIABLE,
    Client,
    EndpointError,
    base_url,
    parse_endpoint,
)
from wt_git.runtimes.http_inject.protocol import PROTOCOL_VERSION, is_positive_number
from wt_git.spi.agent_runtime import AgentConfig, SamplingConfig

if TYPE_CHECKING:
    from wt_git.runtimes.http_inject.protocol import TurnAnswer
    from wt_git.spi.agent_runtime import Message, Response
    from wt_git.spi.mcp_server import MCPHandle

__all__ = [
    "DEFAULT_BASE_URL",
    "DEFAULT_TIMEOUT_S",
    "GRACE_TIMEOUT_S",
    "PROTOCOL_VERSION",
    "HttpInjectHandle",
    "HttpInjectRuntime",
]

DEFAULT_TIMEOUT_S = 120.0
"""Seconds that an agent gets for one turn by default."""

TIMEOUT_VARIABLE = "WT_INJECT_TIMEOUT_S"

# Recorded in the trace, although Contract C does not carry them.
_RECORDED_FIELDS = frozenset({"agent_id", "variant_id", "model"})


class HttpInjectRuntime:
    """Agents behind an HTTP endpoint that offers `/wt/inject` and `/wt/reset`.

    `base_url` comes from the argument, else `WT_INJECT_URL`, else port 8647 of this machine;
    `timeout_s`, the agent's deadline for a turn in seconds, from the argument, else
    `WT_INJECT_TIMEOUT_S`, else 120. Both are read and checked here and raise `RuntimeError`; the
    first request to the endpoint is the first reset. `provisions` lists every (config, handle).
    """

    accepts_runner_managed_mcps = False

    def __init__(self, base_url: str | None = None, timeout_s: float | None = None) -> None:
        self._endpoint = parse_endpoint(configured_url(base_url))
        self._timeout_s = _configured_timeout_s(timeout_s)
        self.provisions: list[tuple[AgentConfig, HttpInjectHandle]] = []

    def provision(
        self, config: AgentConfig, mcps: list[MCPHandle] | None = None
    ) -> HttpInjectHandle:
        """Return a handle on the endpoint, which owns its tools: `mcps` are not mounted.

        Raises `RuntimeError` naming the fields of `config` that are set: Contract C does not carry
        them, and a run must not be labelled with a prompt that the agent never got.
        """
        del mcps
        refused = [name for name in _fields_set(config) if name not in _RECORDED_FIELDS]
        if refused:
            raise RuntimeError(
                f"http_inject cannot honour AgentConfig.{', AgentConfig.'.join(refused)}: "
                "Contract C does not carry it. Configure the agent itself, or use a runtime of "
                "your own that can (docs/writing-a-runtime.md)"
            )
        handle = HttpInjectHandle(Client(self._endpoint, timeout_s=self._timeout_s))
        self.provisions.append((config, handle))
        return handle


class HttpInjectHandle:
    """One endpoint. It keeps the conversations itself: only the newest user turn is sent."""

    _windtunnel_consumes_full_history = False

    def __init__(self, client: Client) -> None:
        self._client = client

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Deliver the newest user turn and return a chat completion.

        An `error` of the endpoint becomes the only worker warning. Raises `EndpointError` when the
        exchange itself failed or brought an error and nothing else, `RuntimeError` when there is no
        user text to deliver.
        """
        answer = self._client.inject(session_id, _newest_user_text(messages))
        if answer.error is not None and not answer.reply.strip() and not answer.tool_calls:
            found = answer.failure_class or classify_error_text(answer.error)
            raise EndpointError(f"the agent reports an error: {answer.error}", found)
        return _response(answer)

    def reset_state(self) -> None:
        """Have the endpoint wipe every session; raises `EndpointError` unless it did."""
        self._client.reset()

    def teardown(self) -> None:
        """Do nothing: the bench did not start the endpoint's process."""

    def describe_surface(self) -> dict[str, Any]:
        """Return the reported surface, `unavailable` without the route, `invalid` on an error."""
        try:
            surface = self._client.surface()
        except EndpointError as error:
            return {"status": "invalid", "detail": str(error)}
        return {"status": "unavailable"} if surface is None else {"status": "reported", **surface}


def configured_url(argument: str | None = None) -> str:
    """Return the unchecked URL of the endpoint: the argument's, the environment's or the default."""
    return base_url(argument, os.environ.get(URL_VARIABLE))  # noqa: TID251 - read at construction


def _configured_timeout_s(argument: float | None) -> float:
    name: str = "timeout_s"
    value: object = argument
    if argument is None:
        text = os.environ.get(TIMEOUT_VARIABLE)  # noqa: TID251 - read at construction
        if text is None:
            return DEFAULT_TIMEOUT_S
        name = TIMEOUT_VARIABLE
        try:
            value = float(text)
        except ValueError as error:
            raise RuntimeError(f"{name} must be a number of seconds, got {text!r}") from error
    if not is_positive_number(value):
        raise RuntimeError(f"{name} must be a positive, finite number of seconds, got {value!r}")
    return float(value)


def _fields_set(config: AgentConfig) -> list[str]:
    """Return the names of the fields that differ from those of an empty config."""
    untouched = AgentConfig(sampling=SamplingConfig() if config.sampling else None)
    return [
        field.name
        for field in fields(AgentConfig)
        if getattr(config, field.name) != getattr(untouched, field.name)
    ]


def _newest_user_text(messages: list[Message]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            text = message.get("content")
            if not isinstance(text, str):
                raise RuntimeError(
                    "http_inject send: the content of a user message must be a string, "
                    f"got {type(text).__name__}"
                )
            return text
    raise RuntimeError(f"http_inject send: no user message among {len(messages)} message(s)")


def _response(answer: TurnAnswer) -> Response:
    calls = [
        {
            "id": f"call_{position}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for position, call in enumerate(answer.tool_calls)
    ]
    message = {"role": "assistant", "content": answer.reply, "tool_calls": calls}
    response: Response = {
        "choices": [{"message": message, "finish_reason": "tool_calls" if calls else "stop"}]
    }
    if answer.error is not None:
        response["worker_warnings"] = [answer.error]
    if answer.usage is not None:
        response["usage"] = answer.usage
    if answer.model is not None:
        response["model"] = answer.model
    return response


class HttpInjectPlugin:
    """One endpoint, from the environment. One scenario at a time, since a reset wipes everything."""

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> HttpInjectRuntime:
        """Return the runtime; raises `RuntimeError` naming a variable that it cannot use."""
        del runtime_name, label, soul_path
        return HttpInjectRuntime()

    def lock_key(self, runtime_name: str) -> str:
        """Return `<runtime_name>:<url>`: two sweeps on one endpoint run one after the other.

        Raises `RuntimeError` for a URL that the runtime would refuse: it may hold a password, and
        the key is shown to the sweeps that wait.
        """
        return f"{runtime_name}:{parse_endpoint(configured_url()).url}"


PLUGIN = HttpInjectPlugin()
