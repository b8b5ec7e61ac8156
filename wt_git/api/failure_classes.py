"""Failure classes: who an execution error says something about, and whether its run is data.

docs/failure-classes.md has the tables for people. An exception is classified by the names of its
class and its bases and by its HTTP status, so that no client library has to be installed. Of several
rules the first that matches decides.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Any, cast

from wt_git.run_errors import FAILURE_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wt_git.run_errors import FailureClass

_BY_STATUS = "by status"

# Texts that decide before code, class and status: providers send them with any of these.
_TEXTS: tuple[tuple[FailureClass, tuple[str, ...]], ...] = (
    (
        "model",
        (
            r"content[ _-]?(?:policy|filter|management)",
            "responsible ai policy",
            r"safety (?:system|filter|settings)",
            "guardrail intervened",
            r"context[ _](?:length|window)",
            "maximum context",
            "prompt is too long",
            "too many input tokens",
            "input is too long",
        ),
    ),
    (
        "operator",
        (
            r"insufficient[ _](?:quota|funds|balance|credits?)",
            r"(?:exceeded|over) your (?:current |monthly )?quota",
            "credit balance",
            "out of credits?",
            "billing",
            "budget",
            r"(?:usage|spend(?:ing)?)[ _]limit",
            "payment required",
            r"account (?:is not active|(?:has been |is )?(?:deactivated|disabled|suspended))",
            r"(?:invalid|incorrect|expired|missing|no)[ _](?:x-)?api[ _-]?key",
            r"api[ _-]?key (?:not valid|expired|is invalid|is missing)",
            "api_key client option must",
            r"model[ _]not[ _]found",
            "no such model",
            r"model [^.]{0,80}(?:does not exist|not found)",
        ),
    ),
    (
        "provider",
        ("overloaded", r"rate[ _-]?limit", "too many requests", "throttl"),
    ),
)
# Codes and types in error bodies and on exceptions, in lower case without what is no letter.
_CODES: dict[str, FailureClass] = {
    code: cast("FailureClass", found)
    for found, codes in {
        "provider": """
            ratelimit ratelimiterror ratelimitexceeded toomanyrequests toomanyrequestsexception
            overloaded overloadederror apierror servererror internalerror internalservererror
            internalserverexception internal unavailable serviceunavailable serviceunavailableerror
            serviceunavailableexception throttlingexception throttled slowdown resourceexhausted
            deadlineexceeded timeout timeouterror gatewaytimeout badgateway aborted
            modelnotreadyexception modeltimeoutexception modelerrorexception
            modelstreamerrorexception requesttimeout engineoverloaded engineoverloadederror
        """,
        "operator": """
            insufficientquota quotaexceeded servicequotaexceededexception billingerror billinghardlimitreached
            billingnotactive invalidapikey authenticationerror authentication unauthenticated
            unauthorized invalidauthentication permissionerror permissiondenied forbidden
            accessdenied accessdeniedexception accountdeactivated notfounderror notfound
            modelnotfound resourcenotfoundexception deploymentnotfound unrecognizedclientexception
            expiredtokenexception expiredtoken invalidsignatureexception incompletesignature
            missingauthenticationtoken paymentrequired failedprecondition
            unsupportedcountryregionterritory
        """,
        "harness": """
            invalidrequesterror invalidrequest invalidargument validationexception badrequest
            unprocessableentity requesttoolarge invalidtype unsupportedparameter unsupportedvalue
            invalidvalue missingrequiredparameter unknownparameter
        """,
        "model": """
            contentfilter contentpolicyviolation contextlengthexceeded stringabovemaxlength safety
            responsibleaipolicyviolation
        """,
    }.items()
    for code in codes.split()
}

_STATUSES: dict[int, FailureClass] = {
    **dict.fromkeys((401, 402, 403, 404, 407), "operator"),
    **dict.fromkeys((408, 409, 425, 429, 499), "provider"),
}

_LIBRARY_NAMES = """
    openai anthropic google mistralai botocore boto3 aioboto3 litellm cohere groq together
    ollama langchain_core langchain langchain_openai langchain_anthropic langgraph pydantic_ai
    llama_index httpx httpx2 httpcore httpcore2 requests urllib3 aiohttp http urllib ssl
    socket websockets h11 h2 grpc anyio tenacity mcp starlette
