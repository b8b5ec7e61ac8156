"""What a universe's document may say, and how it is refused."""

from __future__ import annotations

import copy
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_values
from kit.universes import orders_document, universes

from wt_git.api.universe import (
    UniverseFormatError,
    UniverseMatching,
    UniverseRecording,
    UniverseTool,
    universe_from_dict,
    universe_to_dict,
)


def changed(path, value):
    """The document with one place of it set to `value`, or taken out when that is `...`."""
    document = orders_document()
    *above, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    holder = document
    for step in above:
        holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
    if value is ...:
        holder.pop(last, None)
    else:
        holder[last] = value
    return document


def refusal(document):
    with pytest.raises(UniverseFormatError) as caught:
        universe_from_dict(document)
    return str(caught.value)


def test_a_document_is_read_whole():
    """Tools and recordings keep their order, and what is not said has its default."""
    universe = universe_from_dict(orders_document() | {"made_by": "somebody"})
    assert universe.windtunnel_universe == 1
    assert [tool.name for tool in universe.tools] == ["find_order", "poll"]
    assert universe.tool_map["poll"] == UniverseTool("poll", {"type": "object"}, mode="sequence")
    assert universe.recordings[1] == UniverseRecording(
        "find_order", {"order": "A2"}, {"status": "lost"}
    )
    assert universe.recording_indices_for("poll") == [2, 3]
    assert universe.recording_indices_for("nobody") == []
    assert universe.matching == UniverseMatching()


def test_a_violation_is_named_by_its_place(subtests):
    """And by what was expected there."""
    for path, value, message in [
        ("windtunnel_universe", ..., "windtunnel_universe must be a positive integer, got null"),
        ("windtunnel_universe", True, "windtunnel_universe must be a positive integer, got true"),
        ("windtunnel_universe", 1.0, "windtunnel_universe must be a positive integer"),
        ("windtunnel_universe", "1", "windtunnel_universe must be a positive integer"),
        ("windtunnel_universe", 0, "windtunnel_universe must be a positive integer"),
        ("windtunnel_universe", 2, "unsupported windtunnel_universe 2: this version reads 1"),
        ("tools", ..., "tools is missing"),
        ("tools", None, "tools must be an array, got null"),
        ("tools", {}, "tools must be an array"),
        ("tools[1]", "poll", "tools[1] must be an object"),
        ("tools[1].name", ..., "tools[1].name must be a non-empty string"),
        ("tools[1].name", "", "tools[1].name must be a non-empty string"),
        ("tools[1].name", 3, "tools[1].name must be a non-empty string, got 3"),
        ("tools[1].name", "find_order", "tools[1].name is that of tools[0]: duplicate tool def"),
        ("tools[1].input_schema", ..., "tools[1].input_schema is missing"),
        ("tools[1].input_schema", None, "tools[1].input_schema must be an object"),
        ("tools[1].input_schema", {"a": float("nan")}, "tools[1].input_schema.a must be a JSON"),
        ("tools[1].description", 3, "tools[1].description must be a string, got 3"),
        ("tools[1].result_schema", [1], "tools[1].result_schema must be an object"),
        ("tools[1].mode", "replay", "tools[1].mode must be one of stateless, sequence"),
        ("tools[1].mode", ["sequence"], "tools[1].mode must be one of stateless, sequence"),
        ("recordings", ..., "recordings is missing"),
        ("recordings[3]", None, "recordings[3] must be an object"),
        ("recordings[3].tool_name", ..., "recordings[3].tool_name must be a non-empty string"),
        ("recordings[3].tool_name", "pol", "recordings[3].tool_name names undefined tools: 'pol'"),
        ("recordings[3].args", ..., "recordings[3].args is missing"),
        ("recordings[3].args", None, "recordings[3].args must be an object, got null"),
        ("recordings[3].args", [], "recordings[3].args must be an object, got an array"),
        ("recordings[3].args", {"x": [1, {1}]}, "recordings[3].args.x[1] must be a JSON value"),
        ("recordings[3].result", ..., "recordings[3].result is missing"),
        ("recordings[3].result", {"at": object}, "recordings[3].result.at must be a JSON value"),
        ("recordings[3].result", float("inf"), "recordings[3].result must be a JSON value, got In"),
        ("recordings[3].result", {1: 2}, "recordings[3].result must have strings for names"),
        ("matching", "nearest", "matching must be an object"),
        ("matching.on_miss", "guess", "matching.on_miss must be one of fail_call, empty, nearest"),
        ("matching.on_miss", ["empty"], "matching.on_miss must be one of"),
        ("matching.arg_keys", ["order"], "matching.arg_keys must be an object"),
        ("matching.arg_keys", {"pol": ["a"]}, "matching.arg_keys names undefined tools: 'pol'; de"),
        ("matching.arg_keys", {"poll": []}, "matching.arg_keys.poll must list at least one"),
        ("matching.arg_keys", {"poll": None}, "matching.arg_keys.poll must be an array"),
        ("matching.arg_keys", {"poll": "order"}, "matching.arg_keys.poll must be an array"),
        ("matching.arg_keys", {"poll": ["a", 1]}, "matching.arg_keys.poll[1] must be a string"),
        ("matching.arg_keys", {"poll": {}}, "matching.arg_keys.poll.arg_keys is missing"),
        ("matching.arg_keys", {"poll": {"keys": []}}, "matching.arg_keys.poll.keys must list at"),
        (
            "matching.arg_keys",
            {"poll": {"keys": ["a"], "mode": "x"}},
            "matching.arg_keys.poll.mode must be one of",
        ),
        ("matching.per_tool_on_miss", {"pol": "empty"}, "per_tool_on_miss names undefined tools"),
        ("matching.per_tool_on_miss", {"poll": "x"}, "matching.per_tool_on_miss.poll must be one"),
        ("matching.per_tool_on_miss", {"poll": []}, "matching.per_tool_on_miss.poll must be one"),
        ("matching.modes", {"pol": "sequence"}, "matching.modes names undefined tools: 'pol'"),
        ("matching.modes", {"poll": {}}, "matching.modes.poll must be one of stateless, sequence"),
        ("matching.modes", {"poll": None}, "matching.modes.poll must be one of stateless, sequ"),
        ("matching.per_tool_on_miss", {"poll": ""}, "matching.per_tool_on_miss.poll must be one"),
    ]:
        with subtests.test(path=path, value=value, message=message):
            assert message in refusal(changed(path, value))


