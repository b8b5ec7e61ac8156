"""Traces: what they hold, how they are saved, and that whatever was saved can be read again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.traces import NOON, a_trace, assistant, json_values, texts, traces, user

from wt_git.api.trace import (
    Trace,
    TraceFormatError,
    Turn,
    compute_hash,
    is_trace_json_path,
    load_trace,
    save_trace,
    trace_from_dict,
    trace_to_dict,
)


def test_a_hash_names_its_algorithm():
    """The digest is over the text's UTF-8 form."""
    assert compute_hash("grün") == "sha256:" + sha256("grün".encode()).hexdigest()


@given(texts())
def test_any_text_has_a_hash(text):
    """Also one that has no UTF-8 form."""
    assert len(compute_hash(text)) == len("sha256:") + 64


def test_a_turn_knows_the_hash_of_its_rendered_prompt():
    """Without a rendered prompt there is none."""
    assert user().rendered_prompt_hash is None
    turn = Turn("user", "hi", [], [], 0.0, rendered_prompt="<hi>")
    assert turn.rendered_prompt_hash == compute_hash("<hi>")
    assert Turn("user", "hi", [], [], 0.0, "").rendered_prompt_hash == compute_hash("")


def test_the_hash_is_computed_and_not_given():
    """It is no argument of the constructor."""
    with pytest.raises(TypeError):
        Turn("user", "hi", [], [], 0.0, None, "sha256:0")


def test_every_trace_has_an_id_of_its_own():
    """Unless it is given one."""
    arguments = ("s", "a", "v", "m", "q", {}, NOON, NOON, [], None)
    assert Trace(*arguments).run_id != Trace(*arguments).run_id
    assert len(Trace(*arguments).run_id) == 36


def test_a_trace_is_written_in_a_fixed_form():
    """Keys stand in the documented order and times carry offset and microseconds."""
    written = trace_to_dict(a_trace(user("hi"), usage={"input_tokens": 3, "output_tokens": 1}))
    assert written == {
        "windtunnel_trace": 1,
        "run_id": "abcd1234-0000-4000-8000-000000000000",
        "scenario_id": "lookup_order",
        "agent_id": "agent",
        "variant_id": "baseline",
        "model": "some-model",
        "quant": "q4",
        "sampler": {"temperature": 0.2},
        "started_at": "2026-01-02T12:00:00.123456+00:00",
        "finished_at": "2026-01-02T12:00:00.123456+00:00",
        "turns": [
            {
                "role": "user",
                "content": "hi",
                "tool_calls": [],
                "tool_results": [],
                "latency_ms": 0.0,
                "rendered_prompt": None,
                "rendered_prompt_hash": None,
            }
        ],
        "tool_schema_hash": None,
        "worker_warnings": [],
        "mcp_calls": [],
        "observations": {},
        "surface": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
        "model_calls": None,
    }
    assert " ".join(written) == (
        "windtunnel_trace run_id scenario_id agent_id variant_id model quant sampler started_at"
        " finished_at turns tool_schema_hash worker_warnings mcp_calls observations surface usage"
        " model_calls"
    )


@given(trace=traces())
@example(trace=a_trace(assistant("\u2028\x00\ud800 é😀", {"name": "\x85"}, "no object at all")))
def test_any_trace_survives_its_file(tmp_path_factory, trace):
    """Odd characters and every shape of tool call come back as they were."""
    path = tmp_path_factory.getbasetemp() / "any" / "trace.json"
    save_trace(trace, path)
    assert load_trace(path) == trace


