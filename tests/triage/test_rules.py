"""Each rule: when it fires, what it says, and when it keeps quiet."""

from __future__ import annotations

import pytest
from kit.traces import a_score, a_trace, assistant, user

from wt_git.api.scenario import Scenario
from wt_git.triage import rule_based
from wt_git.triage.rule_based import RULES, RuleBasedClassifier

AVAILABLE = "mcp_evidence: available"
UNREADABLE = "mcp_evidence: unavailable (demo: OSError: gone)"

THE_TWELVE = [
    "rule_template_corruption",
    "rule_unsafe_executed",
    "rule_hedge_verdict",
    "rule_policy_violation",
    "rule_no_tools_used",
    "rule_icl_poisoning",
    "rule_policy_pressure_fail",
    "rule_memory_conflict",
    "rule_recovery_fail",
    "rule_silent_failure_hallucination",
    "rule_sampler_variance",
    "rule_multi_turn_drift",
]


def scenario(**fields):
    return Scenario(**{"name": "s", "prompt": "p", **fields})


def of(dimension, **fields):
    return scenario(tags=["other", f"dim:{dimension}"], **fields)


def trace(*warnings, calls=(), **fields):
    """A trace with an answer; `calls` are the names that the tool servers saw."""
    seen = [{"tool_name": name, "timestamp_ms": i} for i, name in enumerate(calls)]
    return a_trace(user(), assistant(), worker_warnings=list(warnings), mcp_calls=seen, **fields)


def failed(*layers, **details):
    score = a_score(**dict.fromkeys(layers, False))
    for layer, detail in details.items():
        getattr(score, layer).detail = detail
    return score


def test_the_twelve_come_first_in_their_order_and_each_can_be_imported():
    """Others count on it, and put rules of their own in front."""
    assert [rule.__name__ for rule in RULES[:12]] == THE_TWELVE
    for rule in RULES:
        assert getattr(rule_based, rule.__name__) is rule
        assert rule.__name__ in rule_based.__all__


CLASSIFIED = [
    # scenario, trace, score; category, confidence, vector, target keys
    (
        scenario(),
        trace("x: apply_chat_template raised KeyError"),
        failed("outcome"),
        ("template_corruption", 1.0, "fix_serializer", {"scenario"}),
    ),
    *[
        (
            scenario(),
            trace(f"verdict_bucket:{bucket}"),
            failed("outcome", "constraint"),
            (category, 1.0, vector, target),
        )
        for bucket, category, vector, target in (
            *[
                (b, "side_effect_safety_violation", "add_policy", {"scenario", "effect_class"})
                for b in ("unsafe_executed", "unsafe_destructive")
            ],
            *[
                (b, "clarification", "edit_soul_md", {"scenario"})
                for b in ("wrongly_guessed", "refused_unnecessarily")
            ],
        )
    ],
    (
        scenario(),
        trace(),
        failed("constraint", "outcome", "trajectory"),
        ("policy", 1.0, "add_policy", {"scenario"}),
    ),
    (
        scenario(requires_tool_use=True),
        trace(AVAILABLE),
        failed("outcome", outcome="no_tools_used: none"),
        ("tool_affordance", 1.0, "edit_soul_md", {"scenario"}),
    ),
    (
        of("policy_pressure"),
        trace(),
        failed("outcome"),
        ("policy", 0.9, "add_policy", {"scenario", "dim"}),
    ),
    (
        of("sampler_sensitivity"),
        trace(),
        failed("outcome"),
        ("sampler_variance", 0.9, "adjust_sampler", {"scenario", "sampler"}),
    ),
    *[
        (of(dimension), trace(), failed("outcome"), (category, 0.9, vector, {"scenario", "dim"}))
        for dimension, category, vector in (
            ("icl_poisoning", "template_corruption", "fix_serializer"),
            ("memory_conflict", "memory", "add_memory_rule"),
            ("recovery", "recovery", "add_recovery_prompt"),
            ("silent_failure", "recovery", "add_recovery_prompt"),
            ("multi_turn_drift", "planning", "edit_soul_md"),
        )
    ],
    *[
        (of(dimension), trace(), failed(layer), (category, 0.9, vector, {"scenario", "dim"}))
        for layer in ("outcome", "trajectory")
        for dimension, category, vector in (
            ("tool_affordance", "tool_affordance", "edit_soul_md"),
            ("clarify_vs_guess", "clarification", "edit_soul_md"),
            ("side_effect_safety", "side_effect_safety_violation", "add_policy"),
        )
    ],
    (
        scenario(forbidden_calls=["pay"]),
        trace(calls=["ops_pay"]),
        failed("trajectory"),
        ("tool_affordance", 0.7, "edit_soul_md", {"scenario", "tools"}),
    ),
    (
        scenario(must_call=["look", ["a", "b"]]),
        trace(calls=["look"]),
        failed("trajectory"),
        ("tool_affordance", 0.7, "edit_soul_md", {"scenario", "tools"}),
    ),
    (
        scenario(must_call=["look", "act"], order_matters=True),
        trace(calls=["act", "look"]),
        failed("trajectory"),
        ("planning", 0.5, "edit_soul_md", {"scenario"}),
    ),
]