def test_an_enormous_integer_is_refused():
    """Python could neither write nor show it."""
    huge = 10**5000
    assert "unsupported windtunnel_universe a huge integer: " in refusal(
        changed("windtunnel_universe", huge)
    )
    assert "recordings[3].result must be a JSON value, got a huge integer" in refusal(
        changed("recordings[3].result", huge)
    )


def test_only_an_object_is_a_document(subtests):
    """Whatever else JSON can hold at the top."""
    for raw in [None, [], "universe", 1, True]:
        with subtests.test(raw=raw):
            assert refusal(raw).startswith("the document must be an object")


@pytest.mark.parametrize("nothing", [None, "", 0, False, [], {}])
@pytest.mark.parametrize(
    "path",
    [
        "tools[1].description",
        "tools[1].result_schema",
        "tools[1].mode",
        "matching",
        "matching.on_miss",
        "matching.arg_keys",
        "matching.per_tool_on_miss",
        "matching.modes",
    ],
)
def test_what_is_optional_may_say_nothing(path, nothing):
    """Anything falsy means the default."""
    without = changed(path, nothing)
    assert (
        universe_from_dict(without) == universe_from_dict(changed(path, ...))
        if (path in {"tools[1].mode", "matching", "matching.on_miss"})
        else universe_from_dict(without) == universe_from_dict(orders_document())
    )


@pytest.mark.parametrize("name", ["keys", "arg_keys"])
def test_keys_may_stand_in_an_object_beside_a_mode(name):
    """The mode is kept with the others, and one that stands there wins."""
    entry = {name: ["order"], "mode": "sequence"}
    matching = universe_from_dict(changed("matching.arg_keys", {"find_order": entry})).matching
    assert matching == UniverseMatching(
        arg_keys={"find_order": ["order"]}, modes={"find_order": "sequence"}
    )
    document = changed("matching.arg_keys", {"find_order": entry})
    document["matching"]["modes"] = {"find_order": "stateless"}
    assert universe_from_dict(document).matching.modes == {"find_order": "stateless"}


def test_the_policy_and_the_mode_of_a_tool():
    """What is said for one tool wins over what is said for all, and over the tool's own mode."""
    matching = UniverseMatching(
        on_miss="empty", per_tool_on_miss={"poll": "nearest"}, modes={"find_order": "sequence"}
    )
    universe = universe_from_dict(orders_document())
    assert matching.policy_for("poll") == "nearest"
    assert matching.policy_for("find_order") == matching.policy_for("nobody") == "empty"
    assert matching.mode_for("poll", universe.tool_map) == "sequence"
    assert matching.mode_for("find_order", universe.tool_map) == "sequence"
    assert matching.mode_for("nobody", universe.tool_map) == "stateless"
    assert UniverseMatching().mode_for("find_order", universe.tool_map) == "stateless"


