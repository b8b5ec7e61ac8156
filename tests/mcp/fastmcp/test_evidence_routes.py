from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from wt_git.mcp.fastmcp import LoggingFastMCP


def server() -> LoggingFastMCP:
    made = LoggingFastMCP("routed")

    @made.tool()
    def add(a: int) -> int:
        """Add one."""
        return a + 1

    add(1)
    return made


def ask(app, method, path, *, token=None, peer="127.0.0.1", body=None) -> httpx.Response:
    """Send one request to an ASGI app as if from `peer`."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(peer, 1))
        headers = {"Authorization": f"Bearer {token}".encode()} if token else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
            return await client.request(method, path, headers=headers, content=body)

    return asyncio.run(send())


ROUTES = [
    ("GET", "/calls"),
    ("POST", "/calls/reset"),
    ("GET", "/tools"),
    ("GET", "/tools/definitions"),
    ("GET", "/failures"),
    ("POST", "/failures"),
]


def test_the_log_is_a_list_of_calls():
    """A call has four fields, and `extra` only where there is something to say."""
    made = server()
    made.call_log.begin("slow", {})
    plain, unfinished = ask(made.build_app(), "GET", "/calls").json()
    assert set(plain) == {"tool_name", "args", "result", "timestamp_ms"}
    assert (plain["tool_name"], plain["args"], plain["result"]) == ("add", {"a": 1}, 2)
    assert unfinished["extra"] == {"unfinished": True}


def test_the_log_can_be_cleared():
    """A reset says that it was done, and it was."""
    app = server().build_app()
    assert ask(app, "POST", "/calls/reset").json() == {"ok": True}
    assert ask(app, "GET", "/calls").json() == []


def test_tools_are_named_and_defined():
    """Names alone, or as an agent sees them."""
    made = server()
    assert ask(made.build_app(), "GET", "/tools").json() == ["add"]
    definitions = ask(made.build_app(), "GET", "/tools/definitions").json()
    assert definitions == made.served_tool_definitions()


def test_failures_are_armed_and_listed():
    """A mode is set for all tools, listed, and taken back."""
    app = server().build_app()
    armed = [{"tool": "add", "mode": "timeout", "probability": 1.0}]
    assert ask(app, "POST", "/failures", body='{"mode": "timeout"}').json() == armed
    assert ask(app, "GET", "/failures").json() == armed
    assert ask(app, "POST", "/failures", body='{"mode": null}').json() == []


@pytest.mark.parametrize("body", ['{"mode": "lazy"}', '{"mode": 3}', "{}", "[]", "no json", ""])
def test_a_request_that_asks_for_nothing_known_is_refused(body):
    """A mistake is a 400 with a reason, and changes nothing."""
    made = server()
    response = ask(made.build_app(), "POST", "/failures", body=body)
    assert response.status_code == 400
    assert response.json()["error"]
    assert made.armed_failures() == []


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("token", [None, "wrong", "secret2", "s\u00e9cret"])
def test_without_the_token_nobody_reads_or_clears_the_evidence(method, path, token):
    """The agent shares the port with the evidence, and gets none of it."""
    made = server()
    app = made.new_app(token="secret")
    response = ask(app, method, path, token=token, body='{"mode": "timeout"}')
    assert response.status_code == 403
    assert "add" not in response.text
    assert len(made.call_log.get_calls()) == 1
    assert made.armed_failures() == []


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_bearer_of_the_token_may(method, path):
    """The bench that started the server is answered, from wherever it asks."""
    app = server().new_app(token="secret")
    response = ask(app, method, path, token="secret", peer="10.0.0.9", body='{"mode": null}')
    assert response.status_code == 200


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_server_without_a_token_answers_its_own_machine_only(method, path):
    """Run by hand, it can be looked into from the same machine and from no other."""
    app = server().build_app()
    body = '{"mode": null}'
    assert ask(app, method, path, peer="10.0.0.9", body=body).status_code == 403
    for here in ("127.0.0.1", "::1", "testclient"):
        assert ask(app, method, path, peer=here, body=body).status_code == 200


def test_what_json_has_no_form_for_is_sent_as_its_repr():
    """No result keeps the log from being read."""
    made = server()
    loop: list = []
    loop.append(loop)
    for value in ({1, 2}, {("a", 1): object}, loop, {"deep": [b"bytes"]}):
        made.call_log.record("odd", {}, value)
    calls = json.loads(ask(made.build_app(), "GET", "/calls").text)
    assert len(calls) == 5
    assert calls[1]["result"] == "{1, 2}"
    assert calls[2]["result"] == {"('a', 1)": "<class 'object'>"}
