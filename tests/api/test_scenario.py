"""Scenarios: what may be declared, what is refused at once, and what decides the verdict."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace

from wt_git.api.scenario import (
    NumberFact,
    Perturbation,
    Policy,
    PreSendPerturbation,
    ReferenceCase,
    ReferenceDecision,
    Scenario,
    TrajectoryCheck,
    is_vacuous,
)
from wt_git.api.score import GATE_LAYER_ORDER, FailureCost, LayerResult
from wt_git.spi import reference


class AnyPath(TrajectoryCheck):
    """A check that likes every path."""

    def check(self, calls):
        return True, f"{len(calls)} calls"


class Loud(Perturbation):
    """A condition without an effect."""

    marker = "perturbation_applied: loud"

    def apply(self, trace):
        return trace


def a_scenario(**fields) -> Scenario:
    """A scenario with a name and a prompt."""
    return Scenario(**({"name": "lookup", "prompt": "How many?"} | fields))


def golden(name: str) -> ReferenceCase:
    """The smallest reference case."""
    return ReferenceCase(name, "golden", (ReferenceDecision("done"),))


KEEPS = Policy("keeps", lambda trace: True)
DECLARES = {
    "trajectory": [
        {"must_call": ["a"]},
        {"forbidden_calls": ["a"]},
        {"trajectory_checks": [AnyPath()]},
    ],
    "constraint": [{"policies": [KEEPS]}],
}


def test_a_name_and_a_prompt_are_enough():
    """Everything else has a default, and no two scenarios share one."""
    scenario = Scenario("lookup", "How many?")
    assert scenario.failure_cost == FailureCost()
    assert scenario.gate_layers is None
    assert scenario.strict_gates is False
    scenario.tags.append("dim:a")
    assert Scenario("lookup", "How many?").tags == []


def test_fields_stand_in_their_documented_order():
    """Twenty-two may be given by position; reference cases only by name."""
    values = [
        "n", "p", [["f"]], [NumberFact(1)], True, ["x"], None, ["c"], ["d"], True, [AnyPath()],
        ["t"], [], ["tool"], ["file"], [KEEPS], ["outcome"], True, [Loud()], FailureCost("high"),
        True, ["dim:a"],
    ]  # fmt: skip
    scenario = Scenario(*values, reference_cases=[golden("g")])
    assert [getattr(scenario, name) for name in Scenario.__match_args__] == values
    with pytest.raises(TypeError):
        Scenario(*values, [golden("g")])


def test_a_name_must_say_something(subtests):
    """A scenario is selected by its name."""
    for name in ["", " ", "\t\n"]:
        with (
            subtests.test(name=name),
            pytest.raises(ValueError, match="name must not be empty"),
        ):
            a_scenario(name=name)


@pytest.mark.parametrize("prompt", ["", "  \n"])
def test_something_must_be_asked(prompt):
    """By a prompt or by user turns."""
    with pytest.raises(ValueError, match="prompt or user_turns"):
        a_scenario(prompt=prompt)
    assert a_scenario(prompt=prompt, user_turns=["hi"]).scored_prompt == "hi"


def test_no_turn_may_be_empty(subtests):
    """An agent cannot answer nothing."""
    for turns in [[""], ["hi", "  "], ["\n", "hi"]]:
        with subtests.test(turns=turns), pytest.raises(ValueError, match="empty turns"):
            a_scenario(user_turns=turns)


def test_order_needs_something_to_order():
    """`order_matters` speaks about `must_call`."""
    with pytest.raises(ValueError, match="order_matters"):
        a_scenario(order_matters=True)
    assert a_scenario(order_matters=True, must_call=["a", "b"]).order_matters


def test_what_no_call_can_satisfy_is_refused(subtests):
    """An empty group of alternatives can never be met."""
    for group in [[], (), ""]:
        with (
            subtests.test(group=group),
            pytest.raises(ValueError, match="must_call holds an empty"),
        ):
            a_scenario(must_call=["a", group])


def test_alternatives_may_be_a_list_or_a_tuple():
    """Both are kept as they were given."""
    groups = [["a", "b"], ("c", "d"), "e"]
    assert a_scenario(must_call=groups).must_call == groups


def test_only_three_layers_can_be_chosen_as_gates(subtests):
    """Integrity always counts, so it cannot be chosen."""
    for layer in ["integrity", "robustness", "Outcome", ""]:
        with (
            subtests.test(layer=layer),
            pytest.raises(ValueError, match="unknown gate layers"),
        ):
            a_scenario(gate_layers=["outcome", layer])


def test_a_gate_is_chosen_once():
    """A repeat is a slip of the pen."""
    with pytest.raises(ValueError, match="duplicates"):
        a_scenario(gate_layers=["outcome", "outcome"])


def test_reference_cases_have_names_of_their_own():
    """A self-test selects and reports them by name."""
    with pytest.raises(ValueError, match="names must be unique"):
        a_scenario(reference_cases=[golden("a"), golden("b"), golden("a")])


def test_a_string_is_no_list(subtests):
    """Its letters would each be taken for a fact or a tool."""
    for fields, named in [
        ({"must_call": "lookup"}, "must_call"),
        ({"target_facts": "75"}, "target_facts"),
        ({"target_facts": ["75"]}, "each group of target_facts"),
        ({"forbidden_facts": "none"}, "forbidden_facts"),
        ({"user_turns": "hi there"}, "user_turns"),
        ({"tags": "dim:a"}, "tags"),
    ]:
        with (
            subtests.test(fields=fields, named=named),
            pytest.raises(ValueError, match=f"{named} must be a list"),
        ):
            a_scenario(**fields)


def test_a_refusal_says_which_scenario_it_is_about(subtests):
    """A pack may hold a hundred of them."""
    for fields in [
        {"prompt": " "},
        {"order_matters": True},
        {"gate_layers": ["x"]},
        {"must_call": [[]]},
    ]:
        with subtests.test(fields=fields), pytest.raises(ValueError, match="'lookup'"):
            a_scenario(**fields)


def test_the_last_user_turn_is_scored():
    """The prompt is not sent when there are user turns."""
    assert a_scenario().scored_prompt == "How many?"
    assert a_scenario(user_turns=["first", "last"]).scored_prompt == "last"


TRAJECTORY, CONSTRAINT = {"must_call": ["a"]}, {"policies": [KEEPS]}


def test_gates_are_what_is_declared_or_chosen(subtests):
    """A choice is final, unless the gates are strict: then it may only add."""
    for declared, gate_layers, strict, resolved in [
        (TRAJECTORY, None, True, "outcome trajectory"),
        (TRAJECTORY, None, False, "outcome trajectory"),
        (TRAJECTORY, ["outcome"], True, "outcome trajectory"),
        (TRAJECTORY, ["outcome"], False, "outcome"),
        (CONSTRAINT, ["trajectory"], True, "outcome trajectory constraint"),
        (CONSTRAINT, ["trajectory"], False, "trajectory"),
        ({}, [], True, "outcome"),
        (TRAJECTORY | CONSTRAINT, [], False, ""),
        ({}, ["constraint", "outcome"], False, "outcome constraint"),
    ]:
        with subtests.test(declared=declared, gate_layers=gate_layers, strict=strict):
            scenario = a_scenario(**declared, gate_layers=gate_layers, strict_gates=strict)
            assert scenario.resolved_gate_layers() == tuple(resolved.split())


def test_a_check_declares_its_layer(subtests):
    """Without a choice, a layer gates when something is to be checked in it."""
    for layer, fields in [(layer, each) for layer, some in DECLARES.items() for each in some]:
        with subtests.test(layer=layer, fields=fields):
            assert a_scenario(**fields).resolved_gate_layers() == ("outcome", layer)


def test_other_fields_declare_no_layer():
    """Tool use is the outcome's affair, perturbations are integrity's."""
    scenario = a_scenario(
        requires_tool_use=True,
        perturbations=[Loud()],
        reference_cases=[golden("g")],
        requires_tools=["a"],
    )
    assert scenario.resolved_gate_layers() == ("outcome",)


@given(
    chosen=st.none()
    | st.permutations(GATE_LAYER_ORDER).flatmap(
        lambda order: st.integers(0, 3).map(lambda n: list(order[:n]))
    ),
    strict=st.booleans(),
    fields=st.sampled_from([{}, TRAJECTORY, CONSTRAINT, TRAJECTORY | CONSTRAINT]),
)
def test_gates_stand_in_one_order_and_strictness_only_adds(chosen, strict, fields):
    """Whatever is chosen in whatever order."""
    scenario = a_scenario(**fields, gate_layers=chosen, strict_gates=strict)
    gates = scenario.resolved_gate_layers()
    assert gates == tuple(layer for layer in GATE_LAYER_ORDER if layer in gates)
    declared = set(a_scenario(**fields).resolved_gate_layers())
    if chosen is None:
        assert set(gates) == declared
    else:
        assert set(gates) == set(chosen) | (declared if strict else set())


def test_gates_that_were_changed_later_are_checked_again():
    """Fields may be assigned, and a wrong gate must not pass for none."""
    scenario = a_scenario()
    scenario.gate_layers = ["outcomes"]
    with pytest.raises(ValueError, match="unknown gate layers"):
        scenario.resolved_gate_layers()


def test_a_check_may_look_at_the_trace_and_need_not():
    """By default only the calls are looked at."""
    assert AnyPath().check_trace(a_trace(), ["a"]) == (True, "1 calls")


def test_extension_points_are_abstract(subtests):
    """An author who forgets a method learns it when the pack is loaded."""
    for kind in [Perturbation, PreSendPerturbation, TrajectoryCheck]:
        with subtests.test(kind=kind), pytest.raises(TypeError, match="abstract"):
            kind()


def test_history_shaping_is_a_family_of_its_own():
    """It is recognised by its class, and says so on the class."""
    assert issubclass(PreSendPerturbation, Perturbation)
    assert PreSendPerturbation.pre_send is True


def test_numbers_are_values():
    """Facts with equal contents are equal, and fixed."""
    assert NumberFact(75, "orders") == NumberFact(value=75, unit="orders")
    with pytest.raises(AttributeError):
        NumberFact(75).value = 76


def test_a_number_fact_is_a_whole_number(subtests):
    """Any other value would match as some text of it, or never; a unit is a text."""
    for value in [None, True, False, float("nan"), 1e20, 75.0, "75", Decimal(75)]:
        with subtests.test(value=value), pytest.raises(ValueError, match="whole number") as said:
            NumberFact(value)
        assert repr(value) in str(said.value)
    with pytest.raises(ValueError, match="unit of a NumberFact"):
        NumberFact(75, 3)
    assert NumberFact(-(10**20)).value == -(10**20)


def test_reference_types_are_the_runtimes_own():
    """Authors and runtimes speak of the same objects."""
    assert ReferenceCase is reference.ReferenceCase


OUTCOME_CHECKS = [
    {"target_facts": [["75"]]},
    {"target_numbers": [NumberFact(75)]},
    {"requires_tool_use": True},
    {"forbidden_facts": ["none"]},
    {"outcome_fn": lambda trace: LayerResult(True, "")},
]


def test_a_scenario_with_any_check_is_not_vacuous(subtests):
    """One thing that can fail is enough."""
    for fields in list(chain(OUTCOME_CHECKS, *DECLARES.values())):
        with subtests.test(fields=fields):
            assert not is_vacuous(a_scenario(**fields))


def test_a_scenario_whose_gate_cannot_fail_is_vacuous(subtests):
    """An empty answer would pass it: nothing is checked, or nothing where the gate is."""
    for fields in [
        {},
        {"perturbations": [Loud()]},
        {"requires_tools": ["a"], "tags": ["dim:a"]},
        {"must_call": ["a"], "gate_layers": ["outcome"]},
        {"target_facts": [["75"]], "gate_layers": ["constraint"]},
    ]:
        with subtests.test(fields=fields):
            assert is_vacuous(a_scenario(**fields))


def test_a_diagnostic_scenario_is_meant_to_be_one(subtests):
    """No gate at all is a deliberate choice."""
    for fields in [
        dict(chain(*map(dict.items, pair)))
        for pair in combinations([{}, *OUTCOME_CHECKS[:2], *DECLARES["constraint"]], 2)
    ]:
        with subtests.test(fields=fields):
            assert not is_vacuous(a_scenario(**fields, gate_layers=[]))
