"""The server helper, spoken to by the driver and by plain HTTP over real sockets."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.contract_c import served_agent

from wt_git.runtimes.http_inject.client import Client, EndpointError, parse_endpoint, post
from wt_git.runtimes.http_inject.runtime import HttpInjectHandle
from wt_git.runtimes.http_inject.server import (
    InjectReply,
    InjectRequest,
    ToolCall,
    create_app,
    serve,
)

GOOD_TURN = {"wt_inject": 1, "session_id": "s", "text": "hi", "timeout_s": 30}
SURFACE = {
    "system_instructions": [{"type": "text", "content": "Be brief."}],
    "tool_definitions": [],
    "extra_segments": [{"name": "memory", "content": "none"}],
}


def ask(url, text="hi", *, session="s", timeout_s=30.0, grace_s=60.0):
    """One turn; the grace is long, since these tests are not about a busy machine."""
    client = Client(parse_endpoint(url), timeout_s=timeout_s, grace_s=grace_s)
    return client.inject(session, text)


def handle_on(url):
    return HttpInjectHandle(Client(parse_endpoint(url), timeout_s=30))


def http(url, method, route, body=b"{}", content_type="application/json"):
    """One request of any kind; the status, the headers, and the body as JSON."""
    from http.client import HTTPConnection  # noqa: PLC0415

    connection = HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        connection.request(method, route, body, {"Content-Type": content_type})
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())
    finally:
        connection.close()


def echo(request):
    return InjectReply(f"{request.session_id}: {request.text}")


async def echo_async(request):
    await asyncio.sleep(0)
    return echo(request)


class EchoObject:
    async def __call__(self, request):
        return await echo_async(request)


@pytest.mark.parametrize(
    "inject",
    [echo, echo_async, lambda request: echo_async(request), EchoObject()],  # noqa: PLW0108
    ids=["plain", "async", "lambda-around-async", "async-object"],
)
def test_an_agent_may_be_plain_or_async(inject):
    """However the function is written, its reply is what the driver gets."""
    with served_agent(inject) as url:
        assert ask(url, "hé \ud800", session="one").reply == "one: hé \ud800"


def test_a_plain_agent_runs_on_a_thread_and_an_async_one_on_the_loop():
    """Blocking code may block; async code finds its loop, the same one every time."""
    loops = []

    def plain(_):
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return InjectReply(threading.current_thread().name)

    async def running(_):
        loops.append(asyncio.get_running_loop())
        return InjectReply("ok")

    with served_agent(plain) as url:
        assert ask(url).reply == "wt-agent-call"
    with served_agent(running) as url:
        ask(url)
        ask(url)
    assert loops[0] is loops[1]


def test_a_reply_arrives_with_all_it_reports():
    """Calls in order, usage, model and error, through the driver into the response."""

    def inject(request):
        assert request == InjectRequest("session", "hi", request.timeout_s)
        return InjectReply(
            "partly",
            tool_calls=[ToolCall("a", {"x": [1, None]}), ToolCall("b")],
            error="the second call failed",
            usage={"prompt_tokens": 3},
            model="m-1",
        )

    with served_agent(inject) as url:
        answer = ask(url, session="session")
    assert answer.reply == "partly"
    assert answer.tool_calls == [
        {"name": "a", "arguments": {"x": [1, None]}},
        {"name": "b", "arguments": {}},
    ]
    assert (answer.error, answer.usage, answer.model) == (
        "the second call failed",
        {"prompt_tokens": 3},
        "m-1",
    )


def test_what_was_not_reported_is_not_on_the_wire():
    """Absent is absent: no null usage, model or error."""
    with served_agent(echo) as url:
        status, _, body = http(url, "POST", "/wt/inject", json.dumps(GOOD_TURN))
    assert status == 200
    assert body == {"wt_inject": 1, "reply": "s: hi", "tool_calls": []}


class SilentError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("order"), "KeyError: 'order'"),
        (SilentError(), "SilentError"),
        (SystemExit(3), "SystemExit: 3"),
        (StopIteration(), "StopIteration"),
    ],
)
def test_an_agent_that_raises_is_an_error_envelope_with_the_calls_so_far(error, said):
    """The kind and text of the error, and what was done before it: the run can be scored."""

    def inject(request):
        request.calls_so_far.append(ToolCall("look", {"id": 1}))
        raise error

    with served_agent(inject) as url:
        answer = ask(url)
    assert (answer.reply, answer.error) == ("", said)
    assert answer.tool_calls == [{"name": "look", "arguments": {"id": 1}}]


def test_an_async_agent_that_raises_is_an_error_envelope_too():
    """The server goes on answering."""

    async def inject(request):
        if request.text == "break":
            raise ValueError("no")
        return InjectReply("fine")

    with served_agent(inject) as url:
        assert ask(url, "break").error == "ValueError: no"
        assert ask(url).reply == "fine"


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "must return an InjectReply, got None"),
        ("text", "must return an InjectReply, got str"),
        (InjectReply(), "answered nothing"),
        (InjectReply(" \n"), "answered nothing"),
        (InjectReply(None), "reply must be a string"),
        (InjectReply("x", error=" "), "error must be None or a non-empty string"),
        (InjectReply("x", [ToolCall("good"), {"name": "a"}]), r"tool_calls[1] must be a ToolCall"),
        (InjectReply("x", [ToolCall("good"), ToolCall("")]), r"tool_calls[1] must be a ToolCall"),
        (InjectReply("x", [ToolCall("good"), ToolCall("a", "{}")]), "that are a JSON object"),
        (InjectReply("x", [ToolCall("good"), ToolCall("a", {"x": {1}})]), "are a JSON object"),
        (InjectReply("x", [ToolCall("good"), ToolCall("a", {"x": float("nan")})]), "JSON object"),
        (InjectReply("x", None), "tool_calls must be a list or tuple"),
        (InjectReply("x", [ToolCall("good")], usage=[1]), "usage must be None or a JSON object"),
        (InjectReply("x", [ToolCall("good")], model=7), "model must be None or a string"),
    ],
)
def test_a_reply_the_wire_cannot_carry_is_an_error_that_says_why(returned, said):
    """The author reads it in the run; the calls that can be carried are kept."""

    def inject(request):
        request.calls_so_far.append(ToolCall("good"))
        return returned

    with served_agent(inject) as url:
        answer = ask(url)
    assert said in answer.error
    assert answer.reply == ""
    assert answer.tool_calls in ([], [{"name": "good", "arguments": {}}])
    own_calls = getattr(returned, "tool_calls", None)
    assert answer.tool_calls or not own_calls, "calls that can be carried are kept"


def test_an_agent_that_is_too_slow_is_an_error_envelope_in_time():
    """The driver gets it without needing any grace, with the calls made so far. An agent with a
    deadline of its own is told a little less than the bench allows, so its own words come first."""
    release = threading.Event()
    told = []

    def inject(request):
        request.calls_so_far.append(ToolCall("look"))
        release.wait()
        return InjectReply("too late")

    async def inject_in_time(request):
        told.append(request.timeout_s)
        try:
            async with asyncio.timeout(request.timeout_s):
                await asyncio.Event().wait()
        except TimeoutError:
            return InjectReply("I have only this", error="the model is too slow")

    with (
        served_agent(inject) as slow,
        served_agent(inject_in_time) as in_time,
        ThreadPoolExecutor(2) as pool,
    ):
        turns = (
            pool.submit(ask, slow, timeout_s=4.0, grace_s=0),
            pool.submit(ask, in_time, timeout_s=4.0),
        )
        without, own = (turn.result() for turn in turns)
        release.set()
    assert without.error == "the agent did not answer within 4 s"
    assert [call["name"] for call in without.tool_calls] == ["look"]
    assert (own.reply, own.error) == ("I have only this", "the model is too slow")
    assert 0 < told[0] < 4


def test_an_async_agent_that_is_too_slow_is_told_to_stop():
    """It is cancelled, so that it does no more than it was given time for."""
    cancelled = threading.Event()

    async def inject(request):
        request.calls_so_far.append(ToolCall("look"))
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with served_agent(inject) as url:
        answer = ask(url, timeout_s=0.3)
        assert cancelled.wait(60)
    assert answer.error == "the agent did not answer within 0.3 s"
    assert [call["name"] for call in answer.tool_calls] == ["look"]


def test_turns_of_one_session_never_overlap_and_other_sessions_do():
    """Two sessions meet inside the agent; two turns of one would be counted as two."""
    meeting = threading.Barrier(2)
    inside = {"a": 0, "b": 0}
    most = []

    def inject(request):
        inside[request.session_id] += 1
        most.append(inside[request.session_id])
        meeting.wait(30)
        inside[request.session_id] -= 1
        return InjectReply(request.text)

    with served_agent(inject) as url, ThreadPoolExecutor(6) as pool:
        turns = [
            pool.submit(ask, url, str(number), session="ab"[number % 2]) for number in range(6)
        ]
        assert [turn.result().reply for turn in turns] == [str(number) for number in range(6)]
    assert set(most) == {1}


def test_a_turn_waits_for_the_one_before_it_only_so_long():
    """A session whose last turn never ended answers with an error, in time, and calls nothing."""
    release = threading.Event()
    begun = []

    def inject(request):
        begun.append(request.text)
        release.wait()
        return InjectReply("done")

    with served_agent(inject) as url:
        assert "did not answer" in ask(url, "first", timeout_s=0.3).error
        assert "did not begin" in ask(url, "second", timeout_s=0.3).error
        release.set()
        assert ask(url, "third").reply == "done"
    assert begun == ["first", "third"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_reset_is_answered_when_it_is_done(is_async):
    """Plain or async, once per request, and the conversation is gone afterwards."""
    sessions = {"s": 1}

    async def reset_async():
        await asyncio.sleep(0)
        sessions.clear()

    with served_agent(echo, reset_async if is_async else sessions.clear) as url:
        status, _, body = http(url, "POST", "/wt/reset", b'{"wt_inject": 1}')
        assert sessions == {}
        handle_on(url).reset_state()
    assert (status, body) == (200, {"wt_inject": 1})


def test_a_reset_that_fails_is_fatal_for_the_driver():
    """It is never answered as done, and the agent's own error is in the message."""

    def reset():
        raise OSError("the index is locked")

    with (
        served_agent(echo, reset) as url,
        pytest.raises(EndpointError, match=r"got 500.*OSError: the index is locked"),
    ):
        handle_on(url).reset_state()


