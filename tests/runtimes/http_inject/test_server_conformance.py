"""The driver and the server helper together pass what every driver has to pass."""

from contextlib import ExitStack

import pytest
from kit.conformance import Breaks, DriverConformance, Received, Subject
from kit.contract_c import served_app

from wt_git.runtimes.http_inject import HttpInjectRuntime
from wt_git.runtimes.http_inject.server import InjectReply, ToolCall, create_app


class Player:
    """An agent behind the server helper that plays a script, and can break the wire."""

    def __init__(self, script):
        self._script = script
        self._app = create_app(self.inject, self.reset)
        self._position = 0
        self.received = []

    async def __call__(self, scope, receive, send):
        if scope.get("path") != "/wt/inject" or not isinstance(self._current(), Breaks):
            await self._app(scope, receive, send)
            return
        self._position += 1
        await send({"type": "http.response.start", "status": 500, "headers": []})
        await send({"type": "http.response.body", "body": b"the script breaks here"})

    def inject(self, request):
        step = self._current()
        self._position += 1
        self.received.append(Received(request.session_id, request.text))
        return InjectReply(
            step.text,
            [ToolCall(name, arguments) for name, arguments in step.tool_calls],
            error=step.error,
            usage=step.usage,
            model=step.model,
        )

    def reset(self):
        self._position = 0
        self.received.clear()

    def _current(self):
        return self._script[min(self._position, len(self._script) - 1)]


class HttpInjectSubject(Subject):
    consumes_full_history = False

    def __init__(self, servers):
        self._servers = servers
        self._player = None

    def runtime(self, script):
        self._player = Player(script)
        return HttpInjectRuntime(self._servers.enter_context(served_app(self._player)))

    def received(self, _handle):
        return list(self._player.received)


class TestHttpInject(DriverConformance):
    """The Contract C driver and the server helper, over real sockets."""

    @pytest.fixture
    def subject(self):
        with ExitStack() as servers:
            yield HttpInjectSubject(servers)
