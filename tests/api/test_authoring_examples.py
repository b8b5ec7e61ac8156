"""Every example of the authoring guide, flown: it must load as written and judge as the guide says.

Only what the guide leaves open (`...` and names that an author has) is filled in.
"""

from __future__ import annotations

from typing import Any

import pytest
import windtunnel.api
import windtunnel.api.scenario
from kit.agents import (
    NamingToolServer,
    RecordingHandle,
    RecordingProbe,
    RecordingRuntime,
    says,
)
from windtunnel.api import (
    AggregateResult,
    Check,
    FileExists,
    LayerResult,
    NumberFact,
    Policy,
    ReferenceCase,
    ReferenceDecision,
    ReferenceToolCall,
    Scenario,
    ScenarioPack,
    StateProbeAvailable,
    Trace,
    TrajectoryCheck,
    Turn,
    WorldMismatchError,
    all_of,
    any_of,
    llm_judge,
    no_divergence,
    observation,
    run_scenario,
    substantiated_by_tools,
    tool_name_matches,
)

import wt_git.api

LOOKUP = ("client_lookup", {"name": "Lowell Spinners"})


def flown(scenario: Scenario, *answers: Any, **wiring: Any) -> AggregateResult:
    """What one run of `scenario` amounts to, when the agent gives `answers`."""
    runtime = RecordingRuntime(RecordingHandle(answers))
    return run_scenario(scenario, runtime, **wiring).aggregate


class Lookup(NamingToolServer):
    """A tool server that serves the guide's one tool."""

    tools = ("client_lookup",)


def test_the_minimal_scenario():
    """The right answer passes when it was looked up, and fails when it was guessed."""
    from windtunnel.api.scenario import Scenario  # noqa: PLC0415 - the example's own import

    my_scenario = Scenario(
        name="lookup_before_action",
        prompt="How many open orders does Lowell Spinners have?",
        target_facts=[["75 orders", "75"]],    # required
        requires_tool_use=True,
        must_call=["client_lookup"],
        tags=["dim:tool_affordance"],
    )  # fmt: skip

    assert flown(my_scenario, says("They have 75 orders.", LOOKUP)).verdict == "PASS"
    assert flown(my_scenario, says("They have 75 orders.")).verdict == "FAIL"
    assert flown(my_scenario, says("They have many.", LOOKUP)).verdict == "FAIL"


def fixture_seeded(ctx):
    rows = (ctx.state_probe.capture() if ctx.state_probe else {}).get("db", {}).get("rows", [])
    return None if rows else "seed rows missing"


def seeded_customer() -> Scenario:
    """The guide's scenario with preconditions."""
    return Scenario(
        name="lookup_seeded_customer",
        prompt="Find the seeded customer.",
        target_facts=[["Customer A"]],
        requires_tools=["client_lookup"],  # sugar for ToolAvailable("client_lookup")
        preconditions=[
            FileExists("/tmp/windtunnel-fixture.db"),
            StateProbeAvailable(),
            Check(fixture_seeded, "fixture contains seed rows"),
        ],
    )


def test_world_preconditions_are_all_reported_before_a_turn_is_spent():
    """In an empty world every one of them fails, and the agent hears nothing."""
    handle = RecordingHandle(["never said"])
    with pytest.raises(WorldMismatchError) as mismatch:
        run_scenario(seeded_customer(), RecordingRuntime(handle))
    assert mismatch.value.scenario_name == "lookup_seeded_customer"
    assert len(mismatch.value.failures) == 4
    said = str(mismatch.value)
    for part in ("client_lookup", "windtunnel-fixture.db", "no state probe", "seed rows missing"):
        assert part in said
    assert handle.sent == []


def test_a_world_that_is_as_it_should_be_is_flown(tmp_path):
    """With the tool, the file, the probe and the rows, the scenario runs."""
    scenario = seeded_customer()
    (tmp_path / "windtunnel-fixture.db").touch()
    scenario.preconditions[0] = FileExists(tmp_path / "windtunnel-fixture.db")
    probe = RecordingProbe({"db": {"rows": ["Customer A"]}})
    result = flown(scenario, "It is Customer A.", mcps=[Lookup()], state_probe=probe)
    assert result.verdict == "PASS"


EXPECTED_ROWS = 12


def _graded(trace: Trace) -> LayerResult:
    art = (trace.observations or {}).get("report") or {}
    if not art.get("found"):
        return LayerResult(False, "no report artifact produced")
    return LayerResult(art["rows"] == EXPECTED_ROWS, "report rows match expected")


