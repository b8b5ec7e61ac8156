"""Which turn of a run failed: each answer of a layer that points to one, and each that does not.

Runs are scored by the real layers, so what they say is what they say.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.scenario import NumberFact, Policy, Scenario, TrajectoryCheck
from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER, LayerResult
from wt_git.api.trace import Trace, Turn
from wt_git.records.runs.saved_scores import LayerFacts
from wt_git.reports.report.run_detail import (
    FailedTurn,
    evidence_source,
    find_failed_turn,
    frozen_turns,
)
from wt_git.runner.scoring import score_saved

SEEN = "mcp_evidence: available"


def call(name: str) -> dict[str, Any]:
    """A call as OpenAI's clients send it."""
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}


def seen(name: str) -> dict[str, Any]:
    """A call as a tool server logs it."""
    return {"tool_name": name, "args": {}, "result": "ok", "timestamp_ms": 1.0}


def scenario(**asked: Any) -> Scenario:
    return Scenario(name="s", prompt="?", **asked)


def layers(trace: Trace, asked: Scenario) -> dict[str, LayerFacts]:
    score = score_saved(trace, asked)
    return {
        name: LayerFacts(layer.passed, layer.detail)
        for name in SCORE_LAYER_ORDER
        for layer in [getattr(score, name)]
    }


def found(trace: Trace, asked: Scenario) -> FailedTurn:
    return find_failed_turn(
        trace, layers(trace, asked), asked.resolved_gate_layers(), asked.forbidden_calls
    )


def test_a_run_that_passed_has_no_turn_that_failed():
    """Nor a reason."""
    trace = a_trace(user(), assistant("75 orders"))
    assert found(trace, scenario(target_facts=[["75"]])) == FailedTurn(None, None)


def test_a_diagnostic_layer_marks_nothing():
    """It decided nothing."""
    trace = a_trace(user(), assistant("ok", call("refund")))
    asked = scenario(target_facts=[["ok"]], forbidden_calls=["refund"], gate_layers=["outcome"])
    assert not layers(trace, asked)["trajectory"].passed
    assert found(trace, asked) == FailedTurn(None, None)


def test_a_wrong_answer_is_the_last_one_the_agent_gave():
    """What is judged is where the agent arrived."""
    trace = a_trace(user(), assistant("75"), user(), assistant("none"), Turn("tool", "", [], [], 0))
    turn, because = found(trace, scenario(target_facts=[["75"]]))
    assert turn == 3
    assert because.startswith("outcome: missing facts, any of each: ['75']")


@pytest.mark.parametrize(
    "asked",
    [
        {"target_numbers": [NumberFact(7)]},
        {"forbidden_facts": ["no idea"]},
        {"outcome_fn": lambda _trace: LayerResult(passed=False, detail="not what I wanted")},
    ],
)
def test_every_way_to_judge_the_answer_points_to_it(asked):
    """Also where the scenario's author judges it."""
    assert found(a_trace(user(), assistant("I have no idea")), scenario(**asked)).turn == 1


def test_tools_that_were_not_used_have_no_turn():
    """The answer may be right; what is missing stands nowhere."""
    trace = a_trace(user(), assistant("75"))
    turn, because = found(trace, scenario(target_facts=[["75"]], requires_tool_use=True))
    assert turn is None
    assert because.startswith("outcome: no_tools_used: ")


def test_without_an_answer_there_is_no_turn_to_mark():
    """The agent never said anything."""
    turn, because = found(a_trace(user()), scenario(target_facts=[["75"]]))
    assert (turn, because) == (None, "outcome: no assistant turn in the trace")


def test_a_forbidden_call_is_on_the_turn_that_made_it():
    """The first one, by the transcript."""
    trace = a_trace(
        user(),
        assistant("", call("lookup")),
        user(),
        assistant("", call("mcp_shop_refund")),
        assistant("", call("refund")),
    )
    turn, because = found(trace, scenario(forbidden_calls=["refund"]))
    assert turn == 3
    assert because.startswith("trajectory: forbidden tools called: mcp_shop_refund, refund")