"""
_LIBRARIES = frozenset(_LIBRARY_NAMES.split())
"""The client libraries and transports whose exceptions the table knows, by their top package."""

_NAMES: dict[str, str] = {
    name: found
    for found, names in {
        "operator": """
            AuthenticationError PermissionDeniedError NotFoundError PaymentRequiredError
            BudgetExceededError UnauthorizedError ForbiddenError InvalidTokenError
            CredentialsError WorkloadIdentityError OrganizationOnHoldError
            CMEKContextUnavailableError CMEKKeyDisabledError CMEKKeyNetworkBlockedError
            CMEKKeyUnreachableError ClaudeCodeKeyCreatorNotMemberError
            ClaudeCodeVersionTooOldError ContractSpendLimitReachedError
            EnforcedSpendLimitReachedError OrganizationTypeNotSupportedError
            ParentOrganizationRequiredError RampLimitExceededError
            WorkspaceHumanReviewDisabledError ModelAuthenticationError ModelNotFoundError
            ModelPermissionDeniedError ModelQuotaExceededError LiteLLMUnknownProvider
            ModelNotMappedError EndpointNotSupportedByModelError UnsupportedEndpointError
            NoCredentialsError PartialCredentialsError CredentialRetrievalError
            UnknownCredentialError NoAuthTokenError TokenRetrievalError SSOError LoginError
            RefreshWithMFAUnsupportedError ProfileNotFound ConfigNotFound ConfigParseError
            InvalidConfigError InvalidRegionError UnknownRegionError UnknownServiceError
            EndpointProviderError BaseEndpointResolverError InvalidEndpointConfigurationError
            InvalidIMDSEndpointError InvalidIMDSEndpointModeError InvalidProxiesConfigError
            MetadataRetrievalError InvalidDefaultsMode InvalidRetryConfigurationError
            MissingDependencyException GoogleAuthError InvalidURL InvalidProxy InvalidSchema
            MissingSchema URLRequired NonHttpUrlClientError UnsupportedProtocol UnknownProtocol
            InvalidURI ProxySchemeUnsupported LocationValueError SSLCertVerificationError
            ClientConnectorCertificateError ServerFingerprintMismatch UsageLimitExceeded UserError
        """,
        "provider": """
            RateLimitError APITimeoutError InternalServerError ServiceUnavailableError
            BadGatewayError GatewayTimeoutError RequestTimeoutError ConflictError
            ClientClosedRequestError TooManyRequestsError Timeout RetryableError ServerError
            NoResponseError CapacityNotAvailableError HTTPClientError ConnectionError
            IncompleteReadError EventStreamError ChecksumError FlexibleChecksumError WaiterError
            RetriesExceededError TransportError ConnectionClosed WebSocketConnectionClosedError
            WebSocketQueueFullError ModelRateLimitError ModelTimeoutError ModelConnectionError
            ModelOverloadedError ModelServerError ModelUnavailableError ModelRequestTimeout
            FallbackExceptionGroup NetworkError TimeoutException ProxyError DecodingError
            ConnectionNotAvailable TooManyRedirects ProtocolError ChunkedEncodingError
            ContentDecodingError RetryError PoolError TimeoutError TimeoutStateError MaxRetryError
            ResponseError DecodeError IncompleteRead InvalidChunkLength HeaderParsingError
            ClientConnectionError ClientPayloadError ContentTypeError ClientHttpProxyError
            EofStream BadContentDispositionHeader BadContentDispositionParam HTTPException
            URLError SSLError gaierror herror _GiveupOnSendfile InvalidHandshake PayloadTooBig
            WebSocketError WSMessageTypeError RedirectClientError SuspendedResponseExpired
            BodyNotHttplibCompatible HostChangedError OSError
        """,
        "harness": """
            BadRequestError UnprocessableEntityError HTTPNotImplementedError ContentTooLargeError
            RequestHeaderFieldsTooLargeError PreconditionFailedError HTTPValidationError
            MockException JSONSchemaValidationError NotImplementedError APIWebhookValidationError
            InvalidWebhookSignatureError _AmbiguousModuleClientUsageError ParamValidationError
            ValidationError MissingParametersError UnknownClientMethodError PaginationError
            OperationNotPageableError StubResponseError ModelInvalidRequestError
            ModelRequestRejectedError TracerException OutputParserException ApprovalRequired
            CallDeferred ConcurrencyLimitExceeded ModelRetry RetryModelRequest SkipModelRequest
            SkipToolExecution SkipToolValidation ToolFailed ToolFailedError ToolRetryError
            UndrainedPendingMessagesError FunctionInvocationError UnknownFunctionCallArgumentError
            UnsupportedFunctionError ContinuationInterruptedError LocalProtocolError
            CookieConflict StreamError StreamConsumedError InvalidHeader InvalidJSONError
            UnrewindableBodyError ImproperConnectionState NotConnected UnimplementedFileMode
            ConcurrencyError InvalidState UploadAbortedError McpError MCPError
            UrlElicitationRequiredError InputRequiredRoundsExceededError InvalidUriTemplate
            MissingServiceIdError UndefinedModelAttributeError
        """,
        "model": """
            ContentPolicyViolationError ContextWindowExceededError ContentFilterFinishReasonError
            LengthFinishReasonError ModelContextWindowExceededError ModelRefusalError
            ContextOverflowError GuardrailRaisedException BlockedPiiEntityError
            SensitiveDataRouteException ModifyResponseException UnexpectedModelBehavior
        """,
        "inconclusive": """
            OpenAIError AnthropicError APIError ResponseValidationError UnknownApiResponseError
            ParsingError ObservabilityError BotoCoreError Boto3Error LangChainException
            AgentRunError RequestError RequestException HTTPCoreError WebSocketException TryAgain
            BrokenResourceError BusyResourceError ClosedResourceError EndOfStream ConnectionFailed
            DelimiterNotFound WouldBlock BrokenWorkerInterpreter BrokenWorkerProcess
            NoEventLoopError TypedAttributeLookupError FutureAlreadyFinished FutureCancelled
            FutureFailed FutureNotFinished RunFinishedError TaskCancelled TaskFailed
            TaskNotFinished
        """,
        _BY_STATUS: """
            APIStatusError MistralError ApiError ClientError HTTPError ModelHTTPError RpcError
            AioRpcError InvalidStatus InvalidStatusCode InvalidProxyStatus
            ClientProxyConnectionError GoogleAPIError GoogleAPICallError
        """,
    }.items()
    for name in names.split()
}

_HOST_ERRNOS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.EADDRNOTAVAIL,
    }
)
_UNREACHABLE = frozenset({errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ETIMEDOUT})


def classify_exception(error: BaseException) -> FailureClass:
    """Return the class of an exception that a driver, an agent or the bench raised.

    The first exception of a client library or transport in its chain decides, of a group the first
    part that has one. An attribute `failure_class` of an exception decides before all else. An
    exception that stems from no library is `harness`: the driver's or the agent's own code raised.
    """
    for one in _chain(error, set()):
        found = _own_class(one) or _library_class(one) or _system_class(one)
        if found is not None:
            return found
    return "harness"


def _chain(error: BaseException, seen: set[int]) -> Iterator[BaseException]:
    """Yield `error`, the parts of a group, and the causes, from the outside in."""
    if id(error) in seen:
        return
    seen.add(id(error))
    yield error
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _chain(part, seen)
    below = error.__cause__
    if below is None and not error.__suppress_context__:
        below = error.__context__
    if below is not None:
        yield from _chain(below, seen)


def _own_class(error: BaseException) -> FailureClass | None:
    found = getattr(error, "failure_class", None)
    return found if found in FAILURE_CLASSES else None


def _library_class(error: BaseException) -> FailureClass | None:
    """Return the class of an exception of a client library; None for any other."""
    if not any(_is_library(kind) for kind in type(error).__mro__):
        return _garbled(error)
    ruled = listed(type(error))
    if ruled == "inconclusive" and _has_transport_cause(error):
        return "provider"
    if ruled == "model":
        return "model"
    named = _by_text(str(error)) or _by_codes(_codes_of(error))
    if named is not None:
        return named
    if ruled in {_BY_STATUS, "inconclusive", None}:
        return classify_status(status_of(error))
    return cast("FailureClass", ruled)


def listed(kind: type[BaseException]) -> str | None:
    """Return what the table says of an exception class of a library: a class, or `by status`.

    The most special of its bases that is listed decides; None if none is.
    """
    names = (base.__name__ for base in kind.__mro__ if _is_library(base))
    return next((_NAMES[name] for name in names if name in _NAMES), None)


def _is_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _LIBRARIES


def _has_transport_cause(error: BaseException) -> bool:
    causes = list(_chain(error, set()))[1:]
    return any(
        _system_class(cause) == "provider" or (listed(type(cause)) == "provider")
        for cause in causes
    )


def _garbled(error: BaseException) -> FailureClass | None:
    """Return `provider` for bytes that a client library could not decode; else None."""
    if not isinstance(error, UnicodeDecodeError) and type(error).__name__ != "JSONDecodeError":
        return None
    step = error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] in _LIBRARIES:
            return "provider"
        step = step.tb_next
    return None


def _system_class(error: BaseException) -> FailureClass | None:
    """Return the class of an exception that the system raised; None for any other."""
    if isinstance(error, MemoryError):
        return "host"
    if isinstance(error, OSError) and error.errno in _HOST_ERRNOS:
        return "host"
    if isinstance(error, (ConnectionError, TimeoutError)):
        return "provider"
    return "provider" if isinstance(error, OSError) and error.errno in _UNREACHABLE else None


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an exception carries, where the known clients keep it."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        metadata = response.get("ResponseMetadata")
        places = [metadata.get("HTTPStatusCode") if isinstance(metadata, dict) else None]
    else:
        names = ("status_code", "status", "code", "http_status")
        places = [getattr(error, name, None) for name in names]
        places.append(getattr(response, "status_code", None))
    found = (_as_status(place) for place in places)
    return next((status for status in found if status is not None), None)


def _as_status(value: object) -> int | None:
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    return int(text) if len(text) == 3 and text.isdecimal() and "100" <= text <= "599" else None  # noqa: PLR2004


def _codes_of(error: BaseException) -> list[object]:
    """Return the words for its kind that an exception carries: its code, type and status."""
    response = getattr(error, "response", None)
    body = response if isinstance(response, dict) else getattr(error, "body", None)
    own = [getattr(error, name, None) for name in ("code", "type", "status")]
    return [*own, *_codes_in(body)] if isinstance(body, dict) else own


def _codes_in(body: Mapping[str, Any]) -> list[object]:
    inner = body.get("error", body.get("Error"))
    parts = [inner, body] if isinstance(inner, dict) else [body]
    keys = ("code", "Code", "type", "status", "__type", "reason")
    return [part.get(key) for part in parts for key in keys]


def _by_codes(codes: Iterable[object]) -> FailureClass | None:
    for code in codes:
        if isinstance(code, str):
            plain = re.sub(r"[^a-z]", "", code.rpartition("#")[2].lower())
            if plain in _CODES:
                return _CODES[plain]
    return None


def _by_text(text: str) -> FailureClass | None:
    # Patterns are compiled on first use: most processes classify nothing.
    return next(
        (found for found, texts in _TEXTS if re.search("|".join(texts), text, re.IGNORECASE)), None
    )


def classify_status(status: int | None) -> FailureClass:
    """Return the class of an HTTP status; `inconclusive` for none and for one that is no error."""
    if status is None:
        return "inconclusive"
    if status in _STATUSES:
        return _STATUSES[status]
    if 400 <= status < 500:  # noqa: PLR2004
        return "harness"
    return "provider" if 500 <= status < 600 else "inconclusive"  # noqa: PLR2004


def classify_error_body(body: Mapping[str, Any], status: int | None = None) -> FailureClass:
    """Return the class of a provider's error body, with its HTTP status where that is known."""
    codes = _codes_in(body)
    words = _by_text(error_message_of(body)) or _by_codes(codes)
    if words is not None:
        return words
    in_body = next((found for found in map(_as_status, codes) if found is not None), None)
    return classify_status(status or in_body)


