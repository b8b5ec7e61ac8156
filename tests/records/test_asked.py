"""Which saved runs were asked for, and the sentences for what is not there."""

from __future__ import annotations

from wt_git.records.runs.run_files import RunFilter, missing_labels, missing_scenarios


def test_without_a_word_all_runs_are_asked_for() -> None:
    """No option, no limit."""
    assert RunFilter().run("refund", "main")
    assert RunFilter().unmatched([]) == []


def test_labels_are_exact_and_scenarios_are_patterns() -> None:
    """A label that looks like a pattern is none; both have to fit."""
    asked = RunFilter(labels=frozenset({"a*"}), scenarios=("ref*", "lookup"))
    assert asked.run("refund", "a*")
    assert asked.run("lookup", "a*")
    assert not asked.run("refund", "ab")
    assert not asked.run("Refund", "a*")


def test_patterns_that_match_nothing_are_found_once_each() -> None:
    """In the order in which they were typed."""
    asked = RunFilter(scenarios=("x", "ref*", "a?", "x"))
    assert asked.unmatched(["refund"]) == ["x", "a?"]


def test_what_is_missing_is_named_with_what_there_is() -> None:
    """In order, on one line."""
    said = missing_labels(["b\n", "a"], ["c"])
    assert said == "no runs with label(s): a, b\\n; labels present: c"
    assert missing_labels(["a"], [], of="traces").endswith("(s): a; labels present: none")
    assert missing_scenarios(["x*"], ["t", "s"]) == "no scenario matched x*; there is: s, t"
