"""What every driver has to do, as one test class: subclass it and say how your agent is brought up.

A `Subject` is a driver together with an agent that plays a script. The checks fly real batches
through the runner and look at both ends: what the runner recorded and what the agent received.

    class TestMyDriver(DriverConformance):
        @pytest.fixture
        def subject(self):
            with my_endpoint() as endpoint:
                yield MySubject(endpoint)
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from wt_git.api.perturbations import InjectWrongPriorToolCall
from wt_git.api.scenario import Scenario
from wt_git.runner.batch import ScenarioResult, run_scenario
from wt_git.spi import (
    AgentConfig,
    AgentRuntime,
    ConcurrentScheduler,
    ReferenceCapableAgentRuntime,
    RunJob,
    SamplingConfig,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Says:
    """One answer of the agent: a text, tool calls as (name, arguments), and what else it reports.

    `error` is a failure of the agent itself, which is reported and scored, not raised.
    """

    text: str = ""
    tool_calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    usage: dict[str, Any] | None = None
    model: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class Breaks:
    """The turn fails so that the driver has to raise: a crash, a broken answer, no answer."""


class Received(NamedTuple):
    """One turn as the agent got it."""

    session_id: str
    text: str


class Subject:
    """A driver under test. Override the two methods, and the facts that differ.

    The script is played from its first answer after every reset, one answer per turn whatever the
    session; when it has run out, its last answer repeats.
    """

    consumes_full_history = True
    """Whether all messages reach the agent; else only the newest user turn does."""
    honours_configuration = True
    """Whether a sampling and a system prompt reach the agent or are refused; False for an agent
    that has neither."""
    max_concurrency: int | None = 1
    """How many handles may be driven at once; None for no limit."""
    reports_usage = True
    """Whether the `usage` and `model` of an answer come through."""

    def runtime(self, script: Sequence[Says | Breaks]) -> AgentRuntime:
        """A runtime whose agents play this script."""
        raise NotImplementedError

    def received(self, handle: Any) -> list[Received]:
        """What the agent behind the handle got since its last reset, in order."""
        raise NotImplementedError


@dataclass
class Watched:
    """A runtime that notes what the runner asks of it and passes it on."""

    runtime: AgentRuntime
    log: list[str] = field(default_factory=list)
    sent: list[tuple[list[dict[str, Any]], str]] = field(default_factory=list)
    handles: list[Any] = field(default_factory=list)
    reset_fails: bool = False

    def provision(self, config: AgentConfig, mcps: Any = None) -> WatchedHandle:
        self.log.append("provision")
        handle = WatchedHandle(self, self.runtime.provision(config, mcps=mcps))
        self.handles.append(handle)
        return handle


class WatchedHandle:
    """The handle of a `Watched` runtime."""

    def __init__(self, watched: Watched, raw: Any) -> None:
        self._watched = watched
        self.raw = raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)

    def send(self, messages: list[dict[str, Any]], session_id: str) -> dict[str, Any]:
        self._watched.log.append("send")
        self._watched.sent.append(([dict(message) for message in messages], session_id))
        return self.raw.send(messages, session_id)

    def reset_state(self) -> None:
        self._watched.log.append("reset_state")
        if self._watched.reset_fails:
            raise RuntimeError("the wipe did not happen")
        self.raw.reset_state()

    def teardown(self) -> None:
        self._watched.log.append("teardown")
        self.raw.teardown()


class Flown(NamedTuple):
    """A batch seen from both ends; `received` has one list per run."""

    result: ScenarioResult
    watched: Watched
    received: list[list[Received]]


def fly(
    subject: Subject,
    script: Sequence[Says | Breaks],
    scenario: Scenario | None = None,
    **options: Any,
) -> Flown:
    """Fly a scenario on an agent that plays a script."""
    watched = Watched(subject.runtime(script))
    received: list[list[Received]] = []
    result = run_scenario(
        scenario or Scenario("one turn", "hi"),
        watched,
        on_run_complete=lambda _, run: received.append(subject.received(watched.handles[-1].raw)),
        **options,
    )
    return Flown(result, watched, received)


class DriverConformance:
    """The checks. The fixture `subject` is the subclass's to define."""

    @pytest.fixture
    def subject(self) -> Subject:
        """The driver under test."""
        raise NotImplementedError

    def test_one_turn_is_recorded_with_both_sides(self, subject):
        """Two turns, the ids of the configuration, an outcome that can be scored."""
        scenario = Scenario("echo", "say five", target_facts=[["five"]])
        config = AgentConfig("me", "label")
        result = fly(subject, [Says("It is five.")], scenario, config=config).result
        (run,) = result.runs
        trace = run.trace
        assert [(turn.role, turn.content) for turn in trace.turns] == [
            ("user", "say five"),
            ("assistant", "It is five."),
        ]
        assert (trace.scenario_id, trace.agent_id, trace.variant_id) == ("echo", "me", "label")
        assert trace.worker_warnings == []
        assert result.aggregate.verdict == "PASS"

    def test_the_steps_of_a_batch_come_in_order(self, subject):
        """Provisioned once; a reset before every run, the first too; torn down at the end."""
        result, watched, received = fly(subject, [Says("ok")], runs_per_scenario=3)
        assert watched.log == ["provision", *["reset_state", "send"] * 3, "teardown"]
        assert len({run.trace.run_id for run in result.runs}) == 3
        assert len({session_id for _, session_id in watched.sent}) == 3
        assert [len(turns) for turns in received] == [1, 1, 1]

    def test_the_turns_of_a_conversation_share_a_session(self, subject):
        """The agent gets every user turn once, in order, in a session that is the run's own."""
        scenario = Scenario("three turns", user_turns=["one", "two", "three"])
        script = [Says("A"), Says("B"), Says("C")]
        result, watched, received = fly(subject, script, scenario, runs_per_scenario=2)
        for run, turns in zip(result.runs, received, strict=True):
            assert [turn.text for turn in turns] == ["one", "two", "three"]
            assert len({turn.session_id for turn in turns}) == 1
            assert [t.content for t in run.trace.turns] == ["one", "A", "two", "B", "three", "C"]
        assert received[0][0].session_id != received[1][0].session_id
        assert [len(messages) for messages, _ in watched.sent] == [1, 3, 5] * 2

    def test_a_turn_that_breaks_is_an_invalid_run_and_the_next_one_flies(self, subject):
        """The error is recorded, what was said before it stays, the agent is torn down."""
        scenario = Scenario("two turns", user_turns=["one", "two"])
        script = [Says("A"), Breaks()]
        result, watched, _ = fly(subject, script, scenario, runs_per_scenario=2)
        assert result.aggregate.verdict == "INVALID"
        for run in result.runs:
            assert run.trace.worker_warnings[0].startswith("runner_error: ")
            assert [turn.content for turn in run.trace.turns] == ["one", "A", "two"]
        assert watched.log == ["provision", *["reset_state", "send", "send"] * 2, "teardown"]

    def test_a_failing_agent_is_scored_and_not_invalid(self, subject):
        """An error of the agent itself is a warning beside whatever it did say."""
        scenario = Scenario("echo", "say five", target_facts=[["five"]])
        result = fly(subject, [Says("no", error="the model is gone")], scenario).result
        (run,) = result.runs
        assert "the model is gone" in run.trace.worker_warnings
        assert run.score.integrity.passed
        assert result.aggregate.verdict == "FAIL"

    def test_a_reset_that_fails_ends_the_batch_and_tears_down(self, subject):
        """No run is flown on an agent that was not wiped."""
        watched = Watched(subject.runtime([Says("ok")]), reset_fails=True)
        with pytest.raises(RuntimeError, match="wipe did not happen"):
            run_scenario(Scenario("one turn", "hi"), watched, runs_per_scenario=2)
        assert watched.log == ["provision", "reset_state", "teardown"]

    def test_every_tool_call_of_a_turn_surfaces_in_order(self, subject):
        """Names and arguments, intermediate calls included, so that trajectories can be scored."""
        calls = (("look_up", {"id": "ACC-LSPN-001"}), ("count_orders", {"open": True}))
        scenario = Scenario(
            "looks it up",
            "how many?",
            requires_tool_use=True,
            must_call=["look_up", "count_orders"],
            order_matters=True,
        )
        result = fly(subject, [Says("five", calls)], scenario).result
        assert result.aggregate.verdict == "PASS"
        recorded = result.runs[0].trace.turns[1].tool_calls
        assert tuple(_name_and_arguments(call) for call in recorded) == calls

    def test_nothing_survives_a_reset_or_reaches_another_batch(self, subject):
        """Two scenarios in a row, several runs each: no turn of one is seen in the other."""
        runtime = subject.runtime([Says("ok")])
        seen = []
        for text in ("first", "second"):
            watched = Watched(runtime)
            run_scenario(
                Scenario(text, text),
                watched,
                runs_per_scenario=2,
                on_run_complete=lambda _, run, watched=watched: seen.append(
                    [turn.text for turn in subject.received(watched.handles[-1].raw)]
                ),
            )
        assert seen == [["first"], ["first"], ["second"], ["second"]]

    def test_a_shaped_history_reaches_the_agent_or_is_refused(self, subject):
        """Never a marker for a condition that the agent did not meet."""
        perturbation = InjectWrongPriorToolCall(0, "wrong_tool", "wrong result")
        scenario = Scenario("misled", "hi", perturbations=[perturbation])
        result, watched, received = fly(subject, [Says("ok")], scenario)
        (run,) = result.runs
        if subject.consumes_full_history:
            assert "wrong_tool" in json.dumps(watched.sent[0][0])
            assert perturbation.marker in run.trace.worker_warnings
            assert run.score.integrity.passed
        else:
            (warning,) = run.trace.worker_warnings
            assert "cannot deliver history-shaped perturbations" in warning
            assert received == [[]]
            assert not run.score.integrity.passed

    @pytest.mark.parametrize(
        ("field", "config"),
        [
            ("sampling", AgentConfig(sampling=SamplingConfig(temperature=0.0))),
            ("system_prompt", AgentConfig(system_prompt="Be brief.")),
        ],
    )
    def test_a_configuration_is_honoured_or_refused_by_name(self, subject, field, config):
        """A run that is labelled with a setting it did not use is worse than no run."""
        if subject.honours_configuration:
            try:
                result = fly(subject, [Says("ok")], config=config, runs_per_scenario=2).result
            except RuntimeError as refusal:
                assert field in str(refusal)  # noqa: PT017 - either answer is right
                return
            first, second = (run.trace.turns[-1].content for run in result.runs)
            assert first == second
        else:
            assert fly(subject, [Says("ok")], config=config).result.aggregate.total == 1

    def test_teardown_may_come_twice_and_another_agent_can_follow(self, subject):
        """A crash must not leave a backend that nobody can use."""
        runtime = subject.runtime([Says("ok")])
        handle = runtime.provision(AgentConfig())
        handle.teardown()
        handle.teardown()
        assert run_scenario(Scenario("one turn", "hi"), runtime).aggregate.verdict == "PASS"

    def test_as_many_agents_as_declared_can_be_driven_at_once(self, subject):
        """Each job on a handle of its own; no session sees another's turns."""
        count = subject.max_concurrency or 4
        runtime = subject.runtime([Says("ok")])
        together = threading.Barrier(count)
        seen: dict[int, list[str]] = {}

        def job(index):
            watched = Watched(runtime)
            scenario = Scenario(f"job {index}", user_turns=[f"{index} one", f"{index} two"])
            run_scenario(
                scenario,
                watched,
                on_run_start=lambda _: together.wait(60),
                on_run_complete=lambda _, run: seen.update(
                    {index: [turn.content for turn in run.trace.turns[::2]]}
                ),
            )
            sessions = {session_id for _, session_id in watched.sent}
            assert len(sessions) == 1

        jobs = [RunJob(i, f"job {i}", 1, lambda i=i: job(i)) for i in range(count)]
        ConcurrentScheduler(count).execute(jobs, threading.Event())
        assert seen == {i: [f"{i} one", f"{i} two"] for i in range(count)}

    @pytest.mark.parametrize(
        ("reported", "total"),
        [
            ((True, True), {"input_tokens": 20, "output_tokens": 4}),
            ((True, False), None),
            ((False, False), None),
        ],
    )
    def test_the_cost_of_a_run_is_known_only_when_every_turn_reports_it(
        self, subject, reported, total
    ):
        """Given on all turns, some, none: known, unknown, unknown."""
        usage = {"input_tokens": 10, "output_tokens": 2}
        script = [Says("ok", usage=usage if given else None, model="m-1") for given in reported]
        scenario = Scenario("two turns", user_turns=["one", "two"])
        trace = fly(subject, script, scenario).result.runs[0].trace
        assert trace.usage == (total if subject.reports_usage else None)
        assert trace.model == ("m-1" if subject.reports_usage else "unknown")

    def test_a_runtime_claims_reference_cases_only_when_it_can_play_them(self, subject):
        """The capability is two methods; a runtime without a loop to certify has one."""
        runtime = subject.runtime([Says("ok")])
        can_play = callable(getattr(runtime, "provision_reference", None))
        assert isinstance(runtime, ReferenceCapableAgentRuntime) is can_play


def _name_and_arguments(call: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Read a recorded call in OpenAI's shape or the flat one; arguments may be a JSON string."""
    function = call.get("function", call)
    arguments = function.get("arguments", function.get("args"))
    return function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments
