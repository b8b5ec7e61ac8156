"""The driver against a real socket that does as it is told."""

import json

import pytest
from kit.contract_c import (
    CERTIFICATE,
    GOOD_ANSWER,
    GOOD_RESET,
    answer,
    hang_up,
    raw,
    response,
    scripted_endpoint,
    silence,
    trickle,
    tunnel,
)

from wt_git.evidence.targets import normalise_key
from wt_git.runtimes.http_inject import DEFAULT_TIMEOUT_S, HttpInjectRuntime
from wt_git.runtimes.http_inject.client import Client, EndpointError, parse_endpoint
from wt_git.runtimes.http_inject.runtime import PLUGIN, HttpInjectHandle
from wt_git.spi.agent_runtime import (
    AgentConfig,
    AgentHandle,
    AgentRuntime,
    MCPSpec,
    ModelSpec,
    SamplingConfig,
    SurfaceIntrospectableAgentHandle,
)
from wt_git.spi.reference import ReferenceCapableAgentRuntime

ASK = [{"role": "user", "content": "what is 2 + 2?"}]
CALL = {"name": "add", "arguments": {"a": 2, "b": [2, "ü"]}}
SURFACE = {
    "system_instructions": [{"type": "text", "content": "Be brief."}],
    "tool_definitions": [{"name": "add", "input_schema": {"type": "object"}}],
    "extra_segments": [],
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    monkeypatch.delenv("WT_INJECT_URL", raising=False)
    monkeypatch.delenv("WT_INJECT_TIMEOUT_S", raising=False)


def handle_on(url, *, timeout_s=30.0):
    return HttpInjectRuntime(url, timeout_s).provision(AgentConfig())


def hurried_handle_on(url):
    """A handle that gives up after 0.4 s in all, so that tests of deadlines need not wait."""
    return HttpInjectHandle(Client(parse_endpoint(url), timeout_s=0.3, grace_s=0.1))


def test_a_turn_is_one_post_of_four_keys():
    """Only the newest user text is sent, with the session and the agent's own deadline."""
    history = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "and?"},
        {"role": "user", "content": "zweite Frage \ud800 ü"},
        {"role": "assistant", "content": "", "tool_calls": []},
    ]
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        handle_on(endpoint.url + "/", timeout_s=7).send(history, "session-1")
    (request,) = endpoint.requests
    assert (request.method, request.target) == ("POST", "/wt/inject")
    assert request.headers["content-type"] == request.headers["accept"] == "application/json"
    assert request.headers["host"] == endpoint.url.removeprefix("http://")
    assert request.payload == {
        "wt_inject": 1,
        "session_id": "session-1",
        "text": "zweite Frage \ud800 ü",
        "timeout_s": 7.0,
    }


def test_an_answer_becomes_a_chat_completion_with_calls_in_order():
    """Each call gets an id and its arguments as a JSON string."""
    payload = {**GOOD_ANSWER, "tool_calls": [CALL, {"name": "ask", "arguments": {}}]}
    with scripted_endpoint(answer(payload)) as endpoint:
        received = handle_on(endpoint.url).send(ASK, "s")
    (choice,) = received["choices"]
    first, second = choice["message"]["tool_calls"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] | {"tool_calls": []} == {
        "role": "assistant",
        "content": "it is 4",
        "tool_calls": [],
    }
    assert json.loads(first["function"].pop("arguments")) == CALL["arguments"]
    assert first == {"id": "call_0", "type": "function", "function": {"name": "add"}}
    assert second == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "ask", "arguments": "{}"},
    }
    assert set(received) == {"choices"}


def test_an_answer_without_calls_stops():
    """No calls are an empty list and the finish reason `stop`."""
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        (choice,) = handle_on(endpoint.url).send(ASK, "s")["choices"]
    assert (choice["finish_reason"], choice["message"]["tool_calls"]) == ("stop", [])


def test_a_failure_of_the_agent_is_its_one_warning_and_can_be_scored():
    """The error arrives word for word, the reply as given, nothing made up."""
    payload = {**GOOD_ANSWER, "reply": "", "tool_calls": [CALL], "error": "the model is down"}
    with scripted_endpoint(answer(payload)) as endpoint:
        received = handle_on(endpoint.url).send(ASK, "s")
    assert received["worker_warnings"] == ["the model is down"]
    assert received["choices"][0]["message"]["content"] == ""
    assert len(received["choices"][0]["message"]["tool_calls"]) == 1