def test_a_call_that_the_server_saw_is_found_where_the_agent_tells_of_it():
    """The server's log has no turns."""
    trace = a_trace(
        user(),
        assistant("", call("lookup")),
        assistant("", call("shop.refund")),
        worker_warnings=[SEEN],
        mcp_calls=[seen("lookup"), seen("refund")],
    )
    assert found(trace, scenario(forbidden_calls=["refund"])).turn == 2


def test_a_call_that_only_the_server_saw_is_in_the_only_turn_there_is():
    """It was made while the agent worked on that answer."""
    made = {"worker_warnings": [SEEN], "mcp_calls": [seen("refund")]}
    asked = scenario(forbidden_calls=["refund"])
    assert found(a_trace(user(), assistant("ok"), **made), asked).turn == 1
    two = a_trace(user(), assistant("ok"), user(), assistant("ok"), **made)
    turn, because = found(two, asked)
    assert turn is None
    assert "forbidden tools called: refund" in because


def test_a_call_that_the_server_did_not_see_marks_nothing():
    """A call that the agent only tells of is no evidence while there is a log."""
    trace = a_trace(user(), assistant("", call("refund")), worker_warnings=[SEEN])
    asked = scenario(forbidden_calls=["refund"], must_call=["lookup"])
    turn, because = found(trace, asked)
    assert turn is None
    assert because.startswith("trajectory: required tools not called: lookup")


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ({"must_call": ["lookup"]}, ["other"]),
        ({"must_call": ["a", "b"], "order_matters": True}, ["b", "a"]),
    ],
)
def test_a_call_that_is_missing_belongs_to_no_turn(asked, calls):
    """Neither does an order that was not kept."""
    trace = a_trace(user(), *(assistant("", call(name)) for name in calls))
    turn, because = found(trace, scenario(**asked))
    assert turn is None
    assert because.startswith("trajectory: ")


def test_a_check_of_the_authors_own_points_nowhere():
    """It may have looked at anything."""

    class Check(TrajectoryCheck):
        def check(self, tool_calls):
            return False, "too many steps"

    trace = a_trace(user(), assistant("", call("lookup")))
    turn, because = found(trace, scenario(trajectory_checks=[Check()]))
    assert turn is None
    assert "too many steps" in because


def test_a_log_that_could_not_be_read_marks_nothing():
    """Nobody knows which calls there were."""
    trace = a_trace(
        user(),
        assistant("", call("refund")),
        worker_warnings=["mcp_evidence: unavailable (shop: OSError: gone)"],
    )
    broken = Policy("careful", lambda _trace: LayerResult(passed=False, detail="refund was called"))
    asked = scenario(forbidden_calls=["refund"], policies=[broken])
    turn, because = found(trace, asked)
    assert turn is None
    assert "trajectory: evidence unavailable" in because
    assert "constraint: " in because


def policy(said: str) -> Policy:
    return Policy("careful", lambda _trace: LayerResult(passed=False, detail=said))


def test_a_policy_that_names_a_call_points_to_the_turn_that_made_it():
    """If it names one call and that was made in one turn."""
    trace = a_trace(user(), assistant("", call("lookup")), assistant("", call("refund")))
    turn, because = found(trace, scenario(policies=[policy("refund without a confirmation")]))
    assert turn == 2
    assert because == "constraint: constraint violations: careful: refund without a confirmation"


@pytest.mark.parametrize("said", ["refund before lookup", "be polite", "refunds are too high", ""])
def test_a_policy_that_names_no_call_or_several_points_nowhere(said):
    """A guess would be worse than no mark."""
    trace = a_trace(user(), assistant("", call("lookup")), assistant("", call("refund")))
    assert found(trace, scenario(policies=[policy(said)])).turn is None


def test_a_call_that_was_made_again_and_again_is_not_guessed_at():
    """Which of them broke the policy, the policy does not say."""
    trace = a_trace(user(), assistant("", call("refund")), assistant("", call("refund")))
    assert found(trace, scenario(policies=[policy("refund twice")])).turn is None


