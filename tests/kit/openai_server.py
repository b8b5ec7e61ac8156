"""OpenAI-compatible chat servers over real HTTP: one that is scripted, one that only listens in.

with ScriptedModel() as model:
    model.script(calls("opening_hours", day="Saturday"), says("Until 16:00."))
    ...  # point an agent at model.url
    assert model.requests[0]["messages"][-1]["content"] == "..."
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Self

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = "scripted-1"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sends: a status and a body."""

    body: bytes
    status: int = 200


def says(text: str | None, *, usage: tuple[int, int] | None = (11, 3)) -> Answer:
    """Answer with `text`; `usage` are the prompt and completion tokens reported, None for none."""
    return _completion({"role": "assistant", "content": text}, "stop", usage)


def calls(name: str, *, usage: tuple[int, int] | None = (7, 5), **arguments: Any) -> Answer:
    """Ask for one call of tool `name`."""
    return calls_raw(name, json.dumps(arguments), usage=usage)


def calls_raw(name: str, arguments: str, *, usage: tuple[int, int] | None = (7, 5)) -> Answer:
    """Ask for one call of tool `name` with whatever text stands for its arguments."""
    function = {"name": name, "arguments": arguments}
    call = {"id": f"of-the-model-{name}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return _completion(message, "tool_calls", usage)


def _completion(message: dict[str, Any], reason: str, usage: tuple[int, int] | None) -> Answer:
    answer: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1767323045,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if usage is not None:
        prompt, completion = usage
        answer["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return Answer(json.dumps(answer).encode())


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away: tests kill agents in the middle of a request."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Server:
    """An HTTP server on a free loopback port; answers `POST <url>/chat/completions`."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self._http = _Http(("127.0.0.1", 0), _handler(self._received))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _received(self, path: str, body: bytes) -> Answer:
        if path != "/v1/chat/completions":
            return Answer(b'{"error": "no such route"}', 404)
        self.requests.append(json.loads(body))
        return self.answer(body)

    def answer(self, body: bytes) -> Answer:
        """Answer one request."""
        raise NotImplementedError


class ScriptedModel(_Server):
    """Answers from a script, one entry per request; without one it answers 500.

    An entry is an `Answer`, or a function without arguments that is called when its request has
    arrived and returns one: to kill somebody first, say.
    """

    def __init__(self) -> None:
        super().__init__()
        self._script: deque[Answer | Callable[[], Answer]] = deque()
        self._released = threading.Event()

    def script(self, *answers: Answer | Callable[[], Answer]) -> None:
        """Append to the script."""
        self._script.extend(answers)

    def hangs(self) -> Answer:
        """Answer only when the server is closed: an entry for a model that never does."""
        self._released.wait()
        return says("too late")

    def answer(self, body: bytes) -> Answer:
        """Take the next entry of the script."""
        del body
        entry = self._script.popleft() if self._script else Answer(b"the script is over", 500)
        return entry if isinstance(entry, Answer) else entry()

    def __exit__(self, *exc: object) -> None:
        self._released.set()
        super().__exit__(*exc)


@dataclass(slots=True)
class Exchange:
    """One request and its answer as they passed through a `PassThrough`."""

    request: dict[str, Any]
    response: dict[str, Any]


class PassThrough(_Server):
    """Hands every request on to the server at `upstream` unchanged, and keeps what passed."""

    def __init__(self, upstream: str) -> None:
        super().__init__()
        self.exchanges: list[Exchange] = []
        self._upstream = upstream

    def answer(self, body: bytes) -> Answer:
        """Ask the real server."""
        url = f"{self._upstream}/chat/completions"
        headers = {"Content-Type": "application/json"}
        with httpx.Client(timeout=None, trust_env=False) as client:
            answered = client.post(url, content=body, headers=headers)
        self.exchanges.append(Exchange(json.loads(body), answered.json()))
        return Answer(answered.content, answered.status_code)


def _handler(received: Callable[[str, bytes], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version: ClassVar[str] = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = received(self.path, body)
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_args: object) -> None:
            """Say nothing: the test reads `requests`."""

    return Handler