def test_usage_and_model_pass_through():
    """An endpoint that reports tokens can be priced; nested calls arrive whole."""
    usage = {"prompt_tokens": 9, "calls": [{"prompt_tokens": 4}, {"prompt_tokens": 5}]}
    with scripted_endpoint(answer({**GOOD_ANSWER, "usage": usage, "model": "m-1"})) as endpoint:
        received = handle_on(endpoint.url).send(ASK, "s")
    assert (received["usage"], received["model"]) == (usage, "m-1")


@pytest.mark.parametrize(
    ("messages", "token"),
    [
        ([], "no user message"),
        ([{"role": "assistant", "content": "x"}], "no user message"),
        ([{"role": "user", "content": None}], "must be a string"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "must be a string"),
        ([*ASK, {"role": "user"}], "must be a string"),
    ],
)
def test_what_holds_no_user_text_is_refused_before_anything_is_sent(messages, token):
    """The endpoint is not asked: there is nothing to deliver."""
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        with pytest.raises(RuntimeError, match=rf"http_inject send: .*{token}"):
            handle_on(endpoint.url).send(messages, "s")
        assert endpoint.requests == []


@pytest.mark.parametrize("status", [201, 204, 301, 302, 303, 307, 308, 400, 404, 500, 503])
def test_any_status_but_200_breaks_the_contract(status):
    """Redirects included: a POST that turns into a GET somewhere else tests another agent."""
    there = "Location: http://127.0.0.1:9/elsewhere\r\n" if 300 <= status < 400 else ""
    body = b"" if status == 204 else b"what went wrong"
    with (
        scripted_endpoint(answer(body, status, there)) as endpoint,
        pytest.raises(EndpointError) as refusal,
    ):
        handle_on(endpoint.url).send(ASK, "s")
    assert f"http_inject inject: expected HTTP 200, got {status}" in str(refusal.value)
    assert body.decode() in str(refusal.value)
    assert len(endpoint.requests) == 1


def test_a_redirect_to_a_working_endpoint_is_not_followed():
    """The message says where it points; the other endpoint is never asked."""
    with scripted_endpoint(answer(GOOD_ANSWER)) as other:
        there = f"Location: {other.url}/wt/inject\r\n"
        with (
            scripted_endpoint(answer(b"", 307, there)) as endpoint,
            pytest.raises(EndpointError, match=r"not followed") as refusal,
        ):
            handle_on(endpoint.url).send(ASK, "s")
        assert other.requests == []
    assert other.url in str(refusal.value)


def test_a_long_error_page_is_cut():
    """A megabyte of HTML does not end up in a trace."""
    with (
        scripted_endpoint(answer(b"<p>" * 400_000, 500)) as endpoint,
        pytest.raises(EndpointError) as refusal,
    ):
        handle_on(endpoint.url).send(ASK, "s")
    assert len(str(refusal.value)) < 2_300
    assert "1200000 bytes" in str(refusal.value)


@pytest.mark.parametrize(
    ("payload", "token"),
    [
        (b"\xff\xfe", "not valid UTF-8"),
        (b"<html>oops", "not valid JSON"),
        ([], "must be an object"),
        ({**GOOD_ANSWER, "wt_inject": True}, "field 'wt_inject' must equal 1"),
        ({"wt_inject": 1, "reply": "x"}, "missing required field 'tool_calls'"),
        ({**GOOD_ANSWER, "reply": " "}, "field 'reply' may be empty only"),
        ({**GOOD_ANSWER, "error": ""}, "field 'error' must be"),
        ({**GOOD_ANSWER, "tool_calls": [{"name": "a", "arguments": "{}"}]}, "arguments must be"),
    ],
)
def test_a_body_that_breaks_the_contract_is_an_error_with_status_and_body(payload, token):
    """The developer sees what the endpoint said beside what was wrong with it."""
    with scripted_endpoint(answer(payload)) as endpoint:
        with pytest.raises(
            EndpointError, match=rf"^http_inject inject: .*{token}.*HTTP 200, body: "
        ):
            handle_on(endpoint.url).send(ASK, "s")
        assert len(endpoint.requests) == 1, "nothing is tried twice"


