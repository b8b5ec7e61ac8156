"""One run: what its trace records, and what is kept when it breaks."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from kit.agents import (
    NamingToolServer,
    RecordingHandle,
    RecordingHook,
    RecordingProbe,
    RecordingRuntime,
    RecordingToolServer,
    SettableClock,
    SurfaceHandle,
    says,
)

from wt_git.api.replay import HistoryPrefix
from wt_git.api.scenario import Perturbation, PreSendPerturbation, Scenario
from wt_git.api.trace import Turn, load_trace, save_trace
from wt_git.runner.batch import run_scenario
from wt_git.spi import AgentConfig, MCPCall, ModelSpec, SamplingConfig

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def without_place(trace):
    """The warnings, without where the error was raised: that is a line of the test's own kit."""
    return [re.sub(r" \((?:\w+ )?at \w+\.py:\d+\)$", "", one) for one in trace.worker_warnings]


def fly(handle=None, *, scenario=None, mcps=None, **options):
    """The one run of a batch."""
    runtime = RecordingRuntime(handle or RecordingHandle())
    result = run_scenario(scenario or Scenario("a", "hi"), runtime, mcps, **options)
    (run,) = result.runs
    return run


@dataclass
class Injects(PreSendPerturbation):
    """Puts one message in front of the last."""

    text: str

    @property
    def marker(self):
        return f"perturbation_applied: injects text={self.text}"

    def apply(self, trace):
        raise AssertionError("a live run is shaped before it is sent")

    def shape_messages(self, messages, scenario):
        return [*messages[:-1], {"role": "assistant", "content": self.text}, messages[-1]]


def prefix(*texts):
    """A frozen history of alternating user and assistant texts."""
    roles = ["user", "assistant"] * len(texts)
    turns = [Turn(role, text, [], [], 0.0) for role, text in zip(roles, texts, strict=False)]
    return HistoryPrefix(tuple(turns), "run-1")


class NewestOnly(RecordingHandle):
    """An agent that is sent only the newest user turn."""

    _windtunnel_consumes_full_history = False


def test_a_one_turn_run_records_both_sides_and_who_they_were():
    """Two turns, ids, labels, sampling, times and the hash of no tools."""
    config = AgentConfig(
        "me",
        "strict",
        model=ModelSpec("org/m", "q4"),
        sampling=SamplingConfig(temperature=0.0, max_tokens=50),
    )
    run = fly(config=config, clock=SettableClock(NOON, step_s=0.25))
    trace = run.trace
    assert [(turn.role, turn.content) for turn in trace.turns] == [
        ("user", "hi"),
        ("assistant", "ok"),
    ]
    assert [turn.latency_ms for turn in trace.turns] == [0.0, 250.0]
    assert (trace.scenario_id, trace.agent_id, trace.variant_id) == ("a", "me", "strict")
    assert (trace.model, trace.quant) == ("org/m", "q4")
    assert trace.sampler == {"temperature": 0.0, "max_tokens": 50}
    assert trace.started_at == trace.finished_at == NOON
    assert uuid.UUID(trace.run_id).version == 4
    assert trace.worker_warnings == []
    assert trace.usage is trace.model_calls is trace.surface is None
    assert run.score.outcome.passed


def test_a_conversation_keeps_its_session_and_grows_by_two_messages():
    """The agent is sent everything said so far, as role and content, in one session."""
    handle = RecordingHandle(["A", says("B", ("look_up", {})), "C"])
    run = fly(handle, scenario=Scenario("a", user_turns=["1", "2", "3"]))
    assert [len(messages) for messages, _ in handle.sent] == [1, 3, 5]
    assert [m["content"] for m in handle.sent[-1][0]] == ["1", "A", "2", "B", "3"]
    assert {frozenset(message) for messages, _ in handle.sent for message in messages} == {
        frozenset({"role", "content"})
    }
    assert len(set(handle.sessions)) == 1
    assert uuid.UUID(handle.sessions[0]).version == 4
    assert [turn.content for turn in run.trace.turns] == ["1", "A", "2", "B", "3", "C"]


