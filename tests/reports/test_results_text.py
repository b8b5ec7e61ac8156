"""Results as people read them: aligned, rounded, and inert."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import save_row, save_run
from msgspec.structs import replace

from wt_git.api.aggregate import aggregate_metrics
from wt_git.records.documents.results import MetricTotals, Results
from wt_git.reports.results import load_results, result_lines
from wt_git.reports.wording import metric_text

REVISIONS = (6, 7, 8, 9, 11)


def of(*values: object) -> str:
    summary = aggregate_metrics([{"m": value} for value in values])["m"]  # type: ignore[dict-item]
    return metric_text(MetricTotals(**summary.to_dict()))


def test_a_label_is_tabulated_as_in_the_guide(tmp_path, monkeypatch):
    """Verdict, pass counts and metrics; in brackets the experiment that the line rests on."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path.relative_to(tmp_path) / "runs"
    for number, revisions in enumerate(REVISIONS, 1):
        metrics = {"final_correct": revisions != 11, "revisions": revisions}
        layers = {"outcome": revisions != 11}
        save_run(runs, number, layers=layers, metrics=metrics)
        save_run(runs, number + 5, scenario="refund_flow")
    save_row(runs, range(1, 6), verdict="FAIL")
    save_row(runs, range(6, 11), scenario="refund_flow")
    assert result_lines(load_results(runs).document) == [
        "label candidate: 2 scenario(s), 10 run(s) under runs",
        (
            "  lookup_order                             FAIL               4/5 pass (80%)"
            "  38-96% (95% interval), pass^3 40%  [regression]"
        ),
        "    outcome.final_correct  80% true (4/5)",
        "    outcome.revisions      mean 8.2  min 6  max 11  (n=5)",
        (
            "  refund_flow                              PASS               5/5 pass (100%)"
            "  57-100% (95% interval), pass^3 100%  [regression]"
        ),
    ]


def test_a_pass_that_failed_its_sweep_says_so(tmp_path):
    """As where the prompt cache was missed; a FAIL needs no such word."""
    runs = tmp_path / "runs"
    save_run(runs, 1, label="a")
    save_row(runs, [1], label="a", experiment={"counts_as_failure": True})
    save_run(runs, 2, label="b", layers={"outcome": False})
    save_row(runs, [2], label="b", verdict="FAIL", experiment={"counts_as_failure": True})
    document = load_results(runs).document
    assert [one.counts_as_failure for one in document.results] == [True, True]
    shown = [line.partition("  [")[2] for line in result_lines(document) if "  [" in line]
    assert shown == ["regression, counted as a failure]", "regression]"]


def test_what_a_reader_must_know_stands_in_the_brackets(tmp_path):
    """Labels are separated by an empty line; invalid runs are counted apart."""
    runs = tmp_path / "runs"
    save_run(runs, 1, label="a", layers={"integrity": False})
    save_run(runs, 2, label="a", origin="rescore")
    save_row(runs, [1, 2], label="a", tier="focused", experiment={"budget_exhausted": True})
    save_run(runs, 3, label="b", probe=True, gates=["outcome"], layers={"constraint": False})
    save_run(runs, 4, label="c")
    save_row(runs, [4], label="c", experiment={"tier": None, "interrupted": True})
    save_run(runs, 5, label="d")
    lines = [line.rstrip() for line in result_lines(load_results(runs).document)]
    assert [line.partition("  [")[2] or line for line in lines if " run(s) " not in line] == [
        "focused, cut by its budget, rescored]",
        "",
        "probe, all saved runs]",
        "    constraint failed; it is diagnostic here and decides nothing",
        "",
        "tier not recorded, interrupted]",
        "",
        "all saved runs]",
    ]
    assert lines[1].split()[:6] == ["lookup_order", "INVALID", "1/2", "pass", "(50%),", "1"]


