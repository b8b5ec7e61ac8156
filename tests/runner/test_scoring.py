"""Perturbations and scores: live, and again from the saved trace."""

from __future__ import annotations

import pytest
from kit.agents import RecordingHandle, RecordingRuntime, RecordingToolServer, says

from wt_git.api.perturbations import (
    BlankAssistantContent,
    CorruptPriorAssistantTurn,
    ToolReturnsEmptyUnexpected,
    ToolReturnsMalformedJson,
    ToolTimeoutPerScenario,
)
from wt_git.api.replay import HistoryPrefix
from wt_git.api.scenario import Policy, Scenario
from wt_git.api.trace import Turn, load_trace, save_trace
from wt_git.runner.batch import run_scenario
from wt_git.runner.scoring import score_saved
from wt_git.spi import MCPCall


class ArmedServer(RecordingToolServer):
    """A mock that says what it was told to do wrong."""

    armed = ()

    def armed_failures(self):
        if isinstance(self.armed, BaseException):
            raise self.armed
        return list(self.armed)


class ChildServer(RecordingToolServer):
    """A mock in a process of its own, which has to be told before it starts."""

    def __init__(self, **options):
        super().__init__(**options)
        self.told = []

    def arm_failure(self, **failure):
        self.told.append((failure, list(self.log)))


def fly(scenario, handle=None, mcps=None, **options):
    (run,) = run_scenario(
        scenario, RecordingRuntime(handle or RecordingHandle()), mcps, **options
    ).runs
    return run


EMPTY = ToolReturnsEmptyUnexpected("look_up")
ARMED = {"tool": "look_up", "mode": "empty_unexpected", "probability": 1.0}
INJECTED = MCPCall("look_up", {}, "[]", 1.0, {"injected": "empty_unexpected"})


@pytest.mark.parametrize(
    ("armed", "calls", "happened"),
    [
        ([ARMED], [], True),  # an agent that never calls the tool does not escape its verdict
        ([ARMED], [INJECTED], True),
        ([ARMED], [MCPCall("look_up", {}, "5 orders", 1.0)], False),
        ([ARMED], [MCPCall("other", {}, "fine", 1.0)], True),
        ([{**ARMED, "mode": "timeout"}], [], False),
        ([{**ARMED, "tool": "other"}], [], False),
        ([], [INJECTED], False),
        (OSError("down"), [INJECTED], False),
    ],
)
def test_a_misbehaving_tool_is_marked_only_on_evidence(armed, calls, happened):
    """Armed for the tool, and no call to it came through unharmed; else the run is INVALID."""
    server = ArmedServer(calls=calls)
    server.armed = armed
    run = fly(Scenario("a", "hi", perturbations=[EMPTY]), mcps=[server])
    assert (EMPTY.marker in run.trace.worker_warnings) is happened
    assert run.score.integrity.passed is happened


def test_a_misbehaving_tool_without_a_mock_makes_the_run_invalid():
    """On an agent that owns its tools nothing was armed."""
    result = run_scenario(Scenario("a", "hi", perturbations=[EMPTY]), RecordingRuntime())
    assert result.aggregate.verdict == "INVALID"


def test_servers_in_processes_of_their_own_are_armed_before_they_start():
    """Each failure with its tool, mode, probability and delay."""
    server = ChildServer()
    fly(
        Scenario(
            "a",
            "hi",
            perturbations=[
                ToolReturnsMalformedJson("look_up", probability=0.5),
                ToolTimeoutPerScenario("list", 7),
                BlankAssistantContent(0),
            ],
        ),
        mcps=[server, RecordingToolServer()],
    )
    malformed = {"tool": "look_up", "mode": "malformed_json", "probability": 0.5}
    timeout = {"tool": "list", "mode": "timeout", "probability": 1.0, "delay_s": 7.0}
    assert server.told == [(malformed, []), (timeout, [])]


def test_an_edit_after_the_fact_changes_the_trace_and_is_scored():
    """What the model never saw is applied to what it answered."""
    corrupt = CorruptPriorAssistantTurn(1)
    run = fly(
        Scenario("a", "hi", target_facts=[["five"]], perturbations=[corrupt]),
        RecordingHandle(["five"]),
    )
    assert run.trace.turns[1].content == ""
    assert run.trace.worker_warnings == [corrupt.marker]
    assert run.score.integrity.passed
    assert not run.score.outcome.passed


def test_an_edit_counts_turns_of_the_live_part():
    """Frozen turns are neither edited nor scored, and stand in front of the trace again."""
    frozen = HistoryPrefix(
        (Turn("user", "p", [], [], 0.0), Turn("assistant", "q", [], [], 0.0)), "run-1"
    )
    run = fly(
        Scenario("a", "hi", perturbations=[CorruptPriorAssistantTurn(1)]),
        RecordingHandle(["five"]),
        history_prefix=frozen,
    )
    assert [turn.content for turn in run.trace.turns] == ["p", "q", "hi", ""]
    assert frozen.turns[1].content == "q"


def test_policies_see_the_live_part_only():
    """A frozen turn breaks no policy."""
    frozen = HistoryPrefix((Turn("user", "secret", [], [], 0.0),), "run-1")
    silent = Policy("silent", lambda trace: all(t.content != "secret" for t in trace.turns))
    assert fly(
        Scenario("a", "hi", policies=[silent]), history_prefix=frozen
    ).score.constraint.passed


def test_the_cost_of_a_failure_is_carried_into_the_score():
    """Also into the score of a run that broke."""
    scenario = Scenario("a", "hi")
    assert fly(scenario).score.failure_cost is scenario.failure_cost
    broken = fly(scenario, RecordingHandle([ValueError("x")]))
    assert broken.score.failure_cost is scenario.failure_cost


SCENARIOS = [
    Scenario("a", "hi", target_facts=[["five"]], must_call=["look_up"], requires_tool_use=True),
    Scenario("a", "hi", perturbations=[CorruptPriorAssistantTurn(1)]),
    Scenario("a", "hi", perturbations=[EMPTY]),
    Scenario("a", "hi", perturbations=[BlankAssistantContent(0)], forbidden_calls=["look_up"]),
]
ANSWERS = [
    says("five", ("look_up", {"id": 1})),
    says("I do not know."),
    says("", worker_warnings=["model error"]),
    ValueError("no model"),
]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("is_witnessed", [False, True])
def test_scoring_the_saved_trace_again_gives_the_same_score(
    tmp_path, scenario, answer, is_witnessed
):
    """Nothing of the live run is needed: its markers say what happened, an error stays an error."""
    servers = (
        [RecordingToolServer(calls=[MCPCall("look_up", {}, "5", 1.0)])] if is_witnessed else None
    )
    run = fly(scenario, RecordingHandle([answer]), servers)
    save_trace(run.trace, tmp_path / "t.json")
    assert score_saved(load_trace(tmp_path / "t.json"), scenario) == run.score
