"""The log of commits: which rows, in which order, and which commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.evidence_rows import row, sweep
from kit.verified_repos import agent_repo, file_notes, notes_of, tree_of

from wt_git.evidence.notes.show import commit_log
from wt_git.git.history import History

if TYPE_CHECKING:
    from pathlib import Path

FIRST, SECOND = "a" * 12, "b" * 12


@pytest.fixture
def repo(tmp_path: Path):
    """A repository with three commits, of which the second has no evidence."""
    made = agent_repo(tmp_path / "repo")
    for number in (1, 2):
        made.write({"agent.py": f"{number}\n"})
        made.commit(f"edit {number}")
    return made


def log(repo, *, limit=None, scenario=None):
    notes = notes_of(repo)
    history = History(notes.repository)
    commits = [history.resolve(one) for one in repo.git("rev-list", "HEAD").split()]
    return commit_log(notes.repository, notes.view(), commits, limit=limit, scenario=scenario)


def record(repo, revision, *records):
    file_notes(repo, tree_of(repo, revision), *records)


def test_commits_with_and_without_evidence(repo):
    """A covered commit says so; a failure does not cover."""
    record(repo, "HEAD", row(tree_of(repo)), sweep())
    failing = row(tree_of(repo, "HEAD~2"), verdict="FAIL", sweep=SECOND)
    record(repo, "HEAD~2", failing, sweep(SECOND, outcome="fail", exit_code=1))
    found = log(repo)
    assert [one.title for one in found.commits] == ["edit 2", "edit 1", "first"]
    assert [one.covered for one in found.commits] == [True, False, False]
    assert [len(one.rows) for one in found.commits] == [1, 0, 1]
    assert not found.cut
    assert [one.title for one in log(repo, limit=2).commits] == ["edit 2", "edit 1"]


def test_rows_are_in_the_order_of_time_sweep_and_name(repo):
    """Names include the pack."""
    tree = tree_of(repo)
    later = {"ts": "2026-01-02T03:04:06Z"}
    record(
        repo,
        "HEAD",
        *(
            row(tree, scenario=name, pack=pack)
            for name, pack in (("b", "p"), ("a", "p"), ("c", "o"))
        ),
        row(tree, scenario="early", sweep=SECOND),
        row(tree, scenario="a", sweep="0" * 12, **later),
        sweep(scenarios=3),
        sweep(SECOND),
        sweep("0" * 12),
    )
    found = [(one.sweep_id[0], one.pack, one.scenario) for one in log(repo).commits[0].rows]
    assert found == [
        ("a", "o", "c"),
        ("a", "p", "a"),
        ("a", "p", "b"),
        ("b", "orders", "early"),
        ("0", "orders", "a"),
    ]


def test_one_scenario_by_its_name_with_or_without_its_pack(repo):
    """Only commits that have rows of it count, also against the limit."""
    record(repo, "HEAD", row(tree_of(repo)), sweep())
    old = tree_of(repo, "HEAD~2")
    record(repo, "HEAD~2", row(old, scenario="cancel"), row(old), sweep(scenarios=2))
    assert [len(one.rows) for one in log(repo, scenario="refund").commits] == [1, 1]
    assert [one.title for one in log(repo, scenario="orders/cancel").commits] == ["first"]
    assert [one.title for one in log(repo, scenario="refund", limit=1).commits] == ["edit 2"]
    assert log(repo, scenario="billing/refund").commits == []


def test_costs_and_predictions_are_known_or_null(repo):
    """A sweep with two records that disagree has no prediction."""
    tree = tree_of(repo)
    unknown = {"cost": {"wall_s": 1.5, "input_tokens": 10, "output_tokens": None}}
    priced = {"cost": {"input_tokens": 10, "output_tokens": 5}, "cost_usd": {"total": 0.5}}
    record(
        repo,
        "HEAD",
        row(tree, experiment=priced),
        row(tree, experiment=unknown, sweep=SECOND),
        sweep(),
        sweep(SECOND),
        sweep(SECOND, prediction_held=False),
    )
    first, second = log(repo).commits[0].rows
    assert (first.tokens, first.usd, first.wall_s, first.prediction_held) == (15, 0.5, None, True)
    assert (second.tokens, second.usd, second.wall_s) == (None, None, 1.5)
    assert second.prediction_held is None


def test_lines_that_cannot_be_read_are_counted_once(repo):
    """However many commits have them."""
    tree = tree_of(repo)
    record(repo, "HEAD", row(tree), row(tree, runs="many"), sweep())
    repo.commit("the same tree")
    found = log(repo)
    assert [len(one.rows) for one in found.commits][:2] == [1, 1]
    assert found.skipped == 1


def test_a_commit_with_an_invalid_policy_has_its_rows(repo):
    """It is not covered, and its own tree is looked under."""
    repo.write({"pyproject.toml": "[tool.windtunnel.gate]\nrequire = 3\n"})
    repo.commit("broken")
    record(repo, "HEAD", row(tree_of(repo)), sweep())
    found = log(repo)
    assert not found.commits[0].covered
    assert len(found.commits[0].rows) == 1