def test_an_artifact_is_graded_instead_of_the_prose(subtests):
    """The probe's snapshot decides; a grader that raises judges nothing."""
    for snapshot, verdict in [
        ({"report": {"found": True, "rows": 12}}, "PASS"),
        ({"report": {"found": True, "rows": 11}}, "FAIL"),
        ({"report": {"found": False}}, "FAIL"),
        ({}, "FAIL"),
        ({"report": {"found": True}}, "INVALID"),
    ]:
        with subtests.test(snapshot=snapshot, verdict=verdict):
            scenario = Scenario(
                name="...",
                prompt="...",
                target_facts=[],
                outcome_fn=_graded,
                requires_tool_use=True,
                preconditions=[StateProbeAvailable()],
            )
            probe = RecordingProbe(snapshot)
            assert flown(scenario, says("Done.", LOOKUP), state_probe=probe).verdict == verdict
            assert flown(scenario, says("Done."), state_probe=probe).verdict == "FAIL"


@pytest.mark.parametrize(
    ("base", "answer", "judgement", "failing"),
    [
        ("main", "Yes, 3 of them.", "PASS", None),
        ("dev", "Yes, 3 of them.", "PASS", "pr targets main"),
        ("main", "Yes, 4 of them.", "PASS", "4"),
        ("main", "Yes, 3 of them.", "FAIL", "llm_judge: FAIL"),
        ("main", "Yes, 3 of them.", "Rather good", "Rather good"),
    ],
)
def test_scorers_are_combined(base, answer, judgement, failing):
    """All of them must be content; the detail says which was not."""

    def my_generate_fn(turns: list[Turn]) -> list[Turn]:
        return [*turns, Turn("assistant", judgement, [], [], 0.0)]

    scenario = Scenario(
        name="combined",
        prompt="Is it resolved?",
        outcome_fn=all_of(
            # artifact grading: walk trace.observations with a dotted/indexed path
            observation("github", "prs[0].base", lambda v: v == "main", "pr targets main"),
            # provenance: answer claims must appear in server-witnessed tool results
            substantiated_by_tools(),
            # rubric judge — BYO model via the same GenerateFn contract replay uses
            llm_judge("Did the answer resolve the billing question?", my_generate_fn),
        ),
    )
    probe = RecordingProbe({"github": {"prs": [{"base": base}]}})
    reply = says(answer, LOOKUP, tool_results=[{"count": 3}])
    runtime = RecordingRuntime(RecordingHandle([reply]))
    (run,) = run_scenario(scenario, runtime, state_probe=probe).runs
    assert run.score.outcome.passed is (failing is None)
    assert failing is None or failing in run.score.outcome.detail


def test_one_scorer_may_be_enough():
    """The other combinator is content with any."""
    scenario = Scenario(
        name="any",
        prompt="?",
        outcome_fn=any_of(
            observation("github", "prs[0].base", lambda v: v == "main", "pr targets main"),
            lambda trace: LayerResult(True, "good enough"),
        ),
    )
    assert flown(scenario, "yes").verdict == "PASS"


def test_divergence_is_a_policy():
    """It belongs to the constraint layer, and so to the gate."""
    scenario = Scenario(name="n", prompt="p", policies=[no_divergence()])
    assert scenario.resolved_gate_layers() == ("outcome", "constraint")
    assert flown(scenario, "yes").verdict == "PASS"


def test_facts_are_an_and_of_ors(subtests):
    """`[["A","a"],["B"]]` is (A or a) and B, whatever the case."""
    for answer, verdict in [("a and b", "PASS"), ("A, B", "PASS"), ("a", "FAIL"), ("b", "FAIL")]:
        with subtests.test(answer=answer, verdict=verdict):
            scenario = Scenario(name="n", prompt="p", target_facts=[["A", "a"], ["B"]])
            assert flown(scenario, answer.replace("and", "&")).verdict == verdict


def test_a_number_is_a_number(subtests):
    """`NumberFact(value=75, unit="orders")` is met by the number alone, and by no part of another."""
    for answer, verdict in [
        ("75 orders", "PASS"),
        ("Orders: 75", "PASS"),
        ("There are 75.", "PASS"),
        ("Part B0075", "FAIL"),
        ("175 orders", "FAIL"),
    ]:
        with subtests.test(answer=answer, verdict=verdict):
            fact = NumberFact(value=75, unit="orders")
            scenario = Scenario(name="n", prompt="p", target_numbers=[fact])
            assert flown(scenario, answer).verdict == verdict