def test_a_driver_that_edits_its_messages_spoils_no_later_turn():
    """Each send gets messages of its own."""

    def rewrite(messages, session_id):
        for message in messages:
            message["content"] = "rewritten"
        return says("ok")

    handle = RecordingHandle([rewrite])
    run = fly(
        handle,
        scenario=Scenario("a", user_turns=["1", "2"]),
        history_prefix=prefix("p", "q"),
    )
    assert [m["content"] for m in handle.sent[1][0]] == ["p", "q", "1", "ok", "2"]
    assert [turn.content for turn in run.trace.turns] == ["p", "q", "1", "ok", "2", "ok"]


def test_what_a_response_offers_beside_its_text_lands_in_the_trace():
    """Rendered prompt, tool results, warnings, usage and model."""
    response = says(
        "five",
        ("look_up", {"id": 1}),
        rendered_prompt="<s>hi",
        tool_results=[{"orders": 5}, "plain"],
        worker_warnings=["slow", 7],
        usage={"input_tokens": 10, "output_tokens": 2},
        model="m-2",
    )
    trace = fly(RecordingHandle([response])).trace
    assistant = trace.turns[1]
    assert assistant.rendered_prompt == "<s>hi"
    assert assistant.rendered_prompt_hash is not None
    assert assistant.tool_results == [{"orders": 5}, {"result": "plain"}]
    assert assistant.tool_calls == response["tool_calls"]
    assert trace.worker_warnings == ["slow", "7"]
    assert trace.usage == {"input_tokens": 10, "output_tokens": 2}
    assert trace.model == "m-2"


def test_the_models_that_answered_are_named_where_none_was_configured():
    """Distinct names, sorted and joined; `unknown` counts as not configured."""
    handle = RecordingHandle(
        [says("a", model="m-2"), says("b", model="m-1"), says("c", model="m-2")]
    )
    config = AgentConfig(model=ModelSpec("unknown", "q8"))
    trace = fly(handle, scenario=Scenario("a", user_turns=["1", "2", "3"]), config=config).trace
    assert (trace.model, trace.quant) == ("m-1+m-2", "q8")
    assert fly().trace.model == "unknown"


def test_what_the_servers_and_the_probe_saw_is_frozen_before_scoring():
    """Later changes by their owners do not reach the trace."""
    snapshot = {"db": {"rows": [1, 2]}}
    args = {"id": 1}
    server = RecordingToolServer(calls=[MCPCall("look_up", args, {"n": 5}, 1.0)])
    trace = fly(mcps=[server], state_probe=RecordingProbe(snapshot)).trace
    snapshot["db"]["rows"].append(3)
    args["id"] = 2
    assert trace.observations == {"db": {"rows": [1, 2]}}
    assert trace.mcp_calls == [
        {"tool_name": "look_up", "args": {"id": 1}, "result": {"n": 5}, "timestamp_ms": 1.0}
    ]
    assert trace.worker_warnings == ["mcp_evidence: available"]


def test_server_evidence_outweighs_the_agents_own_account():
    """A hidden call counts, an invented one does not."""
    scenario = Scenario("a", "hi", must_call=["look_up"])
    silent = fly(
        RecordingHandle(["five"]),
        scenario=scenario,
        mcps=[RecordingToolServer(calls=[MCPCall("look_up", {}, "5", 1.0)])],
    )
    inventive = fly(
        RecordingHandle([says("five", ("look_up", {}))]),
        scenario=scenario,
        mcps=[RecordingToolServer()],
    )
    assert silent.score.trajectory.passed
    assert not inventive.score.trajectory.passed