def error_message_of(body: Mapping[str, Any]) -> str:
    """Return the message of a provider's error body."""
    inner = body.get("error", body.get("Error"))
    if isinstance(inner, str):
        return inner
    parts = [inner, body] if isinstance(inner, dict) else [body]
    texts = (part.get(key) for part in parts for key in ("message", "Message", "detail"))
    return next((text for text in texts if isinstance(text, str) and text), "")


_LEADING_NAME = r"\s*(?:[a-z_][\w.]*\.)?([A-Z_]\w*)\b"
_STATUS_IN_TEXT = (
    r"\b(?:error code|status(?:[ _]code)?|http(?:/[\d.]+)?|error)\W{0,3}([45]\d\d)\b"
    r"|\b(429|5[0-3]\d)\b"
)


def classify_error_text(text: str) -> FailureClass:
    """Return the class of an error that an agent reports as text, `harness` if it names no other.

    It is read as exceptions are: known words first, then the name of an exception at its beginning,
    then a status.
    """
    if re.search(
        r"No space left on|Too many open files|Cannot allocate memory|\bMemoryError", text
    ):
        return "host"
    found = _by_text(text)
    if found is not None:
        return found
    leading = re.match(_LEADING_NAME, text)
    ruled = _NAMES.get(leading.group(1)) if leading else None
    if ruled in FAILURE_CLASSES and ruled != "inconclusive" and text[:7] != "OSError":
        return cast("FailureClass", ruled)
    status = re.search(_STATUS_IN_TEXT, text, re.IGNORECASE)
    if status is not None:
        return classify_status(int(status.group(1) or status.group(2)))
    if re.match(r"\s*(?:Connection(?:Refused|Reset|Aborted)Error|BrokenPipeError)\b", text):
        return "provider"
    return "inconclusive" if ruled in {_BY_STATUS, "inconclusive"} else "harness"