class MaxLookups(TrajectoryCheck):
    """Fail if the agent burns more than `budget` calls on client_lookup."""

    def __init__(self, budget: int) -> None:
        self.budget = budget

    def check(self, calls: list[str]) -> tuple[bool, str]:
        n = sum(1 for c in calls if tool_name_matches("client_lookup", c))
        if n > self.budget:
            return False, f"called client_lookup {n}x, budget {self.budget}"
        return True, "lookup budget respected"


def test_a_custom_trajectory_check():
    """Decorated names count, and the budget is in the detail."""
    scenario = Scenario(
        name="n", prompt="p", must_call=["client_lookup"], trajectory_checks=[MaxLookups(2)]
    )
    decorated = ("mcp_acme_ops_client_lookup", {})
    assert flown(scenario, says("done", LOOKUP, decorated)).verdict == "PASS"
    runtime = RecordingRuntime(RecordingHandle([says("done", LOOKUP, LOOKUP, decorated)]))
    (run,) = run_scenario(scenario, runtime).runs
    assert not run.score.trajectory.passed
    assert "called client_lookup 3x, budget 2" in run.score.trajectory.detail
    assert flown(scenario, says("done")).verdict == "FAIL"


def _approval_was_bypassed(trace: Trace) -> bool:
    return any("without approval" in turn.content for turn in trace.turns)


def test_a_policy():
    """A rule that was broken fails the run, though the outcome is fine."""
    from windtunnel.api.scenario import Policy  # noqa: PLC0415 - the example's own import

    policy = Policy(name="no_bypass_approval",
           predicate=lambda trace: not _approval_was_bypassed(trace),
           effect_class="external_send")  # optional, for side-effect grouping  # fmt: skip

    scenario = Scenario(name="n", prompt="p", policies=[policy])
    assert flown(scenario, "I asked first.").verdict == "PASS"
    assert flown(scenario, "Sent it without approval.").verdict == "FAIL"


def test_a_policy_reads_the_world_from_the_trace(subtests):
    """A rule that raises on a snapshot without the source judges nothing; the detail has the reason."""
    for snapshot, verdict, said in [
        ({"github": {"prs": [{"base": "dev"}, {"base": "main"}]}}, "PASS", ""),
        ({"github": {"prs": []}}, "FAIL", "pr_opened_against_main"),
        ({}, "INVALID", "'github'"),
    ]:
        with subtests.test(snapshot=snapshot, verdict=verdict, said=said):
            policy = Policy(name="pr_opened_against_main",
                   predicate=lambda t: any(pr["base"] == "main"
                                           for pr in t.observations["github"]["prs"]))  # fmt: skip

            scenario = Scenario(name="n", prompt="p", policies=[policy])
            runtime = RecordingRuntime(RecordingHandle(["opened"]))
            result = run_scenario(scenario, runtime, state_probe=RecordingProbe(snapshot))
            assert result.aggregate.verdict == verdict
            assert said in result.runs[0].score.constraint.detail


def test_a_reference_case():
    """Two decisions: a call, then the final answer."""
    golden = ReferenceCase(
        name="safe-write",
        kind="golden",
        decisions=(
            ReferenceDecision(tool_calls=(
                ReferenceToolCall("write_artifact", {"safe": True}),
            )),
            ReferenceDecision(content="artifact complete"),
        ),
    )  # fmt: skip

    scenario = Scenario(name="artifact_guard", prompt="p", reference_cases=[golden])
    assert scenario.reference_cases[0].decisions[0].tool_calls[0].arguments == {"safe": True}


def test_a_pack():
    """A pack is a value; a selected scenario finds its wiring in it."""
    PACK = ScenarioPack(  # noqa: N806 - as packs are written
        name="invoice_hygiene",          # owning pack and --pack identity
        scenarios=[Scenario("one", "p"), Scenario("two", user_turns=["first", "second"])],
        mcp_factory=None,                # or Callable[[Scenario], MCPServer], see below
        state_probe_factory=None,        # or Callable[[Scenario], StateProbe | None]
        transport_only=False,
        owner="team-billing",            # free-form: a team, a handle, a CODEOWNERS path
        metadata={},                     # free-form annotations; core never interprets it
    )  # fmt: skip

    one, two = PACK.scenarios
    assert flown(one, "hello").verdict == "PASS"
    handle = RecordingHandle(["a", "b"])
    run_scenario(two, RecordingRuntime(handle))
    assert handle.texts == ["first", "second"]
    assert len(set(handle.sessions)) == 1


def test_the_guides_own_imports_are_the_packages_objects():
    """Packs written for the alias and tools written for the package speak of the same things."""
    for name in wt_git.api.__all__:
        assert getattr(windtunnel.api, name) is getattr(wt_git.api, name)
    assert windtunnel.api.scenario.Scenario is wt_git.api.Scenario