WHOLE = response(json.dumps(GOOD_ANSWER).encode())
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "step",
    [
        hang_up(),
        raw(WHOLE[:-3]),
        raw(WHOLE[:25]),
        raw(CHUNKED + b"40\r\n{"),
        raw(CHUNKED + b"zz\r\n"),
        raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        raw(b"HTTP/1.1 two hundred\r\n\r\n"),
        raw(b"\x00\xff" * 100),
        raw(b"HTTP/1.1 200 OK\r\nA: " + b"a" * 100_000 + b"\r\n\r\n"),
    ],
    ids=[
        "hang-up",
        "cut-body",
        "cut-head",
        "cut-chunk",
        "bad-chunk",
        "ssh",
        "bad-status",
        "noise",
        "long-header",
    ],
)
def test_a_broken_exchange_is_a_transport_error_with_its_url(step):
    """Whatever the client library makes of it, the operation and the URL are named."""
    with (
        scripted_endpoint(step) as endpoint,
        pytest.raises(EndpointError, match=r"^http_inject inject: transport error") as failure,
    ):
        handle_on(endpoint.url).send(ASK, "s")
    assert f"{endpoint.url}/wt/inject" in str(failure.value)
    assert len(endpoint.requests) == 1


def test_a_chunked_answer_and_one_ended_by_closing_are_read():
    """Both are whole HTTP/1.1 bodies."""
    body = json.dumps(GOOD_ANSWER).encode()
    chunked = (
        CHUNKED + b"".join(b"%x\r\n%b\r\n" % (1, bytes([byte])) for byte in body) + b"0\r\n\r\n"
    )
    with scripted_endpoint(raw(chunked), raw(b"HTTP/1.0 200 OK\r\n\r\n" + body)) as endpoint:
        handle = handle_on(endpoint.url)
        texts = [handle.send(ASK, "s")["choices"][0]["message"]["content"] for _ in range(2)]
    assert texts == ["it is 4", "it is 4"]


def test_an_endpoint_that_is_down_is_a_transport_error_that_asks_the_right_question():
    """The most frequent mistake is an agent that was not started."""
    with scripted_endpoint(hang_up()) as endpoint:
        pass
    with pytest.raises(EndpointError, match=r"http_inject reset: transport error.*running there"):
        handle_on(endpoint.url).reset_state()


@pytest.mark.parametrize(
    "step",
    [
        silence(),
        trickle(WHOLE),
        trickle(WHOLE, at_once=len(WHOLE) - 40),
        trickle(CHUNKED + b"1\r\n \r\n" * 100, at_once=len(CHUNKED)),
    ],
    ids=["silence", "slow-head", "slow-body", "slow-chunks"],
)
def test_one_deadline_holds_for_a_whole_exchange(step):
    """Each of the slow answers is complete in the end, but not in time: a byte now and then does
    not buy a request more of it."""
    with (
        scripted_endpoint(step) as endpoint,
        pytest.raises(EndpointError, match=r"http_inject inject: transport timeout.* 0.4 s"),
    ):
        hurried_handle_on(endpoint.url).send(ASK, "s")


def test_the_deadline_of_an_exchange_is_the_agents_and_five_seconds():
    """The endpoint gets its whole deadline and some grace for the answer's way."""
    with (
        scripted_endpoint(silence()) as endpoint,
        pytest.raises(EndpointError, match=r"transport timeout.* 5.01 s"),
    ):
        handle_on(endpoint.url, timeout_s=0.01).send(ASK, "s")
    assert endpoint.requests[0].payload["timeout_s"] == 0.01


def test_a_body_without_end_is_not_read_for_ever():
    """An endpoint that streams without end is stopped by size before it fills the memory."""

    def flood(connection, endpoint):
        connection.sendall(CHUNKED)
        while not endpoint.closing.is_set():
            connection.sendall(b"100000\r\n" + b" " * 0x100000 + b"\r\n")

    with (
        scripted_endpoint(flood) as endpoint,
        pytest.raises(EndpointError, match=r"transport error.*longer than"),
    ):
        handle_on(endpoint.url).send(ASK, "s")


def test_a_reset_is_one_post_of_the_version():
    """Nothing scopes it: it is total."""
    with scripted_endpoint(answer({**GOOD_RESET, "more": "ignored"})) as endpoint:
        handle_on(endpoint.url).reset_state()
    (request,) = endpoint.requests
    assert (request.method, request.target) == ("POST", "/wt/reset")
    assert request.payload == {"wt_inject": 1}


