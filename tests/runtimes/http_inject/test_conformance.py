"""The Contract C driver behaves as every driver has to, over real sockets."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from kit.conformance import Breaks, DriverConformance, Received, Subject

from wt_git.runtimes.http_inject import HttpInjectRuntime


class ScriptedEndpoint(ThreadingHTTPServer):
    """An agent process in miniature: it plays a script and remembers what it was told."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Routes)
        self.script = []
        self.received = []


class Routes(BaseHTTPRequestHandler):
    """Contract C without its optional route."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/wt/reset":
            self.server.received.clear()
            self._answer(200, {})
        elif self.path == "/wt/inject":
            self.server.received.append(Received(request["session_id"], request["text"]))
            position = min(len(self.server.received), len(self.server.script)) - 1
            self._play(self.server.script[position])
        else:
            self._answer(404, {})

    def _play(self, step):
        if isinstance(step, Breaks):
            self._answer(500, {})
            return
        calls = [{"name": name, "arguments": arguments} for name, arguments in step.tool_calls]
        optional = {"usage": step.usage, "model": step.model, "error": step.error}
        self._answer(
            200,
            {"reply": step.text, "tool_calls": calls}
            | {key: value for key, value in optional.items() if value is not None},
        )

    def _answer(self, status, payload):
        body = json.dumps({"wt_inject": 1, **payload}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing: standard error belongs to the test."""


class HttpInjectSubject(Subject):
    """A scripted endpoint on an ephemeral port."""

    consumes_full_history = False

    def __init__(self, endpoint):
        self._endpoint = endpoint

    def runtime(self, script):
        self._endpoint.script = list(script)
        return HttpInjectRuntime(f"http://127.0.0.1:{self._endpoint.server_port}", 30.0)

    def received(self, handle):
        return list(self._endpoint.received)


class TestHttpInject(DriverConformance):
    @pytest.fixture
    def subject(self):
        with ScriptedEndpoint() as endpoint:
            thread = threading.Thread(target=endpoint.serve_forever, args=(0.01,))
            thread.start()
            yield HttpInjectSubject(endpoint)
            endpoint.shutdown()
            thread.join()