@pytest.mark.parametrize(("scenario", "trace", "score", "expected"), CLASSIFIED)
def test_what_fires_and_what_it_says(scenario, trace, score, expected):
    """Category, confidence, and a fix whose target names what is to be changed."""
    said = RuleBasedClassifier().classify(scenario, trace, score)
    fix = said.suggested_fix
    assert (said.category, said.confidence, fix.fix_vector, set(fix.target)) == expected
    assert fix.target["scenario"] == "s"
    assert fix.rationale
    assert said.evidence
    assert fix.target.get("dim", "x") in [tag.removeprefix("dim:") for tag in scenario.tags] + ["x"]


QUIET = [
    (scenario(), trace(), failed("outcome")),
    (scenario(), trace("chat_template raised"), failed("outcome")),
    (scenario(), trace("verdict_bucket:safe_clarified"), failed("outcome")),
    (scenario(), trace("runtime_warning: verdict_bucket:unsafe_executed"), failed("outcome")),
    # Only the outcome counts for these dimensions.
    (of("icl_poisoning"), trace(UNREADABLE), failed("trajectory")),
    (of("sampler_sensitivity"), trace(UNREADABLE), failed("trajectory")),
    (scenario(tags=["recovery", "dim:recovery2"]), trace(), failed("outcome")),
    # No tool is evidenced, but nobody could look.
    (
        scenario(requires_tool_use=True, must_call=["look"]),
        trace(UNREADABLE),
        failed("outcome", "trajectory", outcome="no_tools_used: the log could not be read"),
    ),
    # Tools were used, or none had to be, or the outcome says something else.
    (
        scenario(requires_tool_use=True),
        trace(AVAILABLE, calls=["look"]),
        failed("outcome", outcome="no_tools_used"),
    ),
    (scenario(), trace(AVAILABLE), failed("outcome", outcome="no_tools_used")),
    (scenario(requires_tool_use=True), trace(AVAILABLE), failed("outcome", outcome="wrong")),
]


@pytest.mark.parametrize(("scenario", "trace", "score"), QUIET)
def test_what_no_rule_knows_stays_unknown(scenario, trace, score):
    """Without confidence, evidence and fix: better than a guess."""
    said = RuleBasedClassifier().classify(scenario, trace, score)
    assert (said.category, said.confidence, said.evidence) == ("unknown", 0.0, [])
    assert said.suggested_fix is None


def evidence(scenario, trace, score):
    return RuleBasedClassifier().classify(scenario, trace, score).evidence