@pytest.mark.parametrize(
    ("step", "token"),
    [
        (answer(GOOD_RESET, 500), "expected HTTP 200, got 500"),
        (answer(GOOD_RESET, 202), "expected HTTP 200, got 202"),
        (answer({}), "missing required field 'wt_inject'"),
        (answer({"wt_inject": 2}), "field 'wt_inject' must equal 1"),
        (answer(b"ok"), "not valid JSON"),
        (hang_up(), "transport error"),
    ],
)
def test_a_reset_that_was_not_confirmed_raises(step, token):
    """Anything but the envelope leaves open whether the state is gone."""
    with (
        scripted_endpoint(step) as endpoint,
        pytest.raises(EndpointError, match=rf"^http_inject reset: .*{token}"),
    ):
        handle_on(endpoint.url).reset_state()


@pytest.mark.parametrize("status", [404, 501])
def test_an_endpoint_without_the_surface_route_conforms(status):
    """It reports nothing, and nothing is made up for it."""
    with scripted_endpoint(answer(b"no", status)) as endpoint:
        assert handle_on(endpoint.url).describe_surface() == {"status": "unavailable"}
    assert endpoint.requests[0].target == "/wt/surface"
    assert endpoint.requests[0].payload == {"wt_inject": 1}


def test_a_surface_is_reported_with_its_three_lists():
    """The lists arrive as they are, other keys are dropped."""
    payload = {"wt_inject": 1, "surface": {**SURFACE, "extra": 1}}
    with scripted_endpoint(answer(payload)) as endpoint:
        assert handle_on(endpoint.url).describe_surface() == {"status": "reported", **SURFACE}


@pytest.mark.parametrize(
    ("step", "token"),
    [
        (answer(b"SECRET", 500), "expected HTTP 200, got 500"),
        (answer(b"", 302, "Location: /SECRET\r\n"), "got 302"),
        (answer({"wt_inject": 1, "surface": "SECRET"}), "'surface' must be an object"),
        (answer({"wt_inject": 1, "surface": {**SURFACE, "extra_segments": "SECRET"}}), "extra_seg"),
        (answer({"wt_inject": 1, "SECRET": 1}), "missing required field 'surface'"),
        (answer(b"SECRET"), "not valid JSON"),
        (hang_up(), "transport error"),
    ],
)
def test_a_surface_that_is_not_one_is_invalid_and_not_kept(step, token):
    """It never raises; the detail names the part and quotes nothing of a payload that may hold
    the prompt."""
    with scripted_endpoint(step) as endpoint:
        block = handle_on(endpoint.url).describe_surface()
    assert set(block) == {"status", "detail"}
    assert block["status"] == "invalid"
    assert token in block["detail"]
    assert "SECRET" not in block["detail"]


def test_proxy_variables_do_not_divert_a_loopback_endpoint(monkeypatch):
    """A developer behind a corporate proxy still reaches the agent on this machine."""
    with scripted_endpoint(hang_up()) as proxy, scripted_endpoint(answer(GOOD_RESET)) as endpoint:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        handle_on(endpoint.url).reset_state()
        assert proxy.requests == []


def test_another_host_is_reached_through_the_proxy(monkeypatch):
    """The proxy is told the whole URL, and gets the log-in it wants."""
    with scripted_endpoint(answer(GOOD_RESET)) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:secret@"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        handle_on("http://agents.invalid:8647/v1").reset_state()
    (request,) = proxy.requests
    assert request.target == "http://agents.invalid:8647/v1/wt/reset"
    assert request.headers["host"] == "agents.invalid:8647"
    assert request.headers["proxy-authorization"] == "Basic bWU6c2VjcmV0"


def test_a_proxy_that_refuses_a_way_through_is_a_transport_error(monkeypatch):
    """For https the proxy is asked to connect, and its no is told as such."""
    with scripted_endpoint(raw(b"HTTP/1.1 403 Forbidden\r\n\r\n")) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with pytest.raises(EndpointError, match=r"http_inject reset: transport error.*403"):
            handle_on("https://agents.invalid").reset_state()
    assert (proxy.requests[0].method, proxy.requests[0].target) == ("CONNECT", "agents.invalid:443")