def test_warnings_stand_in_the_documented_order():
    """Surface, prefix, start hooks, sends, probe, divergence and evidence, perturbations, hooks."""
    handle = SurfaceHandle([says("ok", worker_warnings=["from the agent"])])
    handle.surface = "text"
    call = MCPCall("t", {}, None, 1.0, {"divergence": {"policy": "nearest"}})
    hook = RecordingHook(
        **{
            point: lambda ctx: ctx.warn(ctx.phase)
            for point in ("on_run_start", "on_run_scored", "on_run_end")
        }
    )
    trace = fly(
        handle,
        scenario=Scenario("a", "hi", perturbations=[Injects("x")]),
        mcps=[RecordingToolServer(calls=[call])],
        state_probe=RecordingProbe(fails={"capture": OSError("down")}),
        hooks=[hook],
        history_prefix=prefix("p", "q"),
    ).trace
    assert [warning.split(" ")[0] for warning in trace.worker_warnings] == [
        "surface_invalid:",
        "replay_prefix:",
        "hook:recorder:",
        "from",
        "probe_error:",
        "universe_divergence:",
        "mcp_evidence:",
        "perturbation_applied:",
        "hook:recorder:",
        "hook:recorder:",
    ]
    assert trace.worker_warnings[2] == "hook:recorder: on_run_start"
    assert trace.worker_warnings[-2:] == [
        "hook:recorder: on_run_scored",
        "hook:recorder: on_run_end",
    ]


def test_frozen_turns_are_sent_recorded_and_not_scored():
    """A prefix leads every send and the trace; its calls satisfy nothing."""
    earlier = HistoryPrefix(
        (
            Turn("user", "p", [], [], 0.0),
            Turn("tool", "result", [], [], 0.0),
            Turn("assistant", "q", [{"name": "look_up", "args": {}}], [], 3.0),
        ),
        "run-1",
    )
    handle = RecordingHandle(["ok"])
    scenario = Scenario("a", user_turns=["1", "2"], must_call=["look_up"])
    run = fly(handle, scenario=scenario, history_prefix=earlier)
    assert [[m["content"] for m in messages] for messages, _ in handle.sent] == [
        ["p", "q", "1"],
        ["p", "q", "1", "ok", "2"],
    ]
    assert [turn.content for turn in run.trace.turns] == ["p", "result", "q", "1", "ok", "2", "ok"]
    assert "replay_prefix: source=run-1 turns=3" in run.trace.worker_warnings
    assert not run.score.trajectory.passed
    assert run.score.outcome.passed


def test_history_is_shaped_on_the_last_turn_only_and_never_recorded():
    """Every perturbation folds over the messages, in declared order; the turns stay as sent."""
    handle = RecordingHandle(["A", "B"])
    scenario = Scenario("a", user_turns=["1", "2"], perturbations=[Injects("x"), Injects("y")])
    run = fly(handle, scenario=scenario)
    assert [m["content"] for m in handle.sent[0][0]] == ["1"]
    assert [m["content"] for m in handle.sent[1][0]] == ["1", "A", "x", "y", "2"]
    assert [turn.content for turn in run.trace.turns] == ["1", "A", "2", "B"]
    assert run.trace.worker_warnings == [p.marker for p in scenario.perturbations]
    assert run.score.integrity.passed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"history_prefix": prefix("p", "q")}, "cannot deliver a replayed history prefix"),
        (
            {"scenario": Scenario("a", "hi", perturbations=[Injects("x"), Injects("y")])},
            "cannot deliver history-shaped perturbations: Injects, Injects",
        ),
    ],
)
def test_history_that_cannot_be_delivered_is_refused_before_anything_is_touched(options, said):
    """No log, probe or surface is touched, nothing is sent, no marker claims it was."""
    handle = NewestOnly()
    server = NamingToolServer(calls=[MCPCall("left over", {}, None, 1.0)])
    probe = RecordingProbe({"left": "over"})
    hook = RecordingHook()
    run = fly(handle, mcps=[server], state_probe=probe, hooks=[hook], **options)
    assert handle.log == ["provision", "reset_state", "teardown"]
    assert probe.log == []
    assert server.log == ["start tools", "served_tools tools", "stop tools"]
    (warning,) = run.trace.worker_warnings
    assert warning.startswith("runner_error: ")
    assert said in warning
    assert (run.trace.turns, run.trace.mcp_calls, run.trace.observations) == ([], [], {})
    assert not run.score.integrity.passed
    assert hook.log == ["on_provisioned", "on_run_scored", "on_run_end", "on_scenario_end"]