def test_a_reset_waits_for_a_plain_turn_in_flight():
    """What the turn still writes is wiped with the rest."""
    written = []
    entered, release = threading.Event(), threading.Event()

    def inject(_):
        entered.set()
        release.wait()
        written.append("late")
        return InjectReply("done")

    with served_agent(inject, written.clear) as url, ThreadPoolExecutor(2) as pool:
        turn = pool.submit(ask, url)
        assert entered.wait(30)
        reset = pool.submit(handle_on(url).reset_state)
        release.set()
        reset.result()
        assert turn.result().reply == "done"
    assert written == []


def test_a_reset_ends_an_async_turn_in_flight():
    """A bench that was killed and started again need not wait for the turn it abandoned."""
    entered = threading.Event()

    async def inject(_):
        entered.set()
        await asyncio.Event().wait()

    with served_agent(inject) as url, ThreadPoolExecutor(1) as pool:
        turn = pool.submit(ask, url)
        assert entered.wait(30)
        handle_on(url).reset_state()
        assert turn.result().error == "the turn was cancelled"


def test_a_reset_over_a_turn_that_never_ends_is_refused():
    """Its late effects would survive, so the wipe cannot be confirmed; later it can."""
    release = threading.Event()
    resets = []

    def inject(_):
        release.wait()
        return InjectReply("late")

    with served_agent(inject, lambda: resets.append(1)) as url:
        assert ask(url, timeout_s=0.3).error
        with pytest.raises(EndpointError, match=r"got 503.*still running"):
            handle_on(url).reset_state()
        assert resets == []
        release.set()
        handle_on(url).reset_state()
    assert resets == [1]


