"""Replies: the text and the tool calls of an answer, in each shape that providers and frameworks use.

docs/reply-shapes.md lists the shapes and where they are documented. A call is never lost in silence:
an object that looks like a call and stands where no shape has one is refused by its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.failure_classes import classify_error_body, error_message_of
from wt_git.api.reply_calls import (
    CALL_HOLDERS,
    RESULT_TYPE,
    Call,
    ReplyError,
    arguments_of,
    beside_the_call,
    called,
    flat,
    hosted_name,
    is_call,
    is_flat,
    name_of,
    refuse_unread_calls,
    unreadable,
)

__all__ = ["SHAPES", "AgentReply", "ReplyError", "Shape", "read_agent_reply"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class AgentReply(NamedTuple):
    """The text and the calls of a reply, in order.

    `blocked` is the provider's word for why it withheld the answer, `error` the error that came
    beside text or calls; None without one.
    """

    content: str
    calls: list[Call]
    blocked: str | None
    error: str | None


def read_agent_reply(response: Mapping[str, Any]) -> AgentReply:
    """Return the content of a reply in any known shape.

    Raises `ReplyError` for an error body, for an object of no known shape, and for one with
    something that looks like a call and cannot be read. Raises `TypeError` naming the type found
    for `choices`, a message or `tool_calls` of another type.
    """
    reader = _Reader()
    error = _error_in(response)
    shape = next((shape for shape in SHAPES if shape.matches(response)), None)
    if shape is not None:
        shape.read(reader, response)
        refuse_unread_calls(response, reader.taken)
    content, calls = "".join(reader.texts), reader.calls
    if error is not None and not content.strip() and not calls:
        found = classify_error_body(response)
        raise ReplyError(f"the reply is an error body: {error}", found)
    if shape is None:
        keys = ", ".join(sorted(map(str, response))[:_MOST_KEYS]) or "none"
        raise ReplyError(
            "the reply has no known shape: it needs 'content', 'message' or 'choices', or one of the "
            f"shapes in docs/reply-shapes.md; its keys are: {keys}"
        )
    withheld = reader.finish is not None and not content.strip() and not calls
    return AgentReply(content, calls, reader.finish if withheld else None, error)


_MOST_KEYS = 20

# Reasons to stop that mean that the provider kept the answer back, in lower case.
_WITHHELD = frozenset(
    {
        "content_filter",
        "content_filtered",
        "guardrail_intervened",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "language",
        "error_toxic",
        "malformed_function_call",
        "malformed_tool_use",
        "malformed_model_output",
        "unexpected_tool_call",
    }
)

# Blocks of content that hold neither text for the user nor a call of the agent.
_SILENT_BLOCK = re.compile(
    r"thinking|reasoning|redacted|image|audio|video|document|file|result|output$|citation|reference"
    r"|search_results|tool_return|cache_point|compaction|container_upload|handoff|^thought$",
    re.IGNORECASE,
)
_SILENT_KEYS = frozenset(
    {
        "thought",
        "thoughtSignature",
        "thought_signature",
        "inlineData",
        "inline_data",
        "fileData",
        "file_data",
        "codeExecutionResult",
        "code_execution_result",
        "functionResponse",
        "function_response",
        "reasoningContent",
        "toolResult",
        "image",
        "document",
        "video",
        "audio",
        "guardContent",
        "cachePoint",
        "image_url",
    }
)


_CALL_LISTS = ("tool_calls", "toolCalls", "function_calls", "functionCalls")
# A message has at least one of these, and be it null.
_SAID = frozenset(
    ("content", "text", "parts", "refusal", "audio", "function_call", "functionCall", *_CALL_LISTS)
)


class _Reader:
    """What was read of a reply so far; `taken` are the ids of the objects that hold its calls."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[Call] = []
        self.taken: set[int] = set()
        self.finish: str | None = None

    # ---- shapes

    def completion(self, response: Mapping[str, Any]) -> None:
        """Read an OpenAI chat completion, or a chunk of one."""
        choices = response["choices"]
        if not choices and isinstance(response.get("message"), Mapping):
            return self.message(response["message"])
        first = choices[0] if isinstance(choices, list | tuple) and choices else None
        if not isinstance(first, Mapping):
            if isinstance(choices, list | tuple) and not choices:
                raise ReplyError("a chat completion without choices is no answer")
            raise TypeError("a chat completion's 'choices' must be a list of objects")
        self.ends(first.get("finish_reason"))
        message = first.get("message", first.get("delta"))
        if isinstance(message, Mapping):
            return self.message(message)
        if message is not None:
            kind = type(message).__name__
            raise TypeError(f"choices[0].message is {kind}; it must be an object")
        if not isinstance(first.get("text"), str):
            raise ReplyError("choices[0] has no message")
        return self.texts.append(first["text"])

    def responses(self, response: Mapping[str, Any]) -> None:
        """Read output items: of OpenAI's Responses, Mistral's conversations, Gemini's interactions."""
        details = response.get("incomplete_details")
        self.ends(details.get("reason") if isinstance(details, Mapping) else None)
        for item in response["output"] if "output" in response else response["outputs"]:
            kind = item.get("type") if isinstance(item, Mapping) else None
            if kind in {"message", "message.output"} or (
                kind is None and isinstance(item, Mapping) and "content" in item
            ):
                self.message(item)
            else:
                self.block(item)

    def converse(self, response: Mapping[str, Any]) -> None:
        """Read an answer of Bedrock's Converse API."""
        self.ends(response.get("stopReason"))
        self.message(response["output"]["message"])

    def gemini(self, response: Mapping[str, Any]) -> None:
        """Read the first candidate of a Gemini answer, or why there is none."""
        feedback = response.get("promptFeedback", response.get("prompt_feedback"))
        if isinstance(feedback, Mapping):
            self.ends(feedback.get("blockReason", feedback.get("block_reason")), always=True)
        candidates = response.get("candidates") or []
        first = candidates[0] if isinstance(candidates, list | tuple) and candidates else None
        if not isinstance(first, Mapping):
            if self.finish is None:
                raise ReplyError("a Gemini answer without candidates is no answer")
            return
        reason, content = (
            first.get("finishReason", first.get("finish_reason")),
            first.get("content"),
        )
        self.ends(reason)
        if reason is None and content is None:
            raise ReplyError("the first candidate of a Gemini answer has no content")
        if isinstance(content, Mapping):
            self.content(content.get("parts"))

    def pydantic_ai(self, response: Mapping[str, Any]) -> None:
        """Read a `ModelResponse` of pydantic-ai."""
        self.ends(response.get("finish_reason"))
        self.content(response["parts"])

    def wrapped(self, response: Mapping[str, Any]) -> None:
        """Read the message inside `message`, as Ollama and Cohere send it."""
        self.ends(response.get("finish_reason", response.get("done_reason")))
        self.message(response["message"])

    def serialised(self, response: Mapping[str, Any]) -> None:
        """Read a message as LangChain writes it: under `data` or `kwargs`."""
        self.message(response.get("data") or response["kwargs"])

    def message(self, message: Mapping[str, Any]) -> None:
        """Read a message: its content, and the calls beside it."""
        self.ends(message.get("stop_reason", message.get("finish_reason")))
        content = message.get("content", message.get("text"))
        if not _SAID & message.keys():
            keys = ", ".join(sorted(map(str, message))) or "none"
            raise ReplyError(f"the message has neither content nor calls; its keys are: {keys}")
        before = len(self.texts)
        self.content(content if content is not None else message.get("parts"))
        if not "".join(self.texts[before:]).strip():
            self.texts += _instead_of_content(message)
        for key in _CALL_LISTS:
            self.call_list(message.get(key), key)
        if message.get("invalid_tool_calls"):
            raise ReplyError("invalid_tool_calls holds a call that the framework could not read")
        extra = message.get("additional_kwargs")
        if isinstance(extra, Mapping):
            self.repeated(extra)
        for key in ("function_call", "functionCall"):
            legacy = message.get(key)
            if isinstance(legacy, Mapping):
                self.call(legacy, key)

    def repeated(self, extra: Mapping[str, Any]) -> None:
        """Read the raw calls that LangChain keeps beside the ones that it parsed."""
        parsed = len(self.calls)
        self.call_list(extra.get("tool_calls"), "additional_kwargs.tool_calls")
        raw = self.calls[parsed:]
        if [called(call) for call in raw] == [called(call) for call in self.calls[:parsed]]:
            for call in raw:
                refuse_unread_calls(beside_the_call(call), self.taken)
                inner = call.get("function")
                if isinstance(inner, Mapping):
                    refuse_unread_calls(beside_the_call(inner), self.taken)
            del self.calls[parsed:]

    # ---- parts

    def ends(self, reason: object, *, always: bool = False) -> None:
        """Note why the answer ended, where that means that it was withheld."""
        if isinstance(reason, str):
            word = reason.rpartition(".")[2].lower()
            if always or word in _WITHHELD:
                self.finish = word

    def content(self, content: object) -> None:
        """Read content: a text, a block, or a list of both."""
        if isinstance(content, str):
            self.texts.append(content)
        elif isinstance(content, Mapping):
            self.block(content)
        elif isinstance(content, list | tuple):
            for part in content:
                if isinstance(part, str):
                    self.texts.append(part)
                else:
                    self.block(part)
        elif content:
            self.texts.append(str(content))

    def block(self, block: object) -> None:
        """Read one block of content. Raises `ReplyError` for a block of an unknown kind."""
        if not isinstance(block, Mapping):
            return
        kind = str(block.get("type") or block.get("part_kind") or "")
        if is_call(block) and not RESULT_TYPE.search(kind):
            self.call(block, f"a block of type {kind!r}" if kind else "a block")
        elif block.get("thought") is True:
            return
        elif "refusal" in (kind, *block) and isinstance(block.get("refusal"), str):
            self.texts.append(block["refusal"])
        elif kind.endswith("text") or (not kind and ("text" in block or "content" in block)):
            text = block.get("text", block.get("content"))
            self.content(text if isinstance(text, str | list) else None)
        elif isinstance(block.get("citationsContent"), Mapping):
            self.content(block["citationsContent"].get("content"))
        elif not (_SILENT_BLOCK.search(kind.replace("-", "_")) or _SILENT_KEYS & block.keys()):
            seen = f"type {kind!r}" if kind else f"keys {', '.join(sorted(map(str, block)))}"
            raise ReplyError(f"the content has a block of an unknown kind: {seen}")

    def call_list(self, calls: object, key: str) -> None:
        """Read a list of calls, or of bare names."""
        if not calls:
            return
        if not isinstance(calls, list | tuple):
            raise TypeError(f"{key} is {type(calls).__name__}; it must be a list")
        self.taken.add(id(calls))
        for position, call in enumerate(calls):
            where = f"{key}[{position}]"
            if isinstance(call, str) and call.strip():
                self.calls.append({"name": call, "args": {}})
            elif isinstance(call, Mapping):
                self.call(call, where)
            else:
                unreadable(where, call)

    def call(self, call: Mapping[str, Any], where: str) -> None:
        """Read one call. Raises `ReplyError`, which names its place, for one without a name."""
        self.taken.add(id(call))
        inner = next(
            (call[key] for key in CALL_HOLDERS if isinstance(call.get(key), Mapping)), None
        )
        if inner is not None:
            self.taken.add(id(inner))
        name = name_of(inner if inner is not None else call) or hosted_name(call)
        if name is None:
            unreadable(where, call)
        if name.removeprefix("functions.") == "multi_tool_use.parallel":
            self.parallel(call if inner is None else inner, where)
            refuse_unread_calls(beside_the_call(call), self.taken, where)
        elif isinstance(call.get("function"), Mapping) or is_flat(call):
            self.calls.append(dict(call))
        else:
            self.calls.append(flat(name, call, inner))
            for part in (call, inner or {}):
                refuse_unread_calls(beside_the_call(part), self.taken, where)

    def parallel(self, call: Mapping[str, Any], where: str) -> None:
        """Read the calls inside OpenAI's `multi_tool_use.parallel`."""
        given = arguments_of(call)
        uses = given.get("tool_uses") if isinstance(given, Mapping) else None
        if not isinstance(uses, list | tuple) or not uses:
            unreadable(where, call)
        for use in uses:
            name = name_of(use) if isinstance(use, Mapping) else None
            if name is None:
                unreadable(f"{where}.tool_uses", use)
            self.calls.append(flat(name.removeprefix("functions."), use, None))
            refuse_unread_calls(beside_the_call(use), self.taken, where)
        rest = {key: value for key, value in given.items() if key != "tool_uses"}
        refuse_unread_calls({**rest, **beside_the_call(call)}, self.taken, where)


