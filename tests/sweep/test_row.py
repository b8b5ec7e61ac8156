"""From the runs of a scenario to its ledger row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.fingerprints import a_fingerprint
from kit.traces import a_score, a_trace

from wt_git.api.aggregate import ScenarioRunResult, aggregate_runs
from wt_git.api.pack import ScenarioPack
from wt_git.api.perturbations import InjectStaleMemory
from wt_git.api.scenario import Scenario
from wt_git.ladder.tokens import NOTHING, UNKNOWN, Tokens, run_tokens, total
from wt_git.sweep.row import counts_as_failure, execution_error, ledger_row
from wt_git.sweep.selection import Selected

if TYPE_CHECKING:
    from wt_git.records.rows import LedgerRow


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


def _row(scenario: Scenario, *warnings: str, interrupted: bool = False) -> LedgerRow:
    trace = a_trace(worker_warnings=list(warnings))
    runs = [ScenarioRunResult(a_score(), trace)]
    return ledger_row(
        Selected(ScenarioPack("p", [scenario], owner="me"), scenario),
        runs,
        aggregate_runs(runs, gate_layers=scenario.resolved_gate_layers()),
        ts="2026-01-02T03:04:05Z",
        sweep_id="0123456789ab",
        label="l",
        tier="focused",
        wall_s=1.23456,
        interrupted=interrupted,
        baseline=True,
        git_sha=None,
        taken=a_fingerprint(),
        fingerprint="changed-during-sweep",
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
    result = total(parts)
    for index, value in enumerate(result):
        column = [part[index] for part in parts]
        assert value == (None if None in column else sum(column))
    assert total(reversed(parts)) == result


def test_usage_stands_in_where_no_calls_were_reported() -> None:
    """Then the cached share is unknown."""
    usage = {"input_tokens": 5, "output_tokens": 2}
    assert run_tokens(usage, None) == Tokens(5, None, 2)
    assert run_tokens(None, None) == UNKNOWN
    assert total([]) == NOTHING
