"""The class of each error: the table knows the exceptions of the client libraries, by name and by status."""

import errno
import http.client
import importlib
import inspect
import json
import socket
import ssl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.failure_classes import (
    classify_error_body,
    classify_error_text,
    classify_exception,
    classify_status,
    listed,
)
from wt_git.run_errors import FAILURE_CLASSES

# Recorded from openai 2, anthropic 0.9x, google-genai, mistralai, botocore, litellm, cohere, langchain-core,
# pydantic-ai, httpx, requests, urllib3, aiohttp and websockets: each exception with its bases.
CLIENT_EXCEPTIONS = json.loads(Path(__file__).with_name("client_exceptions.json").read_text())


def exception_class(name: str) -> type[Exception]:
    """A stand-in for the exception class of a client library, with the bases that it has there."""
    kind: type[Exception] = Exception
    for base in [*reversed(CLIENT_EXCEPTIONS.get(name, [])), name]:
        module, _, short = base.rpartition(".")
        kind = type(short, (kind,), {"__module__": module})
    return kind


def raised(name: str, message: str = "", **members) -> Exception:
    error = exception_class(name)(message)
    for member, value in members.items():
        setattr(error, member, value)
    return error


def test_every_exception_of_the_known_clients_is_listed():
    assert [name for name in CLIENT_EXCEPTIONS if listed(exception_class(name)) is None] == []


@pytest.mark.parametrize(
    "module",
    ["httpx", "httpcore", "http.client", "urllib.error", "ssl", "socket", "h11", "anyio", "mcp"],
)
def test_every_exception_of_an_installed_library_is_listed(module):
    """A new version of a library that has a new exception fails here."""
    found = [
        kind
        for _, kind in inspect.getmembers(importlib.import_module(module), inspect.isclass)
        if issubclass(kind, Exception)
        and not issubclass(kind, Warning)
        and kind.__module__.partition(".")[0] == module.partition(".")[0]
    ]
    assert [kind.__name__ for kind in found if listed(kind) is None] == []


BY_NAME = {
    "openai.RateLimitError": "provider",
    "openai.APITimeoutError": "provider",
    "openai.InternalServerError": "provider",
    "openai.AuthenticationError": "operator",
    "openai.PermissionDeniedError": "operator",
    "openai.NotFoundError": "operator",
    "openai.BadRequestError": "harness",
    "openai.UnprocessableEntityError": "harness",
    "openai.APIConnectionError": "inconclusive",
    "openai.APIResponseValidationError": "inconclusive",
    "openai.LengthFinishReasonError": "model",
    "openai.ContentFilterFinishReasonError": "model",
    "anthropic.RateLimitError": "provider",
    "anthropic.AuthenticationError": "operator",
    "litellm.exceptions.BudgetExceededError": "operator",
    "litellm.exceptions.ContextWindowExceededError": "model",
    "litellm.exceptions.ContentPolicyViolationError": "model",
    "litellm.exceptions.Timeout": "provider",
    "litellm.exceptions.ServiceUnavailableError": "provider",
    "litellm.exceptions.UnsupportedParamsError": "harness",
    "litellm.exceptions.APIConnectionError": "inconclusive",
    "google.genai.errors.ServerError": "provider",
    "botocore.exceptions.NoCredentialsError": "operator",
    "botocore.exceptions.ReadTimeoutError": "provider",
    "botocore.exceptions.ParamValidationError": "harness",
    "cohere.errors.TooManyRequestsError": "provider",
    "cohere.errors.UnauthorizedError": "operator",
    "httpx.ConnectError": "provider",
    "httpx.RemoteProtocolError": "provider",
    "httpx.LocalProtocolError": "harness",
    "httpx.UnsupportedProtocol": "operator",
    "requests.exceptions.ConnectionError": "provider",
    "requests.exceptions.MissingSchema": "operator",
    "urllib3.exceptions.MaxRetryError": "provider",
    "pydantic_ai.exceptions.UserError": "operator",
    "pydantic_ai.exceptions.UnexpectedModelBehavior": "model",
    "langchain_core.exceptions.OutputParserException": "harness",
}


def test_the_name_of_an_exception_decides():
    known = {
        name.rpartition(".")[0].split(".")[0] + "." + name.rpartition(".")[2]: name
        for name in CLIENT_EXCEPTIONS
    }
    wrong = {}
    for name, wanted in BY_NAME.items():
        full = known.get(name.split(".")[0] + "." + name.rpartition(".")[2], name)
        if (found := classify_exception(raised(full, "no words"))) != wanted:
            wrong[name] = found
    assert wrong == {}


WITH_WORDS = [
    ("openai.RateLimitError", "You exceeded your current quota, please check your plan", "operator"),
    ("openai.RateLimitError", "Rate limit reached for gpt-5 on tokens per min", "provider"),
    ("openai.BadRequestError", "This model's maximum context length is 8192 tokens", "model"),
    ("openai.BadRequestError", "Your credit balance is too low", "operator"),
    ("openai.BadRequestError", "The response was filtered due to content management policy", "model"),
    ("openai.NotFoundError", "The model `gpt-9` does not exist or you do not have access to it", "operator"),
    ("anthropic.BadRequestError", "prompt is too long: 210000 tokens > 200000 maximum", "model"),
    ("anthropic.APIStatusError", "Overloaded", "provider"),
    ("litellm.exceptions.BadRequestError", "ExceededBudget: user budget crossed", "operator"),
    ("openai.OpenAIError", "The api_key client option must be set", "operator"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "message", "wanted"), WITH_WORDS)
