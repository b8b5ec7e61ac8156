"""Which recording answers a call, against the rules written a second time."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from kit.universes import few_args, orders, universes

from wt_git.api.universe import (
    UniverseTool,
    empty_result_for,
    fail_call_result,
    find_exact_recording,
    find_keyed_recording,
    find_nearest_recording,
)
from wt_git.api.universe.matching import Choice, choose_recording


def as_text(value):
    return json.dumps(value, sort_keys=True)


def stated(universe, tool, args, left):
    """The rules as the guide states them, by trying everything."""
    mine = [n for n in left if universe.recordings[n].tool_name == tool]
    for n in mine:
        if as_text(universe.recordings[n].args) == as_text(args):
            return n, None
    for n in mine:
        recorded = universe.recordings[n].args
        keys = universe.matching.arg_keys.get(tool)
        if keys is not None and all(
            key in args and key in recorded and as_text(args[key]) == as_text(recorded[key])
            for key in keys
        ):
            return n, None
    policy = universe.matching.per_tool_on_miss.get(tool) or universe.matching.on_miss
    if policy != "nearest" or not mine:
        return None, policy
    shared = {
        n: sum(
            1
            for key, value in args.items()
            if as_text({key: value}) in [as_text({k: v}) for k, v in recorded.items()]
        )
        for n in mine
        for recorded in [universe.recordings[n].args]
    }
    most = max(shared.values())
    return min(n for n in mine if shared[n] == most), policy


@given(
    universe=universes(args=few_args(), names=st.sampled_from("xyz")),
    tool=st.sampled_from("xyz") | st.just("unknown"),
    args=few_args(),
    data=st.data(),
)
def test_a_call_is_answered_as_the_rules_say(universe, tool, args, data):
    """Whatever was recorded, asked and used up already."""
    everything = [n for n, one in enumerate(universe.recordings) if one.tool_name == tool]
    left = sorted(data.draw(st.sets(st.sampled_from(everything)))) if everything else []
    assert choose_recording(universe, tool, args) == stated(universe, tool, args, everything)
    assert choose_recording(universe, tool, args, left) == stated(universe, tool, args, left)


@given(universe=universes(args=few_args(), names=st.just("x")), args=few_args())
def test_no_answer_depends_on_the_order_of_arguments(universe, args):
    """An agent may name them as it likes."""
    turned = dict(reversed(args.items()))
    assert choose_recording(universe, "x", turned) == choose_recording(universe, "x", args)


def test_an_exact_recording_wins_over_an_earlier_keyed_one():
    """And the first of several that agree on the keys wins among those."""
    universe = orders(arg_keys={"find_order": ["order"]})
    assert find_exact_recording(universe, "find_order", {"order": "A2"}) == 1
    assert find_exact_recording(universe, "find_order", {"order": "A2", "page": 1}) is None
    assert find_keyed_recording(universe, "find_order", {"order": "A2", "page": 1}) == 1
    assert find_keyed_recording(universe, "find_order", {"page": 1}) is None
    assert find_keyed_recording(universe, "poll", {}) is None
    assert find_keyed_recording(universe, "find_order", {"order": "A2"}, [0]) is None


def test_the_nearest_recording_may_share_nothing():
    """Only where there is none at all is there no nearest one."""
    universe = orders(on_miss="nearest")
    assert find_nearest_recording(universe, "find_order", {"page": 1}) == 0
    assert find_nearest_recording(universe, "find_order", {"order": "A2", "page": 1}) == 1
    assert find_nearest_recording(universe, "poll", {}, [3]) == 3
    assert find_nearest_recording(universe, "nobody", {}) is None
    assert choose_recording(universe, "find_order", {}) == Choice(0, "nearest")
    assert choose_recording(universe, "nobody", {}) == Choice(None, "nearest")
    assert choose_recording(orders(on_miss="empty"), "find_order", {}) == Choice(None, "empty")


def test_an_empty_answer_has_the_declared_type(subtests):
    """Of several the first of array, object and string."""
    for schema, empty in [
        (None, ""),
        ({}, ""),
        ({"type": "array"}, []),
        ({"type": "object"}, {}),
        ({"type": "string"}, ""),
        ({"type": "integer"}, ""),
        ({"type": ["string", "null", "object"]}, {}),
        ({"type": ["object", "array"]}, []),
        ({"type": [["array"], "string"]}, ""),
        ({"type": {"array": 1}}, ""),
    ]:
        with subtests.test(schema=schema, empty=empty):
            assert empty_result_for(UniverseTool("t", {}, result_schema=schema)) == empty


def test_a_tool_nobody_defined_has_an_empty_text():
    """There is nothing to go by."""
    assert empty_result_for(None) == ""


def test_a_failed_call_says_what_was_asked():
    """With a copy of the arguments."""
    args = {"order": ["A1"]}
    failed = fail_call_result("find_order", args)
    assert failed == {"error": "no_recorded_result", "tool": "find_order", "args": args}
    failed["args"]["order"].clear()
    assert args == {"order": ["A1"]}
