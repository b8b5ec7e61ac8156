"""Reading evidence from servers that do not play along."""

from __future__ import annotations

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from wt_git.mcp.fastmcp.child_process import EvidenceClient
from wt_git.mcp.fastmcp.server import ChildProcessMCPHandle

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def answering(body: bytes, status: int = 200) -> Iterator[int]:
    """Serve one answer to everything, and give the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the standard library's name

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("body", [b"{}", b"null", b'"calls"', b"3"])
def test_an_answer_that_is_no_list_is_no_evidence(body):
    """Whatever else it is, it does not say that nothing was called."""
    with answering(body) as port, pytest.raises(RuntimeError, match="not a list"):
        EvidenceClient("127.0.0.1", port, "t").get("/calls")


@pytest.mark.parametrize(
    ("body", "status"), [(b"[]", 403), (b"[]", 500), (b"[]", 404), (b"<html>", 200), (b"", 200)]
)
def test_a_refusal_or_rubbish_is_no_evidence(body, status):
    """An error status raises even when its body looks like a log; so does what is not JSON."""
    with answering(body, status) as port:
        handle = ChildProcessMCPHandle("127.0.0.1", port, "t")
        for use in (handle.call_log, handle.served_tools, handle.reset_call_log):
            with pytest.raises((RuntimeError, ValueError)):
                use()


@pytest.mark.parametrize("entry", [b"3", b"{}", b"null", b'{"tool_name": "a", "args": 3}'])
def test_an_entry_that_is_no_call_is_no_evidence(entry):
    """A log with something else in it is unreadable, not shorter."""
    with answering(b"[" + entry + b"]") as port:
        handle = ChildProcessMCPHandle("127.0.0.1", port, "t")
        with pytest.raises(RuntimeError, match="invalid call"):
            handle.call_log()
