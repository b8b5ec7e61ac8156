"""From the runs of a scenario to its ledger row."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.fingerprints import a_fingerprint
from kit.traces import a_score, a_trace

from wt_git.api.aggregate import ScenarioRunResult, aggregate_runs
from wt_git.api.pack import ScenarioPack
from wt_git.api.perturbations import InjectStaleMemory
from wt_git.api.scenario import Scenario
from wt_git.config import CacheCheck, Pricing, Rates
from wt_git.ladder.declaration import Declaration
from wt_git.ladder.gate import Earned
from wt_git.ladder.pricing import (
    NOTHING,
    UNKNOWN,
    Tokens,
    run_tokens,
    total_tokens,
)
from wt_git.records.ledger.row import ScenarioId
from wt_git.sweep.scenario_row import (
    RowState,
    SweepFacts,
    counts_as_failure,
    execution_error,
    ledger_row,
)
from wt_git.sweep.selection import Selected

if TYPE_CHECKING:
    from wt_git.records.sweep_records import LedgerRow


@pytest.mark.parametrize(
    ("verdict", "errored", "transport_only", "expected"),
    [
        ("PASS", False, False, False),
        ("PASS", True, False, True),
        ("FAIL", False, False, True),
        ("FAIL", False, True, False),
        ("FAIL", True, True, True),
        ("INVALID", False, False, True),
        ("INVALID", False, True, True),
        ("PASS_WITH_VARIANCE", False, False, False),
    ],
)
def test_what_counts_as_a_failure(
    verdict: str, *, errored: bool, transport_only: bool, expected: bool
) -> None:
    """Errors and invalid experiments always; a failure unless the pack is transport-only."""
    assert counts_as_failure(verdict, errored=errored, transport_only=transport_only) is expected


def _row(
    scenario: Scenario,
    *warnings: str,
    interrupted: bool = False,
    budget_exhausted: bool = False,
    calls: list[dict[str, Any]] | None = None,
    **more: Any,
) -> LedgerRow:
    trace = a_trace(worker_warnings=list(warnings), model_calls=calls)
    runs = [ScenarioRunResult(a_score(), trace)]
    return ledger_row(
        Selected(ScenarioPack("p", [scenario], owner="me"), scenario),
        runs,
        aggregate_runs(runs, gate_layers=scenario.resolved_gate_layers()),
        facts=SweepFacts(
            sweep_id="0123456789ab",
            label="l",
            tier="focused",
            declaration=Declaration(question="does it?", expect="pass", if_pass="a", if_fail="b"),
            budget_s=900.0,
            baseline=True,
            git_sha=None,
            taken=a_fingerprint(),
            **more,
        ),
        state=RowState(
            ts="2026-01-02T03:04:05Z",
            wall_s=1.23456,
            fingerprint="changed-during-sweep",
            interrupted=interrupted,
            budget_exhausted=budget_exhausted,
        ),
    )


def test_a_row_says_whose_it_is_and_where_it_came_from() -> None:
    """Pack, owner, and the first origin tag that names one."""
    tags = ["origin:", "origin:ticket-7", "origin:other"]
    row = _row(Scenario("s", "?", [["x"]], tags=tags))
    assert (row.pack, row.owner, row.origin, row.label) == ("p", "me", "ticket-7", "l")
    assert row.experiment.cost.wall_s == 1.235
    assert row.robustness_pass_rate is None


def test_robustness_is_reported_only_for_a_disturbance_that_happened() -> None:
    """Absent, not 100 %, for a scenario without perturbations."""
    scenario = Scenario("s", "?", [["x"]], perturbations=[InjectStaleMemory("k", "v")])
    assert _row(scenario).robustness_pass_rate == 1.0


def test_an_execution_error_is_found_among_the_warnings() -> None:
    """It makes the row a failure although every layer passed."""
    assert execution_error(a_trace(worker_warnings=["x", "runner_error: boom"])) == "boom"
    row = _row(Scenario("s", "?", [["x"]]), "runner_error: boom")
    assert row.experiment.counts_as_failure is True


def test_a_row_records_the_parts_and_what_stands_for_their_hash() -> None:
    """Where something changed meanwhile, the parts are those from before."""
    experiment = _row(Scenario("s", "?", [["x"]])).experiment
    assert experiment.fingerprint == "changed-during-sweep"
    assert experiment.fingerprint_parts == a_fingerprint().parts.as_record()
    assert (experiment.snapshot, experiment.tree_under_test) == (None, None)
    assert experiment.baseline is True


def test_an_interrupted_row_says_so() -> None:
    """It is history and never evidence."""
    assert _row(Scenario("s", "?", [["x"]]), interrupted=True).experiment.interrupted is True


def test_a_row_holds_what_was_declared_and_what_it_may_use() -> None:
    """Question, expectation and plan as given; the budget, and that it was spent."""
    experiment = _row(Scenario("s", "?", [["x"]]), budget_exhausted=True).experiment
    declared = (experiment.question, experiment.expect, experiment.if_pass, experiment.if_fail)
    assert declared == ("does it?", "pass", "a", "b")
    assert (experiment.budget_s, experiment.budget_exhausted) == (900.0, True)


def test_a_row_names_what_earned_it_and_what_was_left_out() -> None:
    """The packs of left-out scenarios too, since two may share a name."""
    earned = Earned(
        earned_by="f" * 12,
        evidence_for=("a" * 12,),
        excluded=(ScenarioId("p", "other"),),
        earners=(),
    )
    experiment = _row(Scenario("s", "?", [["x"]]), earned=earned).experiment
    assert (experiment.earned_by, experiment.evidence_for) == ("f" * 12, ["a" * 12])
    assert experiment.excluded_failing == ["other"]
    assert [one.as_document() for one in experiment.excluded_failing_ids] == [
        {"pack": "p", "scenario": "other"}
    ]


def test_money_and_cache_check_are_absent_where_nothing_configures_them() -> None:
    """Absent, not null: a ledger without them stays as it always was."""
    record = _row(Scenario("s", "?", [["x"]])).as_document()["experiment"]
    assert "cost_usd" not in record
    assert "cache_check" not in record


PRICING = Pricing(
    time_per_hour=Decimal(3600),
    models={"default": Rates(input_per_m=Decimal(1), output_per_m=Decimal(2))},
)
MISS = [
    {"conversation": "c", "prompt_tokens": 1000, "cached_tokens": 0, "completion_tokens": 500},
    {"conversation": "c", "prompt_tokens": 1000, "cached_tokens": 10, "completion_tokens": 500},
]


def test_a_row_is_priced_with_what_it_recorded() -> None:
    """Tokens at the model's rates, and the seconds of the job."""
    usd = _row(Scenario("s", "?", [["x"]]), calls=MISS, pricing=PRICING).experiment.cost_usd
    assert usd is not None
    assert (usd.uncached_input, usd.cache_read, usd.output) == (0.00199, 0.00001, 0.002)
    assert (usd.time, usd.tokens_known, usd.cache_split_known) == (1.235, True, True)