def test_a_turn_that_comes_during_a_reset_begins_after_it():
    """It finds the state wiped, whole, not half."""
    order = []
    entered, release = threading.Event(), threading.Event()

    def reset():
        entered.set()
        release.wait()
        order.append("wiped")

    def inject(_):
        order.append("turn")
        return InjectReply("ok")

    with served_agent(inject, reset) as url, ThreadPoolExecutor(2) as pool:
        wiping = pool.submit(handle_on(url).reset_state)
        assert entered.wait(30)
        assert "a reset, is still under way" in ask(url, timeout_s=0.3).error
        turn = pool.submit(ask, url)
        release.set()
        assert turn.result().reply == "ok"
        wiping.result()
    assert order == ["wiped", "turn"]


async def surface_async():
    return SURFACE


@pytest.mark.parametrize("surface", [lambda: {**SURFACE, "more": 1}, surface_async])
def test_a_surface_is_offered_when_there_is_one(surface):
    """Plain or async; only the three lists go out."""
    with served_agent(echo, surface=surface) as url:
        assert handle_on(url).describe_surface() == {"status": "reported", **SURFACE}


def test_without_a_surface_the_route_is_not_there():
    """404, which the driver takes for what it is."""
    with served_agent(echo) as url:
        assert http(url, "POST", "/wt/surface", b'{"wt_inject": 1}')[0] == 404
        assert handle_on(url).describe_surface() == {"status": "unavailable"}


