"""Lets a language model decide: any server that speaks the OpenAI chat format."""

from __future__ import annotations

import json
from typing import Any

import httpx
from steps import AgentError, Call, Message, Step, Tool

SYSTEM_PROMPT = (
    "You are the desk of the Rivermouth town library. Look everything up with your tools; "
    "never answer from memory. Answer in one or two sentences. "
    "If you need to know something from the reader first, ask."
)


MAX_TOKENS = 400  # a desk's answer is short; a small model that rambles is cut off here


class ChatModel:
    """A chat endpoint: `url` without `/chat/completions`, the `model` to ask for, and its key."""

    def __init__(self, url: str, model: str, key: str, system_prompt: str) -> None:
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._system = {"role": "system", "content": system_prompt}
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def decide(self, messages: list[Message], tools: list[Tool]) -> Step:
        """Ask the model once and return what it wants to do."""
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [self._system, *messages],
            "max_tokens": MAX_TOKENS,
        }
        if tools:
            request |= {"tools": [_declare(tool) for tool in tools], "tool_choice": "auto"}
        # No limit of its own: the turn has a deadline, and a slow model is not yet a broken one.
        async with httpx.AsyncClient(timeout=None) as client:
            response = await client.post(self._url, json=request, headers=self._headers)
        if response.status_code != httpx.codes.OK:
            raise AgentError(f"the model's server answered {response.status_code}: {response.text}")
        return _read(response.text)


def _declare(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _read(body: str) -> Step:
    try:
        answer = json.loads(body)
        message = answer["choices"][0]["message"]
        model, usage = answer.get("model"), answer.get("usage")
        asked = [call["function"] for call in message.get("tool_calls") or ()]
        text = message.get("content") or ""
    except (ValueError, LookupError, TypeError, AttributeError):
        raise AgentError(f"the model's server gave no chat completion: {body[:200]}") from None
    try:
        calls = tuple(_read_call(function) for function in asked)
    except (ValueError, LookupError, TypeError):
        # The tokens are spent all the same, so this is a step and not only an error.
        problem = f"the model asked for a call that cannot be made: {json.dumps(asked)[:200]}"
        return Step(model=model, usage=usage, problem=problem)
    return Step(text, calls, model, usage)


def _read_call(function: dict[str, Any]) -> Call:
    arguments = json.loads(function["arguments"] or "{}")
    if not isinstance(arguments, dict):
        raise TypeError(function["name"])
    return Call(function["name"], arguments)
