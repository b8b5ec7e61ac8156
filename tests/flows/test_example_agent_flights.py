"""The example agent on a scripted model: every kind of flight, over real sockets, both ways."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from kit.example_agent import Endpoint, Mounted, scenario
from kit.openai_server import MODEL, Answer, ScriptedModel, calls, calls_raw, says

from wt_git.api.perturbations import InjectStaleMemory
from wt_git.api.scenario import Scenario
from wt_git.runtimes.http_inject.client import Client
from wt_git.spi.agent_runtime import AgentConfig, SamplingConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.api.aggregate import ScenarioRunResult

ANSWER = "On Saturday we close at 16:00."
LOOKED_UP = calls("opening_hours", day="Saturday")
WITNESS = {Endpoint: "[evidence: transcript]", Mounted: "[evidence: server-witnessed]"}
both_ways = pytest.mark.parametrize("way", [Endpoint, Mounted])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A scripted model that the agent asks."""
    with ScriptedModel() as server:
        monkeypatch.setenv("AGENT_OPENAI_URL", server.url)
        monkeypatch.setenv("AGENT_MODEL", MODEL)
        yield server


def fly(way: Any, flown: str | Scenario = "hours_on_saturday", **options: Any) -> ScenarioRunResult:
    """Fly one run and return it."""
    with way(**options) as pilot:
        result = pilot.fly(scenario(flown) if isinstance(flown, str) else flown)
    (run,) = result.runs
    print(run.trace.worker_warnings, run.score)
    return run


def gate(run: ScenarioRunResult) -> bool:
    """Whether the run passed what hours_on_saturday asks for."""
    return run.score.gate_passed(("outcome", "trajectory"))


def claimed(run: ScenarioRunResult) -> list[str]:
    """The tools that the agent says it called."""
    return [call["function"]["name"] for turn in run.trace.turns for call in turn.tool_calls]


def witnessed(run: ScenarioRunResult) -> list[str]:
    """The tools whose server saw a call."""
    return [call["tool_name"] for call in run.trace.mcp_calls]


@both_ways
def test_the_right_answer_through_the_right_tool_passes(way, model):
    """The model asks for the tool, the agent calls it, and its result goes back to the model."""
    model.script(LOOKED_UP, says(ANSWER))
    run = fly(way)
    assert gate(run)
    assert WITNESS[way] in run.score.trajectory.detail
    assert run.trace.turns[-1].content == ANSWER
    assert claimed(run) == ["opening_hours"]
    tool_message = model.requests[1]["messages"][-1]
    assert tool_message["role"] == "tool"
    assert '"closes": "16:00"' in tool_message["content"].replace("\n", " ")
    offered = {tool["function"]["name"] for tool in model.requests[0]["tools"]}
    assert offered == {"opening_hours", "find_book", "list_loans", "renew_loan"}


@both_ways
def test_the_right_answer_without_a_tool_call_fails_and_says_so(way, model):
    """A guess that happens to be right is a guess."""
    model.script(says(ANSWER))
    run = fly(way)
    assert not run.score.outcome.passed
    assert "no_tools_used" in run.score.outcome.detail
    assert "required tools not called: opening_hours" in run.score.trajectory.detail
    assert run.score.integrity.passed


@both_ways
def test_the_wrong_tool_fails_the_trajectory_only(way, model):
    """The answer is right and some tool was used; it was not the one that knows."""
    model.script(calls("find_book", title="Dune"), says(ANSWER))
    run = fly(way)
    assert run.score.outcome.passed
    assert not run.score.trajectory.passed
    assert "opening_hours" in run.score.trajectory.detail


@both_ways
def test_a_tool_that_nobody_offers_is_a_call_all_the_same(way, model):
    """The model made it up; the server says no and, where it is ours, has seen it."""
    model.script(calls("web_search", query="library"), LOOKED_UP, says(ANSWER))
    flown = scenario("hours_on_saturday")
    forbidding = Scenario("no_phantoms", flown.prompt, [["16:00"]], forbidden_calls=["web_search"])
    run = fly(way, forbidding)
    assert claimed(run) == ["web_search", "opening_hours"]
    assert "forbidden tools called: web_search" in run.score.trajectory.detail
    assert WITNESS[way] in run.score.trajectory.detail


@both_ways
def test_no_answer_at_all_is_the_failure_of_the_agent(way, model):
    """It is scored, with the reason as a warning of the run: the execution did not break."""
    model.script(LOOKED_UP, says(None))
    run = fly(way)
    assert run.trace.turns[-1].content == ""
    assert "the answer is empty" in run.trace.worker_warnings
    assert not run.score.outcome.passed
    assert run.score.trajectory.passed
    assert run.score.integrity.passed