def test_arguments_are_read_without_their_wrapper():
    """A recording may have been taken from any wire."""
    wrapped = {"function": {"name": "poll", "arguments": '{"order": "A9"}'}}
    universe = universe_from_dict(changed("recordings[3].args", wrapped))
    assert universe.recordings[3].args == {"order": "A9"}


def test_a_document_is_written_in_a_fixed_form():
    """What has its default is left out where nobody looks for it, and there otherwise."""
    document = universe_to_dict(universe_from_dict(orders_document()))
    assert document == {
        "windtunnel_universe": 1,
        "tools": [
            orders_document()["tools"][0],
            {
                "name": "poll",
                "description": "",
                "input_schema": {"type": "object"},
                "mode": "sequence",
            },
        ],
        "recordings": orders_document()["recordings"],
        "matching": {"on_miss": "fail_call", "arg_keys": {}, "per_tool_on_miss": {}},
    }
    keyed = {"find_order": {"keys": ["order"], "mode": "sequence"}}
    again = universe_to_dict(universe_from_dict(changed("matching.arg_keys", keyed)))["matching"]
    assert again["arg_keys"] == {"find_order": ["order"]}
    assert again["modes"] == {"find_order": "sequence"}


@given(universe=universes())
def test_any_universe_survives_json(universe):
    """Written, sent through JSON and read, it is the same universe."""
    assert universe_from_dict(json.loads(json.dumps(universe_to_dict(universe)))) == universe


def test_arguments_that_look_like_a_wrapper_survive_too():
    """A tool may have parameters called `name` and `args`, which reading must not take for one."""
    args = {"name": "x", "args": {"deep": {"arguments": "{}", "type": "t"}}}
    universe = universe_from_dict(orders_document())
    odd = UniverseRecording("poll", args, 1)
    written = universe_to_dict(type(universe)(1, universe.tools, (odd,), UniverseMatching()))
    assert universe_from_dict(written).recordings == (odd,)


def test_a_universe_shares_nothing_with_its_document():
    """Who changes the document afterwards changes no recording."""
    document = orders_document()
    universe = universe_from_dict(document)
    before = copy.deepcopy(universe)
    document["tools"][0]["input_schema"]["properties"]["order"] = None
    document["recordings"][0]["result"]["status"] = "changed"
    document["recordings"][0]["args"]["order"] = "changed"
    assert universe == before


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def test_nesting_has_a_limit_that_every_reader_can_follow():
    """One level more is refused, and so is a value that contains itself."""
    universe_from_dict(changed("recordings[3].result", nested(100)))
    assert "deeper than 100 levels" in refusal(changed("recordings[3].result", nested(101)))
    loop = []
    loop.append(loop)
    assert "deeper than 100 levels" in refusal(changed("recordings[3].result", loop))


_PLACES = [
    "windtunnel_universe",
    "tools",
    "tools[0]",
    "tools[0].name",
    "tools[0].input_schema",
    "tools[0].description",
    "tools[0].result_schema",
    "tools[0].mode",
    "recordings",
    "recordings[0]",
    "recordings[0].tool_name",
    "recordings[0].args",
    "recordings[0].result",
    "matching",
    "matching.on_miss",
    "matching.arg_keys",
    "matching.arg_keys.poll",
    "matching.arg_keys.poll.keys",
    "matching.per_tool_on_miss",
    "matching.per_tool_on_miss.poll",
    "matching.modes",
    "matching.modes.poll",
]


@given(path=st.sampled_from(_PLACES), value=json_values() | st.just(float("nan")))
def test_anything_anywhere_is_read_or_refused_by_name(path, value):
    """Never another exception; what was read can be written and read again."""
    document = changed(path, value)
    try:
        universe = universe_from_dict(document)
    except UniverseFormatError as refused:
        named = re.match(
            r"(unsupported )?(windtunnel_universe|tools|recordings|matching)\b", str(refused)
        )
        assert named is not None
    else:
        assert universe_from_dict(universe_to_dict(universe)) == universe


@given(raw=json_values())
def test_any_value_is_read_or_refused(raw):
    """Never another exception."""
    with pytest.raises(UniverseFormatError):
        universe_from_dict(raw)
