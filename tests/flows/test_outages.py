"""An outage is not an answer: it makes nothing red and nothing green (docs/failure-classes.md).

The scenario only forbids things, so that an agent which says nothing would pass it.
"""

import json

import pytest
from kit.commands import experiments, ledger, traces, wt
from kit.contract_c import (
    GOOD_ANSWER,
    GOOD_RESET,
    answer,
    hang_up,
    raw,
    scripted_endpoint,
    served_agent,
)
from kit.projects import bare, new_project

PACK = """
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack(
    name="p", scenarios=[Scenario(name="s", prompt="say it", forbidden_facts=["deleted"])]
)
"""
POLICY = '[tool.windtunnel.gate]\nruntime = "http_inject"\n'
RUNS = 3

HALF_AN_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" + b'{"wt_inject": 1, "reply": "it'
)
BEFORE = (answer(GOOD_RESET), answer({}, 404))
"""The reset of a run, and an endpoint without a prompt surface."""

OUTAGES = {
    "429": (answer({"error": "slow down"}, 429), "provider"),
    "500": (answer({"error": "internal"}, 500), "provider"),
    "401": (answer({"error": "no key"}, 401), "operator"),
    "garbage": (answer(b"\x00\xff<html>"), "provider"),
    "half a stream": (raw(HALF_AN_ANSWER), "provider"),
    "hangs up": (hang_up(), "provider"),
    "its model limits the rate": (
        answer({**GOOD_ANSWER, "reply": "", "error": "RateLimitError: Error code: 429"}),
        "provider",
    ),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    made = new_project(tmp_path / "project", bare(tmp_path / "remote.git"), policy=POLICY)
    made.write({"pack.py": PACK})
    made.commit("a scenario that forbids")
    monkeypatch.chdir(made.path)
    return made


def flight(outage, at: set[int]):
    """The answers of an endpoint to a sweep of one scenario."""
    return [
        step
        for run in range(RUNS)
        for step in (*BEFORE, outage if run in at else answer(GOOD_ANSWER))
    ]


def run(*steps, expect="pass", tier=()):
    with scripted_endpoint(*steps) as endpoint:
        return wt(
            "run", "--pack-source", "pack.py:PACK", "--runtime", "http_inject", f"--runs={RUNS}",
            "--question", "does it hold", "--expect", expect, *tier,
            env={"WT_INJECT_URL": endpoint.url},
        )  # fmt: skip


def last_row():
    return ledger()[-1]


@pytest.mark.parametrize("kind", OUTAGES)
def test_a_sweep_without_any_data_is_no_result(project, kind):
    """Exit 1, INVALID, no failure of the agent, no evidence, and no word about the prediction."""
    outage, found = OUTAGES[kind]
    ran = run(*flight(outage, {0, 1, 2}), expect="fail")
    row = last_row()
    assert (ran.code, row["verdict"]) == (1, "INVALID")
    assert row["experiment"]["counts_as_failure"] is False
    assert row["data"] == {"runs": 0, "of": RUNS, "by_class": {found: RUNS}}
    assert (row["runs"], row["passed"], len(row["run_ids"])) == (0, 0, RUNS)
    assert experiments()[-1]["prediction_held"] is None
    assert f"0 of {RUNS} runs are data: {RUNS} {found}" in ran.out
    assert f"execution error ({found}): " in ran.err
    assert "prediction" not in ran.err
    warnings = json.loads(traces()[0].read_bytes())["worker_warnings"]
    assert warnings[1] == f"failure_class: {found}"
    verified = wt("verify")
    assert (verified.code, "no experiment was recorded on this tree" in verified.out) == (1, True)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_some_data_that_passes_is_incomplete(project, at):
    """At the first, middle or last run: the rate is over the others, and the row is no evidence."""
    ran = run(*flight(OUTAGES["429"][0], {at}))
    row = last_row()
    assert (ran.code, row["verdict"]) == (1, "PASS")
    assert (row["runs"], row["passed"], row["pass_rate"]) == (2, 2, 1.0)
    assert row["data"] == {"runs": 2, "of": 3, "by_class": {"provider": 1}}
    assert row["experiment"]["counts_as_failure"] is False
    assert "2 of 3 runs are data: 1 provider" in ran.out
    assert "1 incomplete" in ran.err
    verified = wt("verify")
    assert verified.code == 1
    assert "only 2 of its 3 runs are data" in verified.out
    results = wt("results")
    assert "2/2 pass (100%), 2 of 3 runs are data: 1 provider" in results.out


def test_some_data_that_fails_is_a_failure(project):
    bad = answer({**GOOD_ANSWER, "reply": "I deleted it"})
    steps = flight(OUTAGES["500"][0], {0})
    steps[5] = bad
    ran = run(*steps, expect="fail")
    row = last_row()
    assert (ran.code, row["verdict"]) == (1, "FAIL")
    assert (row["runs"], row["passed"]) == (2, 1)
    assert row["experiment"]["counts_as_failure"] is True
    assert experiments()[-1]["prediction_held"] is True


def test_an_outage_after_a_pass_takes_nothing_away(project):
    """The pass stays evidence, and a push goes through; a new run may follow at once."""
    assert run(*flight(None, set())).code == 0
    assert wt("verify").code == 0
    assert run(*flight(OUTAGES["429"][0], {0, 1, 2})).code == 1
    assert wt("verify").code == 0
    project.pushed("origin", "HEAD:refs/heads/main")


def test_an_outage_alone_does_not_let_a_push_through(project):
    assert run(*flight(OUTAGES["hangs up"][0], {0, 1, 2})).code == 1
    assert "no experiment was recorded" in project.refused("origin", "HEAD:refs/heads/main")


def test_a_regression_without_data_uses_up_no_focused_pass(project):
    """The same focused pass earns the regression again once the provider is back."""
    two = PACK.replace(
        "scenarios=[", 'scenarios=[Scenario(name="t", prompt="x", forbidden_facts=["gone"]), '
    )
    project.write({"pack.py": two})
    project.commit("two scenarios")
    assert run(*flight(None, set()), tier=("--scenario", "s")).code == 0
    assert run(*[*BEFORE, OUTAGES["garbage"][0]] * (2 * RUNS)).code == 1
    assert [row["data"]["runs"] for row in ledger()[-2:]] == [0, 0]
    again = run(*[*BEFORE, answer(GOOD_ANSWER)] * (2 * RUNS))
    assert again.code == 0, again.err


def test_an_agent_whose_client_library_raises_says_the_class(project):
    """`serve()` knows the exception, so that its class needs no guessing."""

    def inject(request):
        raise ConnectionResetError(104, "Connection reset by peer")

    with served_agent(inject) as url:
        ran = wt(
            "run", "--pack-source", "pack.py:PACK", "--runtime", "http_inject", "--runs=1",
            "--question", "q", "--expect", "pass", env={"WT_INJECT_URL": url},
        )  # fmt: skip
    assert (ran.code, last_row()["data"]["by_class"]) == (1, {"provider": 1})


def test_a_bug_of_the_agent_is_a_failure(project):
    def inject(request):
        raise KeyError("orders")

    with served_agent(inject) as url:
        ran = wt(
            "run", "--pack-source", "pack.py:PACK", "--runtime", "http_inject", "--runs=1",
            "--question", "q", "--expect", "pass", env={"WT_INJECT_URL": url},
        )  # fmt: skip
    row = last_row()
    assert (ran.code, row["verdict"], row["data"]) == (
        1, "INVALID", {"runs": 1, "of": 1, "by_class": {"harness": 1}},
    )  # fmt: skip
    assert row["experiment"]["counts_as_failure"] is True


def test_an_empty_object_is_a_failure_of_the_harness(project):
    ran = run(*flight(answer({}), {0, 1, 2}))
    assert (ran.code, last_row()["data"]["by_class"]) == (1, {"harness": RUNS})