@pytest.mark.parametrize(("fails", "expected"), [(True, True), (False, False)])
def test_a_missed_cache_fails_the_row_only_where_that_is_asked_for(
    *, fails: bool, expected: bool
) -> None:
    """The verdict of the scenario stays what it is."""
    row = _row(Scenario("s", "?", [["x"]]), calls=MISS, cache=CacheCheck(fail_on_miss=fails))
    assert row.verdict == "PASS"
    assert row.experiment.cache_check is not None
    assert row.experiment.cache_check.result == "fail"
    assert row.experiment.counts_as_failure is expected


def test_an_unknown_cache_split_is_no_pass_where_misses_fail() -> None:
    """What was not reported was not shown to work."""
    row = _row(Scenario("s", "?", [["x"]]), cache=CacheCheck(fail_on_miss=True))
    assert row.experiment.counts_as_failure is True


def test_text_that_utf8_cannot_hold_is_replaced_in_records() -> None:
    """Half a surrogate pair from an agent must not cost the row."""
    row = _row(Scenario("s\ud800", "?", [["x"]]))
    assert row.scenario_id == "s\ufffd"


counts = st.none() | st.integers(0, 10**6)
calls = st.fixed_dictionaries(
    {"prompt_tokens": counts, "cached_tokens": counts, "completion_tokens": counts}
)


@given(st.lists(calls, min_size=1))
def test_a_partial_sum_is_never_shown(listed: list[dict[str, int | None]]) -> None:
    """One unknown prompt or completion count blanks all; an unknown cached count only itself."""
    result = run_tokens(None, listed)
    known = all(
        c["prompt_tokens"] is not None and c["completion_tokens"] is not None for c in listed
    )
    cached = all(c["cached_tokens"] is not None for c in listed)
    assert (result.input is not None) == known
    assert (result.output is not None) == known
    assert (result.cached is not None) == (known and cached)
    if known:
        assert result.input == sum(c["prompt_tokens"] or 0 for c in listed)


@given(st.lists(st.builds(Tokens, counts, counts, counts)))
def test_totals_are_null_where_any_part_is(parts: list[Tokens]) -> None:
    """Per field, in any order."""
    result = total_tokens(parts)
    for index, value in enumerate(result):
        column = [part[index] for part in parts]
        assert value == (None if None in column else sum(column))
    assert total_tokens(reversed(parts)) == result


def test_usage_stands_in_where_no_calls_were_reported() -> None:
    """Then the cached share is unknown."""
    usage = {"input_tokens": 5, "output_tokens": 2}
    assert run_tokens(usage, None) == Tokens(5, None, 2)
    assert run_tokens(None, None) == UNKNOWN
    assert total_tokens([]) == NOTHING