def test_tool_calls_keep_the_shapes_in_which_they_came(tmp_path):
    """OpenAI's and flat ones stand side by side, arguments as text or as objects."""
    calls = [
        {"id": "1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "a", "arguments": {"x": 1}}},
        {"id": "3", "name": "a", "args": {"x": [None, True, 1.5]}},
        {"id": "4", "name": "a", "args": '{"x"'},
    ]
    save_trace(a_trace(assistant("", *calls)), tmp_path / "t.json")
    assert load_trace(tmp_path / "t.json").turns[0].tool_calls == calls


def test_the_file_is_indented_unicode(tmp_path):
    """People read traces: two spaces of indentation, and letters as letters."""
    save_trace(a_trace(user("Größe 😀")), tmp_path / "t.json")
    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    assert '\n  "windtunnel_trace": 1,\n' in "\n" + text.removeprefix("{")
    assert '\n      "content": "Größe 😀",\n' in text


def test_saving_makes_the_folders(tmp_path):
    """However deep they are; nothing but the trace is left in them."""
    path = tmp_path / "a" / "b" / "c.json"
    save_trace(a_trace(), str(path))
    save_trace(a_trace(user()), path)
    assert load_trace(str(path)).turns == [user()]
    assert [item.name for item in path.parent.iterdir()] == ["c.json"]


def test_a_trace_that_json_cannot_hold_is_saved_all_the_same(tmp_path):
    """An agent may send NaN or worse, and the run must not be lost for it."""
    odd = {"name": "a", "args": {"x": float("nan"), "y": {1}}}
    save_trace(a_trace(assistant("", odd), observations={"deep": (1, b"2")}), tmp_path / "t.json")
    loaded = load_trace(tmp_path / "t.json")
    assert loaded.turns[0].tool_calls == [{"name": "a", "args": {"x": "nan", "y": "{1}"}}]
    assert loaded.observations == {"deep": [1, "b'2'"]}


def test_a_place_that_cannot_be_written_is_the_callers_to_handle(tmp_path):
    """What the system says about the file reaches the caller."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        save_trace(a_trace(), tmp_path / "file" / "t.json")


def test_naive_times_are_utc(tmp_path):
    """A time without a zone is taken to be UTC when written and when read."""
    naive = datetime(2026, 1, 2, 3, 4, 5, 6)  # noqa: DTZ001 - naive on purpose
    save_trace(a_trace(started_at=naive), tmp_path / "t.json")
    assert load_trace(tmp_path / "t.json").started_at == naive.replace(tzinfo=UTC)
    payload = trace_to_dict(a_trace()) | {"started_at": "2026-01-02T03:04:05.000006"}
    assert trace_from_dict(payload).started_at == naive.replace(tzinfo=UTC)


@given(
    moment=st.datetimes(timezones=st.just(UTC)),
    minutes=st.integers(-14 * 60, 14 * 60),
)
@example(moment=NOON, minutes=330)
def test_times_of_other_zones_keep_their_moment(moment, minutes):
    """They are written in UTC."""
    try:
        zoned = moment.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:
        return  # the zone has no such moment
    written = trace_to_dict(a_trace(started_at=zoned))
    assert written["started_at"].endswith("+00:00")
    assert trace_from_dict(written).started_at == zoned


def test_old_traces_are_read(subtests):
    """Without a version, and without what was added later."""
    for version in [{}, {"windtunnel_trace": 0}, {"windtunnel_trace": 1}]:
        with subtests.test(version=version):
            needed = "run_id scenario_id agent_id variant_id model quant sampler started_at finished_at turns"
            whole = trace_to_dict(a_trace())
            old = (
                version
                | {name: whole[name] for name in needed.split()}
                | {"tool_schema_hash": None}
            )
            assert trace_from_dict(old | {"something_new": 1}) == a_trace()


def test_old_turns_are_read():
    """Only role and content are needed; a stored hash is kept even when it differs."""
    turn = {"role": "user", "content": "hi", "rendered_prompt": "x", "rendered_prompt_hash": "old"}
    payload = trace_to_dict(a_trace()) | {"turns": [{"role": "user", "content": "hi"}, turn]}
    plain, hashed = trace_from_dict(payload).turns
    assert plain == Turn("user", "hi", [], [], 0.0)
    assert hashed.rendered_prompt_hash == "old"
    del turn["rendered_prompt_hash"]
    assert trace_from_dict(payload).turns[1].rendered_prompt_hash == compute_hash("x")


def test_a_missing_member_is_named(subtests):
    """A trace without its identity, its times or its turns is no trace."""
    for name in [
        "run_id",
        "scenario_id",
        "agent_id",
        "variant_id",
        "model",
        "quant",
        "sampler",
        "started_at",
        "finished_at",
        "turns",
        "tool_schema_hash",
    ]:
        with subtests.test(name=name):
            payload = trace_to_dict(a_trace())
            del payload[name]
            with pytest.raises(TraceFormatError, match=f"^{name} is missing"):
                trace_from_dict(payload)


def test_other_versions_are_unsupported(subtests):
    """The message says which are known."""
    for version in [2, -1, 1 << 20_000]:
        with subtests.test(version=version):
            payload = trace_to_dict(a_trace()) | {"windtunnel_trace": version}
            with pytest.raises(TraceFormatError, match=r"unsupported windtunnel_trace .* 0 and 1"):
                trace_from_dict(payload)


def test_a_wrong_member_is_named(subtests):
    """The message says which member, what it should be, and what it is."""
    for name, value, said in [
        ("windtunnel_trace", True, "windtunnel_trace must be an integer, got true"),
        ("windtunnel_trace", "1", "windtunnel_trace must be an integer, got '1'"),
        ("windtunnel_trace", 1.0, "windtunnel_trace must be an integer, got 1.0"),
        ("scenario_id", 3, "scenario_id must be a string, got 3"),
        ("run_id", None, "run_id must be a string, got null"),
        ("sampler", [], "sampler must be an object, got an array"),
        ("started_at", "noon", "started_at must be an ISO 8601 time, got 'noon'"),
        ("started_at", 12, "started_at must be a string, got 12"),
        ("finished_at", "0001-01-01T00:00:00+12:00", "finished_at must be an ISO 8601 time"),
        ("turns", {}, "turns must be an array, got an object"),
        ("turns", [1], "turns[0] must be an object, got 1"),
        ("turns", [{"role": "user"}], "turns[0].content is missing"),
        ("turns", [{"content": ""}], "turns[0].role is missing"),
        ("worker_warnings", ["a", 2], "worker_warnings[1] must be a string, got 2"),
        ("mcp_calls", [[]], "mcp_calls[0] must be an object, got an array"),
        ("observations", [], "observations must be an object, got an array"),
        ("usage", 5, "usage must be an object, got 5"),
        ("surface", "x" * 99, "surface must be an object, got '" + "x" * 60 + "...'"),
        ("model_calls", [None], "model_calls[0] must be an object, got null"),
        ("tool_schema_hash", 1 << 90, "tool_schema_hash must be a string, got a huge integer"),
    ]:
        with subtests.test(name=name, value=value, said=said):
            with pytest.raises(TraceFormatError) as refusal:
                trace_from_dict(trace_to_dict(a_trace()) | {name: value})
            assert str(refusal.value).startswith(said)


def test_a_wrong_member_of_a_turn_is_named(subtests):
    """With the place of the turn."""
    for member, value, said in [
        ("content", None, "turns[0].content must be a string, got null"),
        ("content", ["a"], "turns[0].content must be a string, got an array"),
        ("tool_calls", {}, "turns[0].tool_calls must be an array, got an object"),
        ("tool_results", ["a"], "turns[0].tool_results[0] must be an object, got 'a'"),
        ("latency_ms", True, "turns[0].latency_ms must be a number, got true"),
        ("latency_ms", 10**400, "turns[0].latency_ms must be a number that a float can hold"),
        ("rendered_prompt", 1, "turns[0].rendered_prompt must be a string, got 1"),
        ("rendered_prompt_hash", 1, "turns[0].rendered_prompt_hash must be a string, got 1"),
    ]:
        with subtests.test(member=member, value=value, said=said):
            payload = trace_to_dict(a_trace(user()))
            payload["turns"][0][member] = value
            with pytest.raises(TraceFormatError) as refusal:
                trace_from_dict(payload)
            assert str(refusal.value).startswith(said)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"3",
        b"\xff\xfe",
        b'{"windtunnel_trace": 1}',
        b'{"windtunnel_trace": ' + b"1" * 5000 + b"}",
        b"[" * 100_000,
        b'{"turns": ' + b'{"a": ' * 100_000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_a_file_that_is_no_trace_is_named(tmp_path, data):
    """Whatever it holds instead, the answer is one kind of error that says where."""
    path = tmp_path / "broken.json"
    path.write_bytes(data)
    with pytest.raises(TraceFormatError, match=r"broken\.json: "):
        load_trace(path)


def test_a_file_that_is_not_there_is_another_matter(tmp_path):
    """A missing file is the system's error, not a format."""
    with pytest.raises(FileNotFoundError):
        load_trace(tmp_path / "none.json")


@given(st.binary(max_size=60))
def test_bytes_are_read_or_refused(tmp_path_factory, data):
    """No other exception leaves the loader."""
    path = tmp_path_factory.getbasetemp() / "rubbish.json"
    path.write_bytes(data)
    with pytest.raises(TraceFormatError):
        load_trace(path)


@given(trace=traces(), data=st.data())
def test_a_trace_with_any_part_replaced_is_read_or_refused(trace, data):
    """A loader that lets a wrong part in would fail its reader later, and without a name."""
    payload = json.loads(json.dumps(trace_to_dict(trace)))
    holder = payload
    if payload["turns"] and data.draw(st.booleans()):
        holder = data.draw(st.sampled_from(payload["turns"]))
    name = data.draw(st.sampled_from(sorted(holder)))
    if data.draw(st.booleans()):
        del holder[name]
    else:
        holder[name] = data.draw(json_values())
    try:
        loaded = trace_from_dict(payload)
    except TraceFormatError:
        return
    assert trace_from_dict(trace_to_dict(loaded)) == loaded


@pytest.mark.parametrize(
    ("name", "is_trace"),
    [
        ("20260102T030405000000Z_abcd1234.json", True),
        ("runs/v1.2/x.json", True),
        ("x.score.json", False),
        ("x.debrief.json", False),
        ("x.hook.label.json", False),
        ("x.json.tmp", False),
        (".json", False),
        (".x.json", False),
        ("x.JSON", False),
        ("json", False),
        ("", False),
    ],
)
def test_traces_are_told_from_sidecars_by_name(tmp_path, name, is_trace):
    """A trace's name has one dot, before `json`; folders do not matter."""
    assert is_trace_json_path(name) is is_trace
    assert is_trace_json_path(tmp_path / "v1.2" / name) is is_trace