@both_ways
def test_a_model_that_hangs_ends_the_turn_at_the_agents_deadline(way, model, monkeypatch):
    """The calls made until then are still reported."""
    monkeypatch.setenv("AGENT_TIMEOUT_S", "2")
    model.script(LOOKED_UP, model.hangs)
    run = fly(way, **({"timeout_s": 2.0} if way is Endpoint else {}))
    (said,) = [warning for warning in run.trace.worker_warnings if "mcp_evidence" not in warning]
    assert said.startswith("no answer in ")
    assert claimed(run) == ["opening_hours"]
    assert not run.score.outcome.passed
    assert run.score.trajectory.passed
    assert run.score.integrity.passed


@both_ways
def test_an_agent_that_crashes_makes_the_run_invalid(way, model):
    """Nobody knows what it would have said; what the server saw until then is kept."""
    with way() as pilot:

        def crash() -> Answer:
            os.kill(pilot.process.pid, signal.SIGKILL)
            return says("nobody hears this")

        model.script(LOOKED_UP, crash)
        result = pilot.fly(scenario("hours_on_saturday"))
    (run,) = result.runs
    assert result.aggregate.verdict == "INVALID"
    assert run.trace.worker_warnings[0].startswith("runner_error: ")
    assert witnessed(run) == (["opening_hours"] if way is Mounted else [])


def test_after_a_crash_the_next_run_begins_on_a_fresh_agent(model):
    """The plugin replaces the process at the reset; one crash costs one run."""
    with Mounted() as pilot:

        def crash() -> Answer:
            os.kill(pilot.process.pid, signal.SIGKILL)
            return says("nobody hears this")

        model.script(crash, LOOKED_UP, says(ANSWER))
        result = pilot.fly(scenario("hours_on_saturday"), runs=2)
    assert [gate(run) for run in result.runs] == [False, True]


def test_an_agent_that_stops_dead_meets_the_drivers_deadline(model, monkeypatch):
    """The driver waits for the agent's own deadline and a grace, here of 0.5 s, not for ever."""
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "grace_s", 0.5)
    with Endpoint(timeout_s=2) as pilot:

        def stop() -> Answer:
            os.kill(pilot.process.pid, signal.SIGSTOP)
            return says("nobody hears this")

        model.script(stop)
        result = pilot.fly(scenario("hours_on_saturday"))
    assert result.aggregate.verdict == "INVALID"
    assert "transport timeout" in result.runs[0].trace.worker_warnings[0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(b"overloaded", 503), "the model's server answered 503: overloaded"),
        (Answer(b"<html>"), "no chat completion: <html>"),
        (Answer(b'{"choices": []}'), 'no chat completion: {"choices": []}'),
    ],
    ids=["status", "not json", "no choice"],
)
def test_a_model_that_answers_rubbish_is_no_answer(model, answer, why):
    """What it sent is quoted; the agent neither retries nor makes something up, and scores nothing."""
    model.script(answer)
    run = fly(Endpoint)
    assert why in run.trace.worker_warnings[0]
    assert not run.score.outcome.passed
    assert not run.score.integrity.passed
    assert len(model.requests) == 1


@pytest.mark.parametrize("arguments", ["day=Saturday", '["Saturday"]', '{"day": "Satur'])
def test_a_call_whose_arguments_are_no_object_is_not_made(model, arguments):
    """The agent says what the model asked for, and the tokens that it cost still count."""
    model.script(LOOKED_UP, calls_raw("renew_loan", arguments, usage=(50, 9)))
    run = fly(Endpoint)
    (said,) = run.trace.worker_warnings
    assert said.startswith("the model asked for a call that cannot be made: ")
    assert claimed(run) == ["opening_hours"]
    assert run.trace.usage == {"input_tokens": 57, "output_tokens": 14}
    assert not run.score.outcome.passed
    assert run.score.integrity.passed


@both_ways
def test_a_model_that_never_stops_calling_tools_is_stopped(way, model):
    """After five steps the agent gives up and says so."""
    model.script(*[LOOKED_UP] * 20)
    run = fly(way)
    assert "no answer after 5 steps" in run.trace.worker_warnings
    assert claimed(run) == ["opening_hours"] * 5


@both_ways
def test_every_model_call_is_accounted_for(way, model):
    """Counts are those that the model's server reported, one entry per call, and their sums."""
    model.script(
        calls("opening_hours", usage=(101, 13), day="Saturday"), says(ANSWER, usage=(140, 17))
    )
    run = fly(way)
    assert run.trace.usage == {"input_tokens": 241, "output_tokens": 30}
    counted = [(c["prompt_tokens"], c["completion_tokens"]) for c in run.trace.model_calls or []]
    assert counted == [(101, 13), (140, 17)]
    assert run.trace.model == MODEL