def test_of_several_failures_the_first_turn_is_marked():
    """That is where it went wrong; what else failed follows from it, or is in the layers."""
    trace = a_trace(user(), assistant("", call("refund")), user(), assistant("no idea"))
    asked = scenario(target_facts=[["75"]], forbidden_calls=["refund"])
    turn, because = found(trace, asked)
    assert turn == 1
    assert because.startswith("trajectory: ")
    assert "outcome" not in because
    both = a_trace(user(), assistant("no idea", call("refund")))
    assert found(both, asked).because.startswith("outcome: ")
    assert "; trajectory: " in found(both, asked).because


def test_a_run_that_broke_is_marked_where_it_ended():
    """All four layers failed; none of them says anything about a turn."""
    trace = a_trace(
        user(), assistant("ok"), user("again"), worker_warnings=["runner_error: timed out"]
    )
    assert found(trace, scenario(target_facts=[["x"]])) == FailedTurn(2, "the run broke: timed out")
    nothing = a_trace(worker_warnings=["runner_error: timed out"])
    assert found(nothing, scenario()) == FailedTurn(None, "the run broke: timed out")


def test_a_condition_that_did_not_happen_is_nobodys_turn():
    """The run says nothing about the agent."""
    judged = dict.fromkeys(GATE_LAYER_ORDER, LayerFacts(passed=False, detail="?"))
    judged["integrity"] = LayerFacts(passed=False, detail="perturbations not applied: x")
    trace = a_trace(user(), assistant("ok"))
    assert find_failed_turn(trace, judged, GATE_LAYER_ORDER) == FailedTurn(
        None, "integrity: perturbations not applied: x"
    )


def test_turns_that_were_replayed_are_never_marked():
    """Somebody else played them."""
    frozen = ["replay_prefix: source=x turns=2"]
    asked = scenario(target_facts=[["75"]], forbidden_calls=["refund"])
    trace = a_trace(
        user(), assistant("75", call("refund")), user(), assistant("no"), worker_warnings=frozen
    )
    assert found(trace, asked).turn == 3
    broke = a_trace(user(), assistant(), worker_warnings=["runner_error: no", *frozen])
    assert found(broke, asked).turn is None


def test_what_an_answer_rests_on_is_said_where_it_is_known():
    """An author's own code may have read anything."""
    trace = a_trace(user(), assistant("75", call("lookup")))
    asked = scenario(target_facts=[["75"]], must_call=["lookup"], policies=[policy("no")])
    judged = layers(trace, asked)
    assert {name: evidence_source(name, layer, trace) for name, layer in judged.items()} == {
        "outcome": "the last answer",
        "trajectory": "transcript",
        "constraint": None,
        "integrity": "the warnings of the run",
    }
    seen_by_server = a_trace(user(), assistant("75"), worker_warnings=[SEEN])
    no_tools = layers(seen_by_server, scenario(requires_tool_use=True))["outcome"]
    assert evidence_source("outcome", no_tools, seen_by_server) == "server-witnessed"
    own = LayerFacts(passed=False, detail="the world looks wrong")
    assert evidence_source("outcome", own, trace) is None


@given(
    traces(),
    st.fixed_dictionaries(
        {
            name: st.builds(LayerFacts, st.booleans(), st.text(max_size=9))
            for name in SCORE_LAYER_ORDER
        }
    ),
    st.lists(st.sampled_from(GATE_LAYER_ORDER), unique=True),
    st.lists(st.text(max_size=4), max_size=2),
)
def test_whatever_a_trace_holds_the_turn_is_one_of_its_live_ones(trace, judged, gates, forbidden):
    """And there is a reason exactly where something failed."""
    turn, because = find_failed_turn(trace, judged, gates, forbidden)
    if turn is not None:
        assert frozen_turns(trace) <= turn < len(trace.turns)
        assert because is not None
    broke = any(one.startswith("runner_error: ") for one in trace.worker_warnings)
    failed = broke or not all(judged[name].passed for name in ("integrity", *gates))
    assert (because is not None) == failed
