"""Contract C's bodies, as pure functions over bytes and decoded JSON."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.runtimes.http_inject import protocol
from wt_git.runtimes.http_inject.protocol import ContractError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
WORDS = (
    "wt_inject reply tool_calls error usage model session_id text timeout_s surface name content"
)
KEYS = st.sampled_from([*WORDS.split(), *protocol.SURFACE_LISTS])
NEARLY = st.dictionaries(KEYS, JSON | st.just(1) | st.just([]) | st.just("x"), max_size=8)
GOOD = {"wt_inject": 1, "reply": "hello", "tool_calls": []}
TURN = {"wt_inject": 1, "session_id": "s", "text": "", "timeout_s": 120.0}
SURFACE = {
    "system_instructions": [{"type": "text", "content": ""}],
    "tool_definitions": [{"name": "look"}],
    "extra_segments": [{"name": "memory", "content": ""}],
}


@given(NEARLY)
def test_no_payload_breaks_a_parser_other_than_by_a_contract_error(payload):
    """Any object is either parsed or refused with a contract error: nothing else escapes."""
    for parse in (protocol.parse_turn, protocol.parse_answer, protocol.parse_surface):
        with suppress(ContractError):
            assert parse(payload) is not None


@given(st.binary(max_size=40))
def test_no_bytes_break_the_decoder_other_than_by_a_contract_error(body):
    """Any body is an object or refused."""
    with suppress(ContractError):
        assert isinstance(protocol.decode(body), dict)


@pytest.mark.parametrize(
    ("body", "token"),
    [
        (b'{"reply": "\xff"}', "not valid UTF-8"),
        (b"", "not valid JSON"),
        (b"<html>", "not valid JSON"),
        (b'{"a": NaN}', "not valid JSON"),
        (b'{"a": -Infinity}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "must be an object"),
        (b"null", "must be an object"),
    ],
)
def test_a_body_is_refused_with_the_step_that_failed(body, token):
    """Encoding, JSON and type are told apart; numbers that JSON does not have are not JSON."""
    with pytest.raises(ContractError, match=token):
        protocol.decode(body)


@pytest.mark.parametrize("version", [True, 1.0, "1", 2, 0, None, [1]])
@pytest.mark.parametrize(
    "parse", [protocol.parse_turn, protocol.parse_answer, protocol.parse_surface]
)
def test_only_the_integer_one_is_version_one(parse, version):
    """True and 1.0 equal 1 in Python, and are still not the version."""
    with pytest.raises(ContractError, match="field 'wt_inject' must equal 1"):
        parse({**GOOD, **TURN, "surface": SURFACE, "wt_inject": version})


@pytest.mark.parametrize("key", ["wt_inject", "reply", "tool_calls"])
def test_each_required_key_of_an_answer_is_missed_by_name(key):
    """No call and a forgotten list of calls must differ, so absence is a violation."""
    with pytest.raises(ContractError, match=f"missing required field '{key}'"):
        protocol.parse_answer({name: value for name, value in GOOD.items() if name != key})


@pytest.mark.parametrize("key", list(TURN))
def test_each_key_of_a_turn_is_missed_by_name(key):
    """A request has four keys, each of them required."""
    with pytest.raises(ContractError, match=f"missing required field '{key}'"):
        protocol.parse_turn({name: value for name, value in TURN.items() if name != key})


@pytest.mark.parametrize("timeout_s", [0, -1, True, "120", None, 1e400, 10**400])
def test_a_deadline_is_a_positive_finite_number(timeout_s):
    """Infinity, booleans and integers beyond every float are no deadline."""
    with pytest.raises(ContractError, match="'timeout_s' must be a positive"):
        protocol.parse_turn({**TURN, "timeout_s": timeout_s})


@pytest.mark.parametrize(
    ("change", "token"),
    [
        ({"reply": None}, "field 'reply' must be a string, got null"),
        ({"reply": ""}, "field 'reply' may be empty only"),
        ({"reply": " \n\t"}, "field 'reply' may be empty only"),
        ({"reply": "", "error": None}, "field 'reply' may be empty only"),
        ({"error": ""}, "field 'error' must be"),
        ({"error": " "}, "field 'error' must be"),
        ({"error": {"message": "x"}}, "field 'error' must be"),
        ({"tool_calls": None}, "'tool_calls' must be a list"),
        ({"tool_calls": {}}, "'tool_calls' must be a list"),
        ({"tool_calls": ["look"]}, r"tool_calls\[0\] must be an object"),
        ({"tool_calls": [{"arguments": {}}]}, r"tool_calls\[0\]: missing required field 'name'"),
        ({"tool_calls": [{"name": "a"}]}, "missing required field 'arguments'"),
        ({"tool_calls": [{"name": " ", "arguments": {}}]}, "'name' must be a non-empty"),
        ({"tool_calls": [{"name": "a", "arguments": "{}"}]}, "arguments must be a JSON object"),
    ],
)
def test_an_ill_formed_answer_is_refused_by_the_part_that_is(change, token):
    """The message names the field, and the call by its position."""
    with pytest.raises(ContractError, match=token):
        protocol.parse_answer({**GOOD, **change})


def test_a_refusal_quotes_little_of_what_it_refuses():
    """A megabyte where an error string belongs does not become a megabyte of message."""
    with pytest.raises(ContractError) as refusal:
        protocol.parse_answer({**GOOD, "error": ["x" * 1_000_000]})
    assert len(str(refusal.value)) < 400


def test_a_failed_turn_may_have_an_empty_reply_and_calls():
    """With an error, an empty reply stands, and the calls made so far are kept."""
    call = {"name": "look", "arguments": {"q": 1}}
    answer = protocol.parse_answer(
        {**GOOD, "reply": "", "error": "model down", "tool_calls": [{**call, "id": "ignored"}]}
    )
    assert (answer.reply, answer.error, answer.tool_calls) == ("", "model down", [call])


def test_usage_and_model_are_taken_where_they_have_the_right_type():
    """They were added to version 1: an endpoint that means something else by them still conforms."""
    answer = protocol.parse_answer({**GOOD, "usage": {"prompt_tokens": 1}, "model": "m"})
    assert (answer.usage, answer.model) == ({"prompt_tokens": 1}, "m")
    answer = protocol.parse_answer({**GOOD, "usage": 7, "model": {"name": "m"}, "more": 1})
    assert (answer.usage, answer.model) == (None, None)


def test_a_surface_keeps_its_three_lists_and_drops_the_rest():
    """Empty texts are allowed; keys beside the lists are not kept."""
    payload = {"wt_inject": 1, "surface": {**SURFACE, "secret": "x"}}
    assert protocol.parse_surface(payload) == SURFACE


@pytest.mark.parametrize(
    ("change", "token"),
    [
        *(({key: None}, f"surface.{key} must be a list") for key in protocol.SURFACE_LISTS),
        *(({key: ["x"]}, rf"surface.{key}\[0\] must be an object") for key in SURFACE),
        ({"system_instructions": [{"content": None}]}, "'content' must be a string"),
        ({"tool_definitions": [{"name": ""}]}, "'name' must be a non-empty string"),
        ({"extra_segments": [{"name": "", "content": ""}]}, "'name' must be a non-empty string"),
        ({"extra_segments": [{"name": "a"}]}, "'content' must be a string"),
    ],
)
def test_an_ill_formed_surface_is_refused_by_the_part_that_is(change, token):
    """The message names the list and the position."""
    with pytest.raises(ContractError, match=token):
        protocol.parse_surface({"wt_inject": 1, "surface": {**SURFACE, **change}})


@pytest.mark.parametrize("key", list(SURFACE))
def test_a_surface_needs_all_three_lists(key):
    """A list that is empty is there all the same."""
    surface = {name: value for name, value in SURFACE.items() if name != key}
    with pytest.raises(ContractError, match=f"missing required field '{key}'"):
        protocol.parse_surface({"wt_inject": 1, "surface": surface})


@given(st.text(), st.text(), st.floats(min_value=0.001, max_value=1e9))
def test_a_turn_survives_the_wire(session_id, text, timeout_s):
    """What one side encodes, the other reads back, lone surrogates included."""
    body = protocol.envelope(session_id=session_id, text=text, timeout_s=timeout_s)
    turn = protocol.parse_turn(protocol.decode(json.dumps(body).encode()))
    assert turn == protocol.TurnRequest(session_id, text, timeout_s)