def test_invalid_runs_say_nothing_about_the_agent(tmp_path):
    """They count in the rate, as ever, and not in what follows from it."""
    runs = tmp_path / "runs"
    for number, intact in enumerate([True, True, False], 1):
        save_run(runs, number, label="a", layers={"integrity": intact, "outcome": number != 2})
    save_run(runs, 4, label="b", layers={"integrity": False})
    document = load_results(runs).document
    shown = [line.partition("  INVALID ")[2].strip() for line in result_lines(document)]
    assert shown[1] == (
        "1/3 pass (33%), 1 invalid  9-91% (95% interval of 2 valid run(s)), pass^2 0%"
        "  [all saved runs]"
    )
    assert shown[4] == "0/1 pass (0%), 1 invalid  [all saved runs]"
    none = document.results[1]
    assert (none.interval, none.pass_hat_k, none.failure_risk) == (None, None, 0)


def test_the_risk_is_the_rows_where_the_row_stands(tmp_path):
    """Else it is what a failure weighs, by the share of runs that failed."""
    runs = tmp_path / "runs"
    for label, origin, said in [("row", None, 2.5), ("again", "rescore", 2.5), ("odd", None, True)]:
        for number in (1, 2):
            save_run(runs, number, label=label, origin=origin, layers={"outcome": number == 1})
        save_row(runs, [1, 2], label=label, verdict="FAIL", failure_risk=said)
    found = {one.label: one.failure_risk for one in load_results(runs).document.results}
    assert found == {"row": 2.5, "again": 0.5, "odd": 0.5}


def test_two_packs_that_own_one_name_are_told_apart(tmp_path):
    """Where there is one, the name is enough."""
    runs = tmp_path / "runs"
    for number, pack in enumerate(["a", "b"], 1):
        save_run(runs, number)
        save_row(runs, [number], pack=pack)
    save_run(runs, 3, scenario="refund")
    save_row(runs, [3], scenario="refund")
    shown = [line.split()[0] for line in result_lines(load_results(runs).document)[1:]]
    assert shown == ["a/lookup_order", "b/lookup_order", "refund"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((True, False, True), "67% true (2/3)"),
        ((4, 9, 6), "mean 6.333  min 4  max 9  (n=3)"),
        ((1, 1), "mean 1  min 1  max 1  (n=2)"),
        ((0.5, 1234567.8), "mean 6.173e+05  min 0.5  max 1.235e+06  (n=2)"),
        ((2.0,), "mean 2  min 2  max 2  (n=1)"),
        (("b", "a", "b"), "b=2, a=1  (n=3)"),
        (("a", 1), 'mixed: "a"=1, 1=1  (n=2)'),
        (("x\n\x1b[2J",), "x\\n\\x1b[2J=1  (n=1)"),
        (("y" * 100,), f"{'y' * 57}...=1  (n=1)"),
    ],
)
def test_a_metric_is_summarised_by_its_kind(values, text):
    """Whole numbers plainly, others with four digits that count."""
    assert of(*values) == text


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_any_number_has_a_short_text(values):
    """Also those that no float holds."""
    text = of(*values)
    assert "\n" not in text
    assert len(text) < 220
    assert text.endswith(f"(n={len(values)})")


def test_what_agents_and_authors_wrote_moves_no_cursor(tmp_path):
    """Names, labels, metrics and directories are foreign text, and CI services obey lines too."""
    bad = "\x1b[2J\n::error::x\u202e##[error]"
    runs = tmp_path / "runs"
    save_run(runs, 1, scenario=bad, label=bad, metrics={bad: bad})
    save_row(runs, [1], scenario=bad, label=bad, verdict=bad, experiment={"tier": bad})
    document = load_results(runs).document
    for line in result_lines(replace(document, runs_dir=bad)):
        assert not {"\x1b", "\n", "\u202e"} & set(line)
        assert "##[" not in line
        assert not line.lstrip().startswith("::")


def test_a_document_without_scenarios_has_no_lines():
    """A label under which nothing matched is said in words, not shown as an empty table."""
    assert result_lines(Results(runs_dir="runs", labels=["a"], results=[])) == []