def test_an_https_endpoint_is_spoken_to_in_tls(monkeypatch):
    """One exchange, checked against the certificates of the machine."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with scripted_endpoint(answer(GOOD_ANSWER), speaks_tls=True) as endpoint:
        received = handle_on(endpoint.url).send(ASK, "s")
    assert received["choices"][0]["message"]["content"] == "it is 4"
    assert endpoint.requests[0].headers["host"] == endpoint.url.removeprefix("https://")


def test_an_https_endpoint_nobody_vouches_for_is_a_transport_error():
    """A certificate that cannot be checked is not taken on trust."""
    with (
        scripted_endpoint(answer(GOOD_ANSWER), speaks_tls=True) as endpoint,
        pytest.raises(EndpointError, match=r"transport error.*CERTIFICATE_VERIFY_FAILED"),
    ):
        handle_on(endpoint.url).send(ASK, "s")
    assert endpoint.requests == []


def test_one_deadline_holds_in_tls_too(monkeypatch):
    """The body trickles, encrypted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with (
        scripted_endpoint(trickle(WHOLE), speaks_tls=True) as endpoint,
        pytest.raises(EndpointError, match=r"transport timeout"),
    ):
        hurried_handle_on(endpoint.url).send(ASK, "s")


def test_an_https_endpoint_is_reached_through_the_proxys_tunnel(monkeypatch):
    """The proxy gets the log-in and the name of the host, the endpoint behind it the request."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with scripted_endpoint(tunnel(answer(GOOD_RESET))) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:secret@"))
        handle_on("https://agents.invalid/v1").reset_state()
    connect, request = proxy.requests
    assert (connect.method, connect.target) == ("CONNECT", "agents.invalid:443")
    assert connect.headers["proxy-authorization"] == "Basic bWU6c2VjcmV0"
    assert request.target == "/v1/wt/reset"
    assert request.headers["host"] == "agents.invalid"
    assert "proxy-authorization" not in request.headers


def test_plain_http_on_a_tls_url_is_a_transport_error():
    """An https URL is spoken to in TLS from the first byte, so nothing readable is sent."""

    with scripted_endpoint(answer(GOOD_RESET)) as endpoint:
        url = endpoint.url.replace("http://", "https://")
        with pytest.raises(EndpointError, match=r"transport (error|timeout)"):
            hurried_handle_on(url).reset_state()
    assert endpoint.requests == []


def test_settings_come_from_the_environment_at_construction(monkeypatch):
    """Later changes of the variables do not move a runtime that exists."""
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        monkeypatch.setenv("WT_INJECT_URL", endpoint.url + "//")
        monkeypatch.setenv("WT_INJECT_TIMEOUT_S", "2.5")
        runtime = HttpInjectRuntime()
        monkeypatch.setenv("WT_INJECT_URL", "http://127.0.0.1:9")
        runtime.provision(AgentConfig()).send(ASK, "s")
    assert endpoint.requests[0].payload["timeout_s"] == 2.5


def test_an_argument_goes_before_the_environment(monkeypatch):
    """Both variables may be set to anything: they are not looked at."""
    monkeypatch.setenv("WT_INJECT_URL", "nonsense")
    monkeypatch.setenv("WT_INJECT_TIMEOUT_S", "nonsense")
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        handle_on(endpoint.url, timeout_s=3).send(ASK, "s")
    assert endpoint.requests[0].payload["timeout_s"] == 3.0


def test_an_agent_gets_two_minutes_unless_told_otherwise():
    """The default deadline of a turn."""
    with scripted_endpoint(answer(GOOD_ANSWER)) as endpoint:
        HttpInjectRuntime(endpoint.url).provision(AgentConfig()).send(ASK, "s")
    assert endpoint.requests[0].payload["timeout_s"] == DEFAULT_TIMEOUT_S == 120.0


@pytest.mark.parametrize("text", ["", "soon", "1,5", "0", "-1", "nan", "inf", "-inf"])
def test_a_timeout_variable_that_is_no_positive_number_is_refused_by_name(text, monkeypatch):
    """Also an empty one: a setting that says nothing is a mistake."""
    monkeypatch.setenv("WT_INJECT_TIMEOUT_S", text)
    with pytest.raises(RuntimeError, match=r"WT_INJECT_TIMEOUT_S"):
        HttpInjectRuntime()


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), True, "5"])
def test_a_timeout_argument_must_be_positive(value):
    """Finite and above zero; nothing is asked of the endpoint."""
    with pytest.raises(RuntimeError, match=r"positive"):
        HttpInjectRuntime(timeout_s=value)


def test_a_url_variable_that_cannot_be_used_is_refused_at_construction(monkeypatch):
    """Before a sweep begins, and by the name of the setting."""
    monkeypatch.setenv("WT_INJECT_URL", "file:///etc/passwd")
    with pytest.raises(RuntimeError, match=r"WT_INJECT_URL"):
        HttpInjectRuntime()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("system_prompt", "Be strict."),
        ("system_prompt", ""),
        ("persona_doc", "AGENTS.md"),
        ("skills", ["look.md"]),
        ("mcp_servers", [MCPSpec("tools", "http://127.0.0.1:1/mcp")]),
        ("sampling", SamplingConfig(temperature=0.0)),
    ],
)
def test_a_field_the_wire_cannot_carry_is_refused_by_name(field, value):
    """A run labelled with a prompt or a temperature that nobody used would be worse than none."""
    runtime = HttpInjectRuntime("http://127.0.0.1:9")
    with pytest.raises(RuntimeError, match=rf"AgentConfig\.{field}"):
        runtime.provision(AgentConfig(**{field: value}))
    assert runtime.provisions == []


def test_what_is_only_recorded_may_be_set():
    """The ids and the model end in the trace whether the agent heard of them or not."""
    runtime = HttpInjectRuntime("http://127.0.0.1:9")
    config = AgentConfig("id", "variant", model=ModelSpec("m"), sampling=SamplingConfig())
    handle = runtime.provision(config, mcps=[])
    assert runtime.provisions == [(config, handle)]


def test_it_offers_what_the_bench_looks_for():
    """It reports a surface, takes only the newest turn, mounts no tools, certifies nothing; a
    teardown, or two, asks nothing of an endpoint that is not ours."""
    runtime = HttpInjectRuntime("http://127.0.0.1:9")
    handle = runtime.provision(AgentConfig())
    handle.teardown()
    handle.teardown()
    assert isinstance(runtime, AgentRuntime)
    assert isinstance(handle, AgentHandle)
    assert isinstance(handle, SurfaceIntrospectableAgentHandle)
    assert runtime.accepts_runner_managed_mcps is False
    assert handle._windtunnel_consumes_full_history is False
    assert not isinstance(runtime, ReferenceCapableAgentRuntime)


def test_the_plugin_builds_from_the_environment(monkeypatch):
    """`--runtime http_inject` needs no more than the two variables."""
    with scripted_endpoint(answer(GOOD_RESET)) as endpoint:
        monkeypatch.setenv("WT_INJECT_URL", endpoint.url)
        PLUGIN.build("http_inject", "label", None).provision(AgentConfig()).reset_state()
    assert len(endpoint.requests) == 1
    assert not hasattr(PLUGIN, "max_concurrency"), "one at a time: a reset wipes every session"


def test_the_lock_key_is_the_runtime_and_its_endpoint(monkeypatch):
    """Without trailing slashes, and with the name that was typed."""
    assert PLUGIN.lock_key("http_inject") == "http_inject:http://127.0.0.1:8647"
    monkeypatch.setenv("WT_INJECT_URL", "http://agents.example/v1//")
    assert PLUGIN.lock_key("mine:PLUGIN") == "mine:PLUGIN:http://agents.example/v1"


def test_all_spellings_of_an_endpoint_share_a_lock_and_a_target(monkeypatch):
    """However the URL is written and the runtime named, it is one endpoint."""
    keys = set()
    for url in ("http://localhost:8647", "HTTP://127.0.0.1:8647/", "http://[::1]:8647//", ""):
        for name in ("http_inject", "wt_git.runtimes.http_inject.runtime:PLUGIN"):
            monkeypatch.setenv("WT_INJECT_URL", url)
            keys.add(normalise_key(name, PLUGIN.lock_key(name)))
    assert keys == {"http://127.0.0.1:8647"}


def test_a_password_in_the_url_does_not_reach_the_lock(monkeypatch):
    """Others who wait for the lock see its key, so there must not be one."""
    monkeypatch.setenv("WT_INJECT_URL", "http://me:hunter2@127.0.0.1:8647")
    with pytest.raises(RuntimeError) as refusal:
        PLUGIN.lock_key("http_inject")
    assert "hunter2" not in str(refusal.value)