@both_ways
def test_a_model_call_without_counts_makes_the_cost_unknown(way, model):
    """Adding up the rest would make the run look cheaper than it was."""
    model.script(LOOKED_UP, says(ANSWER, usage=None))
    run = fly(way)
    assert run.trace.usage is None
    counted = [(c["prompt_tokens"], c["completion_tokens"]) for c in run.trace.model_calls or []]
    assert counted == [(7, 5), (None, None)]


@both_ways
def test_the_second_turn_knows_the_first(way, model):
    """As an endpoint the agent remembers; with the plugin the bench sends what was said."""
    model.script(
        *(calls("find_book", title="The Left Hand of Darkness"), says("On shelf F-12.")),
        says("1 of 3 copies."),
    )
    run = fly(way, "shelf_then_copies")
    assert run.score.outcome.passed
    said = [(m["role"], m["content"]) for m in model.requests[-1]["messages"]]
    assert ("assistant", "On shelf F-12.") in said
    assert said[-1] == ("user", "And how many copies are there right now?")
    # Only a session that the agent keeps also holds what its tools said.
    assert ("tool" in dict(said)) is (way is Endpoint)


def test_a_reset_wipes_the_sessions_of_the_endpoint(model):
    """The second run's first request holds nothing of the first run."""
    model.script(LOOKED_UP, says(ANSWER), says("I do not know."))
    with Endpoint() as pilot:
        pilot.fly(scenario("hours_on_saturday"), runs=2)
    assert [m["role"] for m in model.requests[-1]["messages"]] == ["system", "user"]


def test_a_call_that_the_transcript_hides_is_still_seen(model, monkeypatch):
    """With tools of the bench the agent's own account does not matter."""
    monkeypatch.setenv("AGENT_MISREPORT", "hide:opening_hours")
    model.script(LOOKED_UP, says(ANSWER))
    run = fly(Mounted)
    assert claimed(run) == []
    assert witnessed(run) == ["opening_hours"]
    assert gate(run)


def test_a_call_that_the_transcript_invents_is_not_counted(model, monkeypatch):
    """The agent says it looked; the server knows that nobody asked."""
    monkeypatch.setenv("AGENT_MISREPORT", "invent:opening_hours")
    model.script(says(ANSWER))
    run = fly(Mounted)
    assert claimed(run) == ["opening_hours"]
    assert witnessed(run) == []
    assert "no_tools_used" in run.score.outcome.detail
    assert "required tools not called: opening_hours [evidence: server-witnessed]" in (
        run.score.trajectory.detail
    )


def test_an_endpoint_is_taken_at_its_word(model, monkeypatch):
    """Nobody else saw its tools: the same two lies go undetected, and the evidence is labelled."""
    monkeypatch.setenv("AGENT_MISREPORT", "invent:opening_hours")
    model.script(says(ANSWER))
    run = fly(Endpoint)
    assert gate(run)
    assert "[evidence: transcript]" in run.score.trajectory.detail


def test_history_that_a_perturbation_shapes_reaches_the_model(model):
    """The plugin sends the whole conversation, so what is injected into it is seen."""
    model.script(LOOKED_UP, says(ANSWER))
    flown = scenario("hours_on_saturday")
    perturbed = Scenario(
        "stale",
        flown.prompt,
        [["16:00"]],
        perturbations=[InjectStaleMemory("saturdays", "closed on Saturdays")],
    )
    run = fly(Mounted, perturbed)
    assert run.score.integrity.passed
    systems = [m["content"] for m in model.requests[0]["messages"] if m["role"] == "system"]
    assert "Rivermouth" in systems[0]
    assert "closed on Saturdays" in systems[1]


def test_a_system_prompt_reaches_the_model(model):
    """`--soul` replaces the agent's own prompt."""
    model.script(LOOKED_UP, says(ANSWER))
    with Mounted() as pilot:
        pilot.fly(
            scenario("hours_on_saturday"), config=AgentConfig(system_prompt="Answer in verse.")
        )
    assert model.requests[0]["messages"][0] == {"role": "system", "content": "Answer in verse."}


def test_what_the_agent_cannot_honour_is_refused(model):
    """A run labelled temperature 0 that used the default would be worse than none."""
    config = AgentConfig(sampling=SamplingConfig(temperature=0.0))
    with Mounted() as pilot, pytest.raises(RuntimeError, match=r"AgentConfig\.sampling"):
        pilot.fly(scenario("hours_on_saturday"), config=config)
    assert model.requests == []
