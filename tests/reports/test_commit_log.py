"""`wt log` for people."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wt_git.records.documents.evidence import CommitLog, LoggedCommit, LoggedRow
from wt_git.reports.commit_log import commit_lines, trend_lines


def row(**changed):
    made = {
        "sweep_id": "a" * 12,
        "ts": "2026-01-02T03:04:05Z",
        "pack": "orders",
        "scenario": "refund",
        "tier": "focused",
        "verdict": "PASS",
        "passed": 3,
        "runs": 3,
        "wall_s": 1.25,
        "tokens": 1500,
        "usd": 0.0123,
        "expect": "pass",
        "prediction_held": True,
    }
    return LoggedRow(**{**made, **changed})


def commit(*rows, covered=True, title="add refunds"):
    return LoggedCommit(
        commit="c" * 40, time="2026-01-02T03:04:05Z", title=title, covered=covered, rows=list(rows)
    )


def log(*commits):
    return CommitLog(commits=list(commits), cut=False, skipped=0)


def test_a_commit_and_its_experiments():
    """Verdict, tier, scenario, cost, prediction and the sweep to ask for."""
    assert commit_lines(commit(row())) == [
        "cccccccccc 2026-01-02 add refunds (covered)",
        (
            "    PASS               focused    orders/refund 3/3  "
            "1.2 s, 1500 tokens, $0.0123, expected pass: held, aaaaaaaaaaaa"
        ),
    ]


def test_what_is_not_known_is_left_out():
    """No cost and no prediction are no zeros."""
    bare = row(wall_s=None, tokens=None, usd=None, prediction_held=None, pack=None)
    assert commit_lines(commit(bare, covered=False)) == [
        "cccccccccc 2026-01-02 add refunds (not covered)",
        "    PASS               focused    refund 3/3  aaaaaaaaaaaa",
    ]


def test_a_trend_reads_from_the_oldest_commit_to_the_newest():
    """A commit without the scenario is a gap, a probe is none of its experiments."""
    found = log(
        commit(row(passed=3)),
        commit(row(tier="probe", passed=0)),
        commit(row(passed=1), row(passed=2)),
        commit(row(passed=0, verdict="FAIL")),
    )
    assert trend_lines(found, plain=False) == ["orders/refund  ▁▆·█  0% -> 100%"]
    assert trend_lines(found, plain=True) == ["orders/refund  _+ #  0% -> 100%"]


@given(st.text(), st.text(), st.integers(-5, 5), st.integers(-5, 5))
def test_foreign_text_and_numbers_stay_on_their_line(name, title, passed, runs):
    """One line for the commit, one for the row, one for the trend; nothing moves the cursor."""
    one = commit(row(scenario=name, verdict=name, tier=name, passed=passed, runs=runs), title=title)
    lines = [*commit_lines(one), *trend_lines(log(one), plain=True)]
    assert len(commit_lines(one)) == 2
    assert all(line.isprintable() or not any(ord(c) < 32 for c in line) for line in lines)
    assert not any("\n" in line or "\x1b" in line or "\x85" in line for line in lines)
