"""How an agent is described, provisioned and driven: the protocols of a runtime.

docs/writing-a-runtime.md states the rules. The protocols are structural: a runtime needs no base
class and no registration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

Message: TypeAlias = dict[str, Any]
"""One chat message in the OpenAI shape: `role`, `content`, and `tool_calls` or `tool_call_id` where
they apply."""

Response: TypeAlias = dict[str, Any]
"""The reply of `send`: flat (`content`, `tool_calls`), wrapped (`message`), or a chat completion
(`choices`); also `usage`, `model`, `worker_warnings`, `rendered_prompt` and `tool_results`."""


def response_message(response: object) -> Mapping[str, Any]:
    """Return the message inside a response: of its first choice, of `message`, or the response.

    A response with an empty `choices` and no `message`, or whose first choice holds none, has an
    empty message. Raises `TypeError` naming the type when the response is not an object.
    """
    if not isinstance(response, Mapping):
        raise TypeError(
            f"send returned {type(response).__name__}; a response is an object: flat with "
            "'content', wrapped in 'message', or a chat completion with 'choices'"
        )
    choices = response.get("choices")
    if choices:
        return _first_choice(choices)
    message = response.get("message")
    if isinstance(message, Mapping):
        return message
    return {} if "choices" in response else response


def _first_choice(choices: object) -> Mapping[str, Any]:
    first = choices[0] if isinstance(choices, (list, tuple)) else None
    if not isinstance(first, Mapping):
        raise TypeError("a chat completion's 'choices' must be a list of objects")
    message = first.get("message")
    if message is None:
        return {}
    if not isinstance(message, Mapping):
        raise TypeError(f"choices[0].message is {type(message).__name__}; it must be an object")
    return message


def content_text(content: object) -> str:
    """Return a message's content as text: missing is empty, a list of parts is joined.

    Of a list, strings and text parts (`type` absent or ending in `text`) count, in order; images and
    the model's thinking do not.
    """
    if isinstance(content, str):
        return content
    if not content:
        return ""
    if isinstance(content, (list, tuple)):
        return "".join(_part_text(part) for part in content)
    return _part_text(content) if isinstance(content, Mapping) else str(content)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and str(part.get("type", "text")).endswith("text"):
        for key in ("text", "content"):
            if isinstance(part.get(key), str):
                return str(part[key])
    return ""


@dataclass
class ModelSpec:
    """The model: an opaque `name` and its quantisation, both recorded in every trace."""

    name: str
    quant: str = "unknown"


@dataclass
class SamplingConfig:
    """The sampling settings of the model; None means the runtime's own default.

    `temperature` lies in 0.0..2.0, `top_p` above 0.0 up to 1.0, `max_tokens` is at least 1, and
    `tool_choice` is `auto`, `none`, `required` or a tool's name. Anything else, a bool taken for a
    number included, raises `ValueError` naming the field.
    """

    temperature: float | None = None
    top_p: float | None = None
    tool_choice: str | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and not (
            _is_number(self.temperature) and 0.0 <= self.temperature <= 2.0  # noqa: PLR2004
        ):
            raise ValueError(f"temperature must be a number in 0.0..2.0, got {self.temperature!r}")
        if self.top_p is not None and not (_is_number(self.top_p) and 0.0 < self.top_p <= 1.0):
            raise ValueError(f"top_p must be a number above 0.0 up to 1.0, got {self.top_p!r}")
        if self.tool_choice is not None and not is_named(self.tool_choice):
            raise ValueError(
                "tool_choice must be 'auto', 'none', 'required' or a tool's name, "
                f"got {self.tool_choice!r}"
            )
        if self.max_tokens is not None and not (_is_count(self.max_tokens) and self.max_tokens > 0):
            raise ValueError(
                f"max_tokens must be an integer of at least 1, got {self.max_tokens!r}"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_named(value: object) -> bool:
    """Say whether `value` is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


@dataclass
class MCPSpec:
    """A tool server in an agent's configuration: its alias there, and its HTTP URL."""

    name: str
    url: str


@dataclass
class MCPCall:
    """One call that reached a tool server, failed and refused ones included.

    `args` are not changed; `result` is the answer that the caller got; `timestamp_ms` is the time of
    arrival, in wall-clock milliseconds since the epoch; `extra` holds metadata.
    """

    tool_name: str
    args: dict[str, Any]
    result: Any
    timestamp_ms: float
    extra: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class MCPHandle(Protocol):
    """A running tool server."""

    @property
    def url(self) -> str:
        """The URL for the agent, for example `http://127.0.0.1:40123/mcp`."""
        ...

    def call_log(self) -> list[MCPCall]:
        """Return a copy of every call since the last reset, oldest first; raise if unreadable.

        An empty list means that no call was made.
        """
        ...

    def reset_call_log(self) -> None:
        """Forget the calls so far; raise if that could not be done."""
        ...


@dataclass
class AgentConfig:
    """The configuration of the tested agent, on any platform; docs/writing-a-runtime.md.

    `variant_id` is the label of the run. None means the runtime's own default. A runtime that cannot
    honour a field that is set refuses it in `provision`; only the two ids and `model`, which are also
    recorded, may be ignored. The runner never fills `mcp_servers`: started tool servers are the
    second argument of `provision`.
    """

    agent_id: str = "agent"
    variant_id: str = "default"
    system_prompt: str | None = None
    persona_doc: Path | None = None
    skills: list[Path] = field(default_factory=list)
    mcp_servers: list[MCPSpec] = field(default_factory=list)
    model: ModelSpec | None = None
    sampling: SamplingConfig | None = None


@runtime_checkable
class AgentHandle(Protocol):
    """One provisioned agent, driven turn by turn; docs/writing-a-runtime.md, "The handle".

    The runner serialises the three calls. It also looks for the attributes `workspace_dir`,
    `workspace_template` and `_windtunnel_consumes_full_history` (False when only the newest user
    turn reaches the model; absent means that all messages do).
    """

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Send one user turn, wait for its end, and return the reply with every tool call made.

        An unknown `session_id` begins a session. The runtime has its own deadline. An exception
        makes the run INVALID; a failure of the agent itself is a reply with a worker warning.
        """
        ...

    def reset_state(self) -> None:
        """Delete all state that lets one run influence the next; complete on return, or raise."""
        ...

    def teardown(self) -> None:
        """Release everything; callable twice and after a crash, and does not raise."""
        ...


@runtime_checkable
class AgentRuntime(Protocol):
    """A platform that can provision an agent; docs/writing-a-runtime.md, "The runtime"."""

    def provision(self, config: AgentConfig, mcps: list[MCPHandle] | None = None) -> AgentHandle:
        """Provision one agent and return its handle as soon as its tools can be called.

        `mcps` are handles of running servers. On failure it cleans up and raises; the caller owns
        `teardown`.
        """
        ...


@runtime_checkable
class RunnerMCPConfigurableRuntime(Protocol):
    """A runtime that declares whether a pack's tool servers can be mounted in its agent."""

    @property
    def accepts_runner_managed_mcps(self) -> bool:
        """Whether tool servers are mounted; a runtime without this attribute mounts them."""
        ...


@runtime_checkable
class SurfaceIntrospectableAgentHandle(Protocol):
    """A handle that can report the steering text of its model."""

    def describe_surface(self) -> dict[str, Any]:
        """Return the block: `status` (`reported`, `rendered`, `unavailable` or `invalid`).

        `reported` and `rendered` also have the lists `system_instructions`, `tool_definitions` and
        `extra_segments`; `invalid` has a `detail`. Expected conditions are a status, no exception.
        """
        ...