def _instead_of_content(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text that a message has in place of content: a refusal, what was spoken."""
    audio = message.get("audio")
    spoken = audio.get("transcript") if isinstance(audio, Mapping) else None
    yield from (text for text in (message.get("refusal"), spoken) if isinstance(text, str))


# ---- errors


def _error_in(response: Mapping[str, Any]) -> str | None:
    """Return the error that a reply reports, as text; None without one."""
    error = response.get("error")
    is_body = (
        response.get("type") == "error"
        or response.get("object") == "error"
        or "__type" in response
        or (isinstance(response.get("message"), str) and "content" not in response)
        or ("detail" in response and "content" not in response)
    )
    if not error and not is_body:
        return None
    return error_message_of(response) or json.dumps(error or dict(response), default=repr)[:500]


# ---- the table of shapes


class Shape(NamedTuple):
    """A shape of replies: its name, how it is known, and its reader."""

    name: str
    matches: Callable[[Mapping[str, Any]], bool]
    read: Callable[[_Reader, Mapping[str, Any]], None]


def _has(key: str, kind: type | tuple[type, ...] = object) -> Callable[[Mapping[str, Any]], bool]:
    return lambda response: key in response and isinstance(response[key], kind)


SHAPES: tuple[Shape, ...] = (
    Shape("OpenAI chat completion", _has("choices"), _Reader.completion),
    Shape("OpenAI Responses", _has("output", (list, tuple)), _Reader.responses),
    Shape("Mistral conversation, Gemini interaction", _has("outputs", list), _Reader.responses),
    Shape(
        "Bedrock Converse",
        lambda response: (
            isinstance(response.get("output"), Mapping)
            and isinstance(response["output"].get("message"), Mapping)
        ),
        _Reader.converse,
    ),
    Shape(
        "Gemini",
        lambda response: any(
            key in response for key in ("candidates", "promptFeedback", "prompt_feedback")
        ),
        _Reader.gemini,
    ),
    Shape("pydantic-ai", _has("parts", (list, tuple)), _Reader.pydantic_ai),
    Shape(
        "LangChain",
        lambda response: any(
            isinstance(response.get(key), Mapping) and "content" in response[key]
            for key in ("data", "kwargs")
        ),
        _Reader.serialised,
    ),
    Shape("a message in an object (Ollama, Cohere)", _has("message", Mapping), _Reader.wrapped),
    Shape(
        "a message (Anthropic, flat)",
        lambda response: any(
            key in response
            for key in ("content", "text", "tool_calls", "toolCalls", "function_call")
        ),
        _Reader.message,
    ),
)
"""The shapes in the order in which they are tried."""