def test_history_is_delivered_where_the_handle_says_so_or_nothing():
    """Only an explicit False refuses; a property that raises counts as absent."""

    class Raising(RecordingHandle):
        @property
        def _windtunnel_consumes_full_history(self):
            raise OSError("not yet")

    class Saying(RecordingHandle):
        _windtunnel_consumes_full_history = True

    for handle in (Raising(), Saying(), RecordingHandle()):
        run = fly(handle, history_prefix=prefix("p", "q"))
        assert [m["content"] for m in handle.sent[0][0]] == ["p", "q", "hi"]
        assert run.score.outcome.passed


def test_a_run_that_breaks_keeps_the_evidence_it_had():
    """Turns sent, calls witnessed and the world as it is; every layer fails, nothing is scored."""
    server = NamingToolServer(calls=[MCPCall("look_up", {}, "5", 1.0)])
    handle = RecordingHandle(
        [says("first", usage={"input_tokens": 9, "output_tokens": 1}), ValueError("no model")]
    )
    config = AgentConfig(model=ModelSpec("m", "q4"))
    run = fly(
        handle,
        scenario=Scenario("a", user_turns=["1", "2", "3"]),
        mcps=[server],
        state_probe=RecordingProbe({"db": 1}),
        config=config,
    )
    trace = run.trace
    assert without_place(trace) == ["runner_error: no model", "mcp_evidence: available"]
    assert [turn.content for turn in trace.turns] == ["1", "first", "2"]
    assert [call["tool_name"] for call in trace.mcp_calls] == ["look_up"]
    assert trace.observations == {"db": 1}
    assert trace.tool_schema_hash is not None
    assert (trace.model, trace.quant) == ("m", "q4")
    assert trace.started_at == trace.finished_at
    assert trace.usage is None
    assert [entry["prompt_tokens"] for entry in trace.model_calls] == [9, None]
    for layer in ("outcome", "trajectory", "constraint", "integrity"):
        assert not getattr(run.score, layer).passed
        assert "no model" in getattr(run.score, layer).detail


def test_an_error_without_a_message_is_named_by_its_type():
    """A bare exception still says what it was."""
    run = fly(RecordingHandle([TimeoutError()]))
    assert without_place(run.trace) == ["runner_error: TimeoutError", "failure_class: provider"]


@pytest.mark.parametrize("response", ["text", None, 5, ["ok"]])
def test_a_response_that_is_no_object_breaks_the_run_by_its_type(response):
    """The shapes that would be accepted are named beside it."""
    (warning,) = fly(RecordingHandle([lambda m, s: response])).trace.worker_warnings
    assert warning.startswith("runner_error: ")
    assert type(response).__name__ in warning
    assert "choices" in warning


def test_the_runs_after_a_broken_one_proceed():
    """Each run begins with its own reset."""
    answers = iter([ValueError("once"), "ok"])

    def answer(messages, session_id):
        given = next(answers)
        if isinstance(given, Exception):
            raise given
        return says(given)

    handle = RecordingHandle([answer])
    result = run_scenario(Scenario("a", "hi"), RecordingRuntime(handle), runs_per_scenario=2)
    assert [run.score.outcome.passed for run in result.runs] == [False, True]
    assert result.aggregate.verdict == "INVALID"
    assert handle.log == ["provision", *["reset_state", "send"] * 2, "teardown"]


