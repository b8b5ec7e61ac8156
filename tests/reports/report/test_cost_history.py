"""What sweeps cost over time, and which of them are told."""

from __future__ import annotations

from typing import Any

from kit.experiment_lines import cost, finished, reviewed, sweep_id, usd, write_experiments

from wt_git.files import LineReport
from wt_git.records.experiments import newest_first
from wt_git.reports.ladder import ladder_results
from wt_git.reports.report.load import SweepHistory, sweep_history


def history(runs_dir, *lines: dict[str, Any] | str, **asked: Any) -> SweepHistory:
    write_experiments(runs_dir, *lines)
    return sweep_history(newest_first(runs_dir, LineReport()), **asked)


def test_sweeps_stand_in_the_order_in_which_they_ended(tmp_path):
    """With everything that a chart of cost over time needs."""
    found = history(
        tmp_path,
        finished(1, cost_usd=usd(), prediction_held=True),
        finished(2, tier="regression", cost=cost(None, None, None, None), outcome="fail"),
    )
    first, second = found.costs
    assert first.as_document() == {
        "sweep_id": sweep_id(1),
        "ended_at": "2026-01-02T03:04:05Z",
        "tier": "focused",
        "label": "retry-limit",
        "wall_s": 10.5,
        "input_tokens": 100,
        "output_tokens": 7,
        "cost_usd": 0.0504,
        "outcome": "pass",
        "prediction_held": True,
    }
    assert (second.sweep_id, second.tier, second.outcome) == (sweep_id(2), "regression", "fail")
    assert (second.wall_s, second.input_tokens, second.cost_usd) == (None, None, None)


def test_the_last_record_of_a_sweep_holds(tmp_path):
    """As in the totals of the ladder."""
    found = history(tmp_path, finished(1, label="old"), finished(2), finished(1, label="new"))
    assert [(one.sweep_id, one.label) for one in found.costs] == [
        (sweep_id(2), "retry-limit"),
        (sweep_id(1), "new"),
    ]
    assert found.sweeps == 2


def test_labels_narrow_the_costs_and_the_totals(tmp_path):
    """Whoever asks for a label pays for that label."""
    lines = [finished(1, label="a"), finished(2, label="b"), reviewed(1), reviewed(2)]
    found = history(tmp_path, *lines, labels={"b"})
    assert [one.label for one in found.costs] == ["b"]
    assert found.tiers is not None
    assert (found.tiers["focused"].sweeps, found.tiers["focused"].reviewed) == (1, 1)


def test_the_totals_are_those_of_the_ladder(tmp_path):
    """One file, one answer."""
    lines = [finished(1), finished(2, tier="regression"), reviewed(1)]
    found = history(tmp_path, *lines)
    expected = ladder_results(newest_first(tmp_path, LineReport()), "")
    assert expected is not None
    assert found.tiers == expected.tiers


def test_of_very_many_sweeps_the_latest_are_listed(tmp_path):
    """The totals still count all of them."""
    found = history(tmp_path, *(finished(number) for number in range(1, 6)), most=2)
    assert [one.sweep_id for one in found.costs] == [sweep_id(4), sweep_id(5)]
    assert found.sweeps == 5
    assert found.tiers is not None
    assert found.tiers["focused"].sweeps == 5


def test_without_sweeps_there_is_no_history(tmp_path):
    """Torn lines and reviews of nothing are none."""
    found = history(tmp_path, "{torn", reviewed(1))
    assert found == SweepHistory([], 0, None)