def test_known_words_decide_before_the_name(name, message, wanted):
    assert classify_exception(raised(name, message)) == wanted


def test_an_exception_without_a_class_of_its_own_has_that_of_its_status():
    by_status = {
        429: "provider",
        503: "provider",
        529: "provider",
        401: "operator",
        404: "operator",
        400: "harness",
    }
    found = {
        status: classify_exception(raised("openai.APIStatusError", status_code=status))
        for status in by_status
    }
    assert found == by_status
    assert classify_exception(raised("openai.APIStatusError")) == "inconclusive"


def test_the_response_of_botocore_has_code_and_status():
    def error(code, status):
        response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
        return raised("botocore.exceptions.ClientError", response=response)

    assert classify_exception(error("ThrottlingException", 400)) == "provider"
    assert classify_exception(error("AccessDeniedException", 400)) == "operator"
    assert classify_exception(error("ValidationException", 400)) == "harness"
    assert classify_exception(error("SomethingNew", 503)) == "provider"


def test_an_unlisted_exception_of_a_client_library_is_inconclusive():
    kind = type("BrandNewError", (Exception,), {"__module__": "openai"})
    assert classify_exception(kind("?")) == "inconclusive"


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (KeyError("orders"), "harness"),
        (ValueError("429"), "harness"),
        (FileNotFoundError(errno.ENOENT, "gone"), "harness"),
        (PermissionError(errno.EACCES, "no"), "harness"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "provider"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "provider"),
        (TimeoutError(), "provider"),
        (socket.gaierror(-2, "Name or service not known"), "provider"),
        (http.client.IncompleteRead(b"half"), "provider"),
        (ssl.SSLCertVerificationError("self-signed"), "operator"),
        (OSError(errno.ENOSPC, "No space left on device"), "host"),
        (OSError(errno.EMFILE, "Too many open files"), "host"),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "host"),
        (MemoryError(), "host"),
    ],
)  # fmt: skip
def test_errors_of_python_and_the_system(error, wanted):
    assert classify_exception(error) == wanted


def chained(outer: Exception, inner: Exception, *, explicit: bool = True) -> Exception:
    if explicit:
        outer.__cause__ = inner
    else:
        outer.__context__ = inner
    return outer


def test_the_cause_of_an_agents_own_exception_decides():
    limit = raised("openai.RateLimitError", "slow down")
    assert classify_exception(chained(RuntimeError("the model failed"), limit)) == "provider"
    assert classify_exception(chained(KeyError("x"), limit, explicit=False)) == "provider"
    grouped = ExceptionGroup("tools", [ValueError("x"), chained(RuntimeError("y"), limit)])
    assert classify_exception(grouped) == "provider"


def test_a_connection_error_without_a_recognised_cause_is_inconclusive():
    def error():
        return raised("openai.APIConnectionError", "Connection error.")

    assert classify_exception(error()) == "inconclusive"
    assert classify_exception(chained(error(), raised("httpx.ConnectError", ""))) == "provider"
    assert classify_exception(chained(error(), KeyError("a mistake"))) == "inconclusive"


def test_a_driver_may_say_the_class():
    error = RuntimeError("the licence server is down")
    error.failure_class = "host"
    assert classify_exception(error) == "host"
    error.failure_class = "nonsense"
    assert classify_exception(error) == "harness"


def test_an_endless_chain_ends():
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__context__, second.__context__ = second, first
    assert classify_exception(first) == "harness"


BODIES = [
    ({"error": {"type": "insufficient_quota", "message": "…", "code": "insufficient_quota"}}, 429, "operator"),
    ({"error": {"type": "tokens", "message": "Rate limit reached", "code": "rate_limit_exceeded"}}, 429, "provider"),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, None, "provider"),
    ({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}, None, "operator"),
    ({"type": "error", "error": {"type": "api_error", "message": "Internal server error"}}, None, "provider"),
    ({"type": "error", "error": {"type": "invalid_request_error", "message": "messages: required"}}, None, "harness"),
    ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is busy"}}, None, "provider"),
    ({"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "denied"}}, None, "operator"),
    ({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad field"}}, None, "harness"),
    ({"error": {"code": "content_filter", "message": "filtered"}}, 400, "model"),
    ({"__type": "com.amazon#ThrottlingException", "message": "Too fast"}, None, "provider"),
    ({"error": "something odd"}, None, "inconclusive"),
    ({"error": "something odd"}, 500, "provider"),
    ({"message": "Unauthorized"}, 401, "operator"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "wanted"), BODIES)
def test_error_bodies(body, status, wanted):
    assert classify_error_body(body, status) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("RateLimitError: slow down", "provider"),
        ("openai.AuthenticationError: no", "operator"),
        ("Error code: 429 - {'error': …}", "provider"),
        ("the provider answered HTTP 503", "provider"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "provider"),
        ("KeyError: 'orders'", "harness"),
        ("the agent gave up after 5 tries", "harness"),
        ("ValueError: order 4290 is unknown", "harness"),
        ("OSError: [Errno 28] No space left on device", "host"),
    ],
)
def test_the_text_of_an_error(text, wanted):
    assert classify_error_text(text) == wanted


@given(st.one_of(st.none(), st.integers(-10, 1000)))
def test_every_status_has_a_class(status):
    assert classify_status(status) in FAILURE_CLASSES


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)
    )
)
def test_no_body_breaks_the_table(body):
    assert classify_error_body({"error": body}) in FAILURE_CLASSES