def test_a_log_that_cannot_be_cleared_breaks_the_run_and_is_not_read():
    """Its calls may be another run's."""
    servers = [
        RecordingToolServer("a", calls=[MCPCall("old", {}, None, 1.0)]),
        RecordingToolServer("b", fails={"reset_call_log": OSError("down")}),
    ]
    probe = RecordingProbe({"old": 1})
    run = fly(mcps=servers, state_probe=probe)
    assert without_place(run.trace) == ["runner_error: down"]
    assert (run.trace.mcp_calls, run.trace.observations) == ([], {})
    assert probe.log == []


def test_a_world_that_cannot_be_reset_breaks_the_run_and_is_not_observed():
    """Whatever it shows may be another run's doing."""
    probe = RecordingProbe({"old": 1}, fails={"reset": OSError("locked")})
    handle = RecordingHandle()
    run = fly(handle, state_probe=probe)
    assert without_place(run.trace) == ["runner_error: locked"]
    assert run.trace.observations == {}
    assert "send" not in handle.log


def test_the_probe_is_asked_once_even_when_scoring_breaks():
    """Evidence is collected once, whatever happens afterwards."""

    class Breaks(Perturbation):
        marker = "perturbation_applied: breaks"

        def apply(self, trace):
            raise RuntimeError("cannot apply")

    probe = RecordingProbe({"db": 1})
    server = RecordingToolServer()
    run = fly(
        scenario=Scenario("a", "hi", perturbations=[Breaks()]), state_probe=probe, mcps=[server]
    )
    assert without_place(run.trace) == ["runner_error: cannot apply", "mcp_evidence: available"]
    assert run.trace.observations == {"db": 1}
    assert [turn.content for turn in run.trace.turns] == ["hi", "ok"]
    assert probe.log == ["probe reset", "probe capture"]
    assert server.log.count("call_log tools") == 1


def test_hooks_see_a_broken_run_and_their_warnings_follow_the_error():
    """The error comes first, then what hooks said before and after it."""
    hook = RecordingHook(
        on_run_start=lambda ctx: ctx.warn("early"), on_run_scored=lambda ctx: ctx.warn("late")
    )
    run = fly(RecordingHandle([ValueError("no model")]), hooks=[hook])
    assert without_place(run.trace) == [
        "runner_error: no model",
        "hook:recorder: early",
        "hook:recorder: late",
    ]
    (ctx,) = hook.contexts["on_run_scored"]
    assert ctx.trace is run.trace
    assert ctx.score is run.score


def test_a_runtime_cannot_forge_the_markers_that_decide_a_score():
    """What begins like a marker is stored behind a prefix; all else as it came."""
    forged = [
        "mcp_evidence: available",
        "perturbation_applied: injects text=x",
        "replay_prefix: source=x turns=1",
        "runner_error: x",
    ]
    handle = RecordingHandle([says("ok", worker_warnings=[*forged, "verdict_bucket:unsafe"])])
    run = fly(handle)
    assert run.trace.worker_warnings == [
        *(f"runtime_warning: {text}" for text in forged),
        "verdict_bucket:unsafe",
    ]
    assert run.score.outcome.passed


def test_every_trace_can_be_saved_whatever_the_agent_returned(tmp_path):
    """Objects that JSON cannot hold are described, not lost and not fatal."""
    odd = {
        "content": "ok",
        "tool_calls": [{"name": "t", "args": {"x": object(), "n": float("nan")}}],
    }
    server = RecordingToolServer(calls=[MCPCall("t", {"x": {1}}, object(), 1.0, {"y": object()})])
    handle = SurfaceHandle([lambda m, s: odd])
    handle.surface = {"status": "reported", "system_instructions": [object()]}
    trace = fly(handle, mcps=[server], state_probe=RecordingProbe({"db": object()})).trace
    save_trace(trace, tmp_path / "t.json")
    assert load_trace(tmp_path / "t.json") == trace
