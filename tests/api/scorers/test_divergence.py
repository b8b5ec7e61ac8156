"""The policy of recorded tool universes."""

from kit.traces import a_trace, assistant

from wt_git.api.evaluators import evaluate_constraint
from wt_git.api.scenario import Scenario
from wt_git.api.scorers import no_divergence


def kept(**fields):
    return no_divergence().predicate(a_trace(assistant(), **fields))


def test_it_is_a_policy_by_its_own_name():
    """Violations are listed under the name."""
    scenario = Scenario(name="s", prompt="p", policies=[no_divergence()])
    trace = a_trace(assistant(), worker_warnings=["universe_divergence: tool=a policy=fail"])
    assert evaluate_constraint(trace, scenario).detail == "constraint violations: no_divergence"


def test_a_run_inside_its_recording_keeps_it(subtests):
    """Other warnings and other metadata mean nothing."""
    for fields in [
        {},
        {"mcp_calls": [{"tool_name": "a"}]},
        {"mcp_calls": [{"tool_name": "a", "extra": {}}, {"tool_name": "b", "extra": None}]},
        {"mcp_calls": [{"tool_name": "a", "extra": "divergence"}]},
        {"worker_warnings": ["mcp_evidence: available"]},
    ]:
        with subtests.test(fields=fields):
            assert kept(**fields) is True


def test_one_miss_breaks_it(subtests):
    """Either the warning or the call's own record is enough, whatever it holds."""
    for fields in [
        {"worker_warnings": ["universe_divergence: tool=a policy=fail"]},
        {"worker_warnings": ["hook:x: universe_divergence: tool=a"]},
        {"mcp_calls": [{"tool_name": "a", "extra": {"divergence": {"policy": "fail"}}}]},
        {"mcp_calls": [{"tool_name": "a", "extra": {"divergence": None}}]},
    ]:
        with subtests.test(fields=fields):
            assert kept(**fields) is False