@pytest.mark.parametrize(
    ("surface", "said"),
    [
        (lambda: None, "surface is not"),
        (lambda: {"system_instructions": []}, "missing required field 'tool_definitions'"),
        (lambda: {**SURFACE, "tool_definitions": [{"name": "a", "x": {1}}]}, "surface is not"),
        (lambda: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_surface_that_is_not_one_is_told_to_its_author(surface, said):
    """500 with the reason; the driver reports it as invalid."""
    with served_agent(echo, surface=surface) as url:
        status, _, body = http(url, "POST", "/wt/surface", b'{"wt_inject": 1}')
        assert handle_on(url).describe_surface()["status"] == "invalid"
    assert status == 500
    assert said in body["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not valid JSON"),
        (b"[1]", "must be an object"),
        (b"\xff", "not valid UTF-8"),
        (b"{}", "missing required field 'wt_inject'"),
        (json.dumps({**GOOD_TURN, "wt_inject": 2}), "'wt_inject' must equal 1"),
        (json.dumps({**GOOD_TURN, "text": None}), "'text' must be a string"),
        (json.dumps({**GOOD_TURN, "session_id": 1}), "'session_id' must be a string"),
        (json.dumps({**GOOD_TURN, "timeout_s": 0}), "'timeout_s' must be a positive"),
        (json.dumps({**GOOD_TURN, "timeout_s": float("inf")}), "not valid JSON"),
    ],
)
def test_a_request_that_is_none_is_refused_without_asking_the_agent(body, said):
    """400, the version and the reason."""
    asked = []
    with served_agent(asked.append) as url:
        status, _, answer = http(url, "POST", "/wt/inject", body)
    assert (status, answer["wt_inject"]) == (400, 1)
    assert said in answer["error"]
    assert asked == []


def test_unknown_keys_of_a_request_are_ignored():
    """Version 1 may grow."""
    with served_agent(echo) as url:
        status, _, body = http(url, "POST", "/wt/inject", json.dumps({**GOOD_TURN, "new": 1}))
    assert (status, body["reply"]) == (200, "s: hi")


def test_other_routes_methods_and_types_are_refused_by_name():
    """404 says which routes there are, 405 which method, 415 which type a page cannot send."""
    resets = []
    with served_agent(echo, lambda: resets.append(1)) as url:
        status, _, body = http(url, "POST", "/wt/injekt")
        assert (status, "/wt/inject" in body["error"]) == (404, True)
        status, headers, _ = http(url, "GET", "/wt/reset")
        assert (status, headers["Allow"]) == (405, "POST")
        status, _, body = http(url, "POST", "/wt/reset", b'{"wt_inject": 1}', "text/plain")
        assert (status, "text/plain" in body["error"]) == (415, True)
        assert resets == []
        given = "Application/JSON; charset=utf-8"
        assert http(url, "POST", "/wt/reset", b'{"wt_inject": 1}', given)[0] == 200


def test_a_reset_needs_the_version():
    """A request of another version wipes nothing."""
    resets = []
    with served_agent(echo, lambda: resets.append(1)) as url:
        assert http(url, "POST", "/wt/reset", b'{"wt_inject": 2}')[0] == 400
    assert resets == []


def test_a_caller_that_hangs_up_in_mid_request_is_no_turn():
    """The agent is not asked half a question, and the server goes on."""
    asked = []

    def inject(request):
        asked.append(request.text)
        return InjectReply("ok")

    with served_agent(inject) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as connection:
            head = "POST /wt/inject HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            connection.sendall(f'{head}Content-Length: 100\r\n\r\n{{"wt_inject"'.encode())
        assert ask(url, "whole").reply == "ok"
    assert asked == ["whole"]


def test_the_application_has_a_life_of_its_own_under_any_server():
    """It answers the start and the end that an ASGI server announces, and refuses websockets."""
    sent = []
    events = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive():
        return {"type": next(events)}

    async def send(message):
        sent.append(message["type"])

    app = create_app(echo, lambda: None)
    asyncio.run(app({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    with pytest.raises(RuntimeError, match="websocket"):
        asyncio.run(app({"type": "websocket"}, receive, send))


AGENT = """
import sys, threading
from wt_git.runtimes.http_inject.server import InjectReply, serve

def inject(request):
    if request.text == "hang":
        print("hanging", flush=True)
        threading.Event().wait()
    return InjectReply("ok")

serve(inject, lambda: None, port=int(sys.argv[1]), on_ready=lambda url: print(url, flush=True))
print("served", flush=True)
"""


@pytest.fixture
def agent_process():
    process = subprocess.Popen(
        [sys.executable, "-c", AGENT, "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_served_agent_says_its_url_and_ends_cleanly_on_a_signal(agent_process, number):
    """The function returns, what stands after it runs, and the exit code is 0."""
    url = agent_process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    assert ask(url).reply == "ok"
    os.kill(agent_process.pid, number)
    out, err = agent_process.communicate(timeout=60)
    assert (out, err, agent_process.returncode) == ("served\n", "", 0)


def test_a_served_agent_ends_even_with_a_turn_that_never_does(agent_process):
    """A hung turn holds the process back for a moment only."""
    url = agent_process.stdout.readline().strip()
    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(ask, url, "hang")
        assert agent_process.stdout.readline() == "hanging\n"
        os.kill(agent_process.pid, signal.SIGTERM)
        out, _ = agent_process.communicate(timeout=60)
        assert turn.exception() is not None
    assert (out, agent_process.returncode) == ("served\n", 0)


def test_an_address_that_is_taken_is_said_with_the_port():
    """An agent that cannot listen ends with a sentence, not with a log line and exit code 3."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"cannot listen on 127\.0\.0\.1 port {port}: "):
            serve(echo, lambda: None, port=port)


def test_an_agent_may_be_served_over_ipv6_and_from_another_thread():
    """The URL has its brackets; signals stay with the main thread."""
    urls = []
    ready = threading.Event()

    def on_ready(url):
        urls.append(url)
        ready.set()

    options = {"host": "::1", "port": 0, "on_ready": on_ready}
    threading.Thread(target=serve, args=(echo, lambda: None), kwargs=options, daemon=True).start()
    assert ready.wait(30)
    assert urls[0].startswith("http://[::1]:")
    received = post(parse_endpoint(urls[0]), "/wt/reset", b'{"wt_inject": 1}', timeout_s=30)
    assert (received.status, received.body) == (200, b'{"wt_inject": 1}')