def test_the_evidence_of_each_kind_of_rule():
    """Quotes of what the run recorded, for a person to check."""
    broken = [f"{n}: apply_chat_template raised E" for n in range(5)]
    assert evidence(scenario(), trace("other", *broken), failed("outcome")) == broken[:3]
    assert evidence(scenario(), trace("verdict_bucket:wrongly_guessed"), failed()) == [
        "verdict_bucket:wrongly_guessed",
        "scenario: s",
    ]
    violated = failed("constraint", constraint="asks_first")
    assert evidence(scenario(), trace(), violated) == ["constraint: asks_first"]
    unused = failed("outcome", outcome="no_tools_used: none")
    assert evidence(scenario(requires_tool_use=True), trace(AVAILABLE), unused) == [
        "no tool was called [evidence: server-witnessed]",
        "outcome: no_tools_used: none",
    ]
    wrong = failed("outcome", outcome="missing facts")
    assert evidence(of("memory_conflict"), trace(), wrong) == [
        "tag: dim:memory_conflict",
        "outcome: missing facts",
    ]
    assert evidence(of("policy_pressure"), trace(), wrong) == [
        "tag: dim:policy_pressure",
        "outcome failed, constraint passed",
    ]
    assert evidence(of("multi_turn_drift"), trace(), wrong)[-1] == "turns: 2"
    warm = trace(sampler={"temperature": 0.7, "top_p": 1.0})
    assert (
        evidence(of("sampler_sensitivity"), warm, wrong)[-1]
        == "sampler: temperature 0.7, top_p 1.0"
    )
    cold = trace(sampler={})
    assert evidence(of("sampler_sensitivity"), cold, wrong)[-1] == "sampler: not recorded"


def test_the_sampler_is_suggested_as_the_run_had_it():
    """So that an optimizer knows where it stands; changing it there leaves the trace alone."""
    warm = trace(sampler={"temperature": 0.7})
    said = RuleBasedClassifier().classify(of("sampler_sensitivity"), warm, failed("outcome"))
    said.suggested_fix.target["sampler"]["temperature"] = 0.0
    assert warm.sampler == {"temperature": 0.7}


def test_a_side_effect_is_told_from_an_answer_that_was_not_right():
    """The category is that of the scenario; the evidence says what was done."""
    asked = of("side_effect_safety", forbidden_calls=["send"])
    wrong = failed("outcome", outcome="missing facts")
    assert evidence(asked, trace(), wrong) == [
        "tag: dim:side_effect_safety",
        "no forbidden tool seen",
        "outcome: missing facts",
    ]
    sent = failed("trajectory", trajectory="forbidden")
    assert evidence(asked, trace(calls=["send", "send"]), sent) == [
        "tag: dim:side_effect_safety",
        "forbidden tools called: send",
        "trajectory: forbidden",
    ]


def test_what_only_the_servers_saw_counts_and_what_the_agent_claims_does_not():
    """The same order of trust as in scoring."""
    claims = a_trace(user(), assistant("ok", {"name": "look"}), worker_warnings=[AVAILABLE])
    unused = failed("outcome", outcome="no_tools_used")
    asked = scenario(requires_tool_use=True)
    assert RuleBasedClassifier().classify(asked, claims, unused).category == "tool_affordance"
    hidden = trace(calls=["look"])
    assert RuleBasedClassifier().classify(asked, hidden, unused).category == "unknown"


def test_replayed_turns_are_set_aside():
    """Calls of an earlier run are no use of tools in this one."""
    turns = [user(), assistant("found it", {"name": "look"}), user(), assistant("ok")]
    probe = a_trace(*turns, worker_warnings=["replay_prefix: source=x turns=2"])
    unused = failed("outcome", outcome="no_tools_used")
    said = RuleBasedClassifier().classify(scenario(requires_tool_use=True), probe, unused)
    assert said.category == "tool_affordance"
    drift = RuleBasedClassifier().classify(of("multi_turn_drift"), probe, failed("outcome"))
    assert drift.evidence[-1] == "turns: 2"


def test_the_missing_tools_are_named_as_the_scenario_names_them():
    """Alternatives as such; a platform's prefix does not matter."""
    asked = scenario(must_call=["look", ["a", "b"]], forbidden_calls=["pay"])
    said = RuleBasedClassifier().classify(asked, trace(calls=["ops_look"]), failed("trajectory"))
    assert said.suggested_fix.target["tools"] == ["a or b"]
    said = RuleBasedClassifier().classify(
        asked, trace(calls=["ops.pay", "x", "ops.pay"]), failed("trajectory")
    )
    assert said.suggested_fix.target["tools"] == ["ops.pay"]
