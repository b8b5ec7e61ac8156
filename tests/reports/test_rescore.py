"""Scoring again as a comment: what is shown of it, and what is only counted."""

from __future__ import annotations

from typing import Any

import pytest

from wt_git.records.documents.rescore import (
    LayerChange,
    MetricValues,
    NotScored,
    Rescored,
    RescoreSummary,
    Unresolved,
    Verdicts,
)
from wt_git.reports.rescore import RescoreComment


def layer(old: Any, new: Any, detail: str = "as it should be") -> LayerChange:
    known = old != "UNKNOWN"
    return LayerChange(
        old=old, new=new, changed=known and old != new, old_detail=None, detail=detail
    )


def scored(
    old: Any,
    new: Any,
    *,
    detail: str = "as it should be",
    before: dict[str, Any] | None = None,
    now: dict[str, Any] | None = None,
) -> Rescored:
    """A trace whose outcome turned from `old` to `new`, and its metrics from `before` to `now`."""
    outcome = layer(old, new, detail)
    return Rescored(
        trace="runs/agree/x.json",
        scenario_id="agree",
        label="base",
        run_id="0000000c-0000-0000-0000-000000000000",
        changed=outcome.changed,
        verdict=Verdicts(old=old, new=new),
        layers={"outcome": outcome, "trajectory": layer("PASS", "PASS")},
        metrics=MetricValues(old=before, new=now or {}),
        metrics_changed=before is not None and before != now,
        written=False,
    )


def shown(*entries: Any, remarks: tuple[str, ...] = (), **counts: int) -> list[str]:
    comment = RescoreComment()
    lines = [line for entry in entries for line in comment.lines(entry)]
    return [*lines, *comment.end(RescoreSummary(**counts), remarks)]


NONE = "0 invalid, 0 unresolved, 0 in error, 0 written, 0 skipped"
HEADS = ["| Scenario | Label | Run | Verdict | What changed |", "| --- | --- | --- | --- | --- |"]


def test_what_turned_is_a_row_and_the_rest_is_counted() -> None:
    """With the layer, why it turned, and the metrics that moved."""
    turned = scored("FAIL", "PASS", before={"a.n": 1, "a.gone": 2}, now={"a.n": 3, "a.new": 4})
    what = (
        "outcome FAIL to PASS (as it should be); a.n 1 to 3; a.gone 2 to absent; a.new absent to 4"
    )
    assert shown(turned, scored("PASS", "PASS"), traces=2, changed=1, new_gate_failures=3) == [
        *HEADS,
        f"| agree | base | 0000000c | **FAIL to PASS** | {what} |",
        "",
        f"**1 of 2 trace(s) changed**: 3 do not pass now, {NONE}",
    ]


def test_a_metric_that_moved_alone_is_a_row_without_a_turn() -> None:
    """The verdict is only that of now."""
    (row,) = shown(scored("PASS", "PASS", before={"a.n": 1}, now={"a.n": 2}))[2:3]
    assert row == "| agree | base | 0000000c | PASS | a.n 1 to 2 |"


@pytest.mark.parametrize("entry", [scored("PASS", "PASS"), scored("UNKNOWN", "FAIL")])
def test_without_a_change_there_is_no_table(entry: Rescored) -> None:
    """What nobody knew has not changed."""
    (line,) = shown(entry, traces=1)
    assert line.startswith("**0 of 1 trace(s) changed**")


def test_what_was_not_scored_says_why() -> None:
    """It is what somebody has to do something about."""
    unresolved = Unresolved(
        trace="x.json", scenario_id="gone", label="base", run_id="12345678-9", error="nobody has it"
    )
    broken = NotScored(trace="runs/y.json", error="it is not JSON")
    assert shown(unresolved, broken)[2:4] == [
        "| gone | base | 12345678 | **ERROR** | nobody has it |",
        "| — | — | — | **ERROR** | runs/y.json: it is not JSON |",
    ]


def test_a_comment_stays_within_what_github_takes() -> None:
    """What is beyond it is counted, beside what is left out anyway."""
    lines = shown(*[scored("FAIL", "PASS", detail="x" * 5000)] * 70, remarks=("2 are no traces",))
    assert sum(line.startswith("| agree") for line in lines) == 60
    assert lines[-3:] == ["", "- 10 more row(s)", "- 2 are no traces"]
    assert sum(map(len, lines)) < 65_536


def test_foreign_text_is_no_markup() -> None:
    """Neither a cell's end nor a mention of somebody."""
    lines = shown(scored("FAIL", "PASS", detail="a | b\n@all <b>"))
    assert "a &#124; b\\\\n" in lines[2]
    assert "<b>" not in lines[2]
    assert "@all" not in lines[2]
