"""A comparison as people read it, in the terminal and as Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.totals import totals
from markdown_it import MarkdownIt

from wt_git.records.documents.results import Results
from wt_git.reports.comparison.compare import compare
from wt_git.reports.comparison.load import weak_verdict_remarks
from wt_git.reports.comparison.markdown import comparison_markdown
from wt_git.reports.comparison.text import comparison_lines, metric_change_text
from wt_git.reports.results import results_markdown
from wt_git.text import one_line

STEPS = [{"outcome.steps": steps} for steps in (4, 6, 9)]


def example():
    before = totals("main", "PPP", scenario="refund_partial", metrics=[{"outcome.steps": 5}] * 3)
    after = totals("retry-limit", "FFF", scenario="refund_partial", metrics=STEPS)
    return [before, after]


def test_what_changed_is_shown_as_in_the_guide():
    """Verdicts, changes with their risk, metrics, and then what the pass rates allow to say."""
    lines = list(comparison_lines(compare(example(), ["main", "retry-limit"])))
    assert lines[:8] == [
        "Scenario                                 main             retry-limit",
        "refund_partial                           PASS             FAIL",
        "",
        "Risk-ranked changes:",
        "  REGRESSION  refund_partial (main=PASS -> retry-limit=FAIL, risk 0.00 -> 4.00)",
        "",
        "Metric deltas (vs main):",
        (
            "  retry-limit     refund_partial                           outcome.steps  "
            "mean 5 -> 6.333 (+1.333)"
        ),
    ]
    assert lines[8:] == [
        "",
        "Pass rates (vs main):",
        (
            "  retry-limit     refund_partial                           100% (3/3) -> 0% (0/3)  "
            "-100pp (-100 to -21pp)  adjusted p 0.1  cannot tell with 3 runs; about 4 would"
        ),
        (
            "  retry-limit     all 1 scenario(s), each counted once     "
            "mean -100pp (-100 to +51pp)  p 1  cannot tell with 1 scenario(s); about 6 would"
        ),
    ]


def test_a_section_without_anything_to_say_is_not_there():
    """As where no scenario has runs under both labels."""
    found = [totals("a", scenario="one"), totals("b", scenario="two")]
    assert list(comparison_lines(compare(found, ["a", "b"]))) == [
        "Scenario                                 a                b",
        "one                                      PASS             N/A",
        "two                                      N/A              PASS",
    ]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([8, 9, 9, 10, 11], [6, 7, 8, 9, 11], "mean 9.4 -> 8.2 (-1.2)"),
        ([1], [1], "mean 1 -> 1 (+0)"),
        ([0.1, 0.2], [0.2, 0.1], "mean 0.15 -> 0.15 (+0)"),
        ([0], [2], "mean 0 -> 2 (+2)"),
        ([10**400], [1.5], f"mean {'1' + '0' * 56}... -> 1.5"),
        ([1, 0, 1, 0, 1], [1, 1, 1, 0, 1], "mean 0.6 -> 0.8 (+0.2)"),
        ([True] * 3 + [False] * 2, [True] * 4 + [False], "rate 60% -> 80% (+20pp)"),
        ([True], [True], "rate 100% -> 100% (+0pp)"),
        ([True, True, False], [False], "rate 67% -> 0% (-67pp)"),
        (["x", "y"], ["x", "z"], "x=1, y=1 -> x=1, z=1 (y -1, z +1)"),
        (["x"], ["x"], "x=1 -> x=1 (no change)"),
        (["x", 1], [1, "x"], '"x"=1, 1=1 -> "x"=1, 1=1 (no change)'),
        ([5, 6], [], "mean 5.5  min 5  max 6  (n=2) -> absent"),
        ([], [True], "absent -> 100% true (1/1)"),
        ([1], ["x", 2], 'mean 1  min 1  max 1  (n=1) -> mixed: "x"=1, 2=1  (n=2)'),
    ],
)
def test_a_metric_moves_in_the_words_of_its_kind(before, after, words):
    """Means, rates in points, counts; a whole summary where one side has none of the kind."""
    found = [
        totals("a", "P" * max(len(before), 1), metrics=[{"m": one} for one in before]),
        totals("b", "P" * max(len(after), 1), metrics=[{"m": one} for one in after]),
    ]
    (delta,) = compare(found, ["a", "b"]).metric_deltas
    assert metric_change_text(delta) == words


def finding(before: str, after: str, times: int = 1) -> str:
    found = [totals(label, runs, scenario=str(number)) for number in range(times)
             for label, runs in (("a", before), ("b", after))]  # fmt: skip
    lines = list(comparison_lines(compare(found, ["a", "b"])))
    return lines[lines.index("Pass rates (vs a):") + 1].rpartition("  ")[2]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("PPPPP", "FFFFF", "passes less often"),
        ("FFFFF", "PPPPP", "passes more often"),
        ("PF" * 60, "PF" * 60, "no difference of 20pp or more"),
        ("P", "F", "cannot tell with 1 run; about 4 would"),
        ("PPP", "PPP", "cannot tell with 3 runs; about 39 would see 20pp"),
        ("PPP", "FFFFI", "passes less often"),
        ("PP", "FFFFI", "cannot tell with 2 and 4 runs; about 4 of each would"),
        ("II", "PP", "no valid runs to compare"),
    ],
)
def test_what_runs_show_is_said_in_words(before, after, words):
    """How many would be needed is said where they cannot tell."""
    assert finding(before, after) == words


def test_the_lines_of_many_labels_stand_together():
    """All scenarios of one label, then all of them as one, then the next label."""
    found = [
        totals(label, runs, scenario=name)
        for name in ("one", "two")
        for label, runs in (("base", "PP"), ("x", "PF"), ("y", "FF"))
    ]
    lines = list(comparison_lines(compare(found, ["base", "x", "y"])))
    of_rates = lines[lines.index("Pass rates (vs base):") + 1 :]
    assert [line.split()[:2] for line in of_rates] == [
        ["x", "one"], ["x", "two"], ["x", "all"], ["y", "one"], ["y", "two"], ["y", "all"],
    ]  # fmt: skip


def test_names_are_told_apart_by_their_pack_where_they_must_be():
    """Everywhere, or one line would contradict another."""
    found = [totals(label, runs, pack=pack, metrics=[{"m": 1}])
             for label, pack, runs in (("a", "p", "P"), ("a", "q", "P"), ("b", "p", "P"),
                                       ("b", "q", "F"))]  # fmt: skip
    text = "\n".join(comparison_lines(compare(found, ["a", "b"])))
    assert text.count("p/s ") == 3
    assert text.count("q/s ") == 4


HOSTILE = "\x1b[2J|\n::error::x\u202e##[error]<img src=x>@octocat`"


def everything_hostile():
    return [
        totals(f"{label}{HOSTILE}", runs, scenario=HOSTILE, pack=pack, verdict=f"{runs}{HOSTILE}",
               metrics=[{HOSTILE: HOSTILE + label, "n": 1}])
        for label, runs in (("a", "P"), ("b", "F"), ("c", "F"))
        for pack in (HOSTILE, f"{HOSTILE}2")
    ]  # fmt: skip


def test_what_agents_and_authors_wrote_moves_no_cursor():
    """Labels, names, verdicts and metrics are foreign text."""
    found = everything_hostile()
    document = compare(found, [f"{label}{HOSTILE}" for label in "abc"])
    for line in comparison_lines(document):
        assert line == one_line(line)
        assert "##[" not in line
        assert not line.lstrip().startswith("::")


def rendered(lines) -> list[str]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [token.type for token in parser.parse("\n".join(lines))] + [
        child.type for token in parser.parse("\n".join(lines)) for child in token.children or []
    ]


PLAIN = {
    *(f"{part}_{end}" for end in ("open", "close")
      for part in ("table", "thead", "tbody", "tr", "th", "td", "paragraph", "bullet_list",
                   "list_item", "strong")),
    "inline", "text",
}  # fmt: skip


def test_in_markdown_it_is_text_in_cells():
    """No HTML, no link, no picture, no mention; every row has the cells of its head."""
    found = everything_hostile()
    labels = [f"{label}{HOSTILE}" for label in "abc"]
    remarks = [HOSTILE]
    results = Results(runs_dir=HOSTILE, labels=labels, results=found)
    for lines in (
        list(comparison_markdown(compare(found, labels), remarks)),
        list(results_markdown(results, remarks)),
    ):
        assert set(rendered(lines)) <= PLAIN
        text = "\n".join(lines)
        assert not {"<", ">", "\x1b", "\u202e"} & set(text)
        assert "@octocat" not in text
        rows = [line.count(" | ") for line in lines if line.startswith("| ")]
        assert rendered(lines).count("td_open") > 10
        assert len(set(rows)) <= 2


def test_a_comment_says_first_whether_anything_became_worse():
    """And puts the scenarios whose verdict changed first."""
    found = [
        totals(label, runs, scenario=name)
        for name, before, after in (("calm", "PP", "PP"), ("worse", "PP", "FF"))
        for label, runs in (("a", before), ("b", after))
    ]
    lines = list(comparison_markdown(compare(found, ["a", "b"]), ()))
    assert lines[0] == "**1 verdict regression(s)**: b against a"
    assert lines[2] == ("| Scenario | a | b | Difference (95% interval) | Adjusted p | Finding |")
    assert lines[4].startswith(
        "| worse | PASS 2/2 | FAIL 0/2 | -100pp (-100 to -7pp) | 0.67 | "
        "**regression**, risk 0.00 to 4.00; cannot tell with 2 runs"
    )
    assert lines[5].startswith("| calm | PASS 2/2 | PASS 2/2 |")
    assert lines[7].startswith("All 2 scenario(s) of b, each counted once: -50pp")
    calm = compare(found[:2], ["a", "b"])
    assert next(comparison_markdown(calm, ())) == "**No verdict regression**: b against a"
    better = compare(found[2:], ["b", "a"])
    assert next(comparison_markdown(better, ())) == (
        "**No verdict regression**, 1 improvement(s): a against b"
    )


def test_a_verdict_that_is_less_than_it_looks_is_marked():
    """A probe certifies nothing, and a new score is not what the sweep saw."""
    found = [
        totals("a", "PF", tier="regression"),
        totals("b", "PP", tier="probe"),
        totals("c", "PP", tier="focused", rescored=True),
        totals("b", "P", scenario="new", tier="probe"),
    ]
    compared = compare(found, ["a", "b", "c"])
    rows = [line.split(" | ")[2:4] for line in comparison_markdown(compared, ())][4:6]
    assert rows == [["FAIL 1/2", "PASS 2/2 (probe)"], ["FAIL 1/2", "PASS 2/2 (rescored)"]]
    probed = "rest on a probe, which replays one step and certifies nothing"
    assert list(weak_verdict_remarks(compared)) == [
        f"2 scenario(s) of 'b' {probed}: 'new', 's'",
        "1 scenario(s) of 'c' were scored again since their sweep: 's'",
    ]
    assert list(weak_verdict_remarks(compare(found[:1], ["a", "b"]))) == []


def test_a_comment_names_what_it_leaves_out():
    """New scenarios, metrics that stayed, rows beyond what a comment holds, and remarks."""
    found = [totals(label, scenario=f"s{number:03}", metrics=[{"m": number + (label == "b")}])
             for number in range(80) for label in "ab"]  # fmt: skip
    found += [totals(label, scenario="same", metrics=[{"m": 1}]) for label in "ab"]
    found.append(totals("b", scenario="new"))
    lines = list(comparison_markdown(compare(found, ["a", "b"]), ["one more"]))
    assert lines[lines.index("Left out:") + 2 :] == [
        "- 1 scenario(s) have no runs under 'a': 'new'",
        "- 21 more scenario(s), which `wt compare` shows".replace("`", "\\`"),
        "- 20 more metric(s), which `wt compare` shows".replace("`", "\\`"),
        "- 1 metric(s) that did not move",
        "- one more",
    ]
    assert len("\n".join(lines)) < 65536


def test_results_for_a_comment():
    """A table for each label; what rests on less than it seems says so."""
    found = [
        totals(
            "a", "PPPPF", scenario="lookup", metrics=[{"m": 1}], diagnostic_failures=["outcome"]
        ),
        totals("a", "PI", scenario="refund"),
        totals("b", "I"),
    ]
    document = Results(runs_dir="runs", labels=["a", "b"], results=found)
    assert list(results_markdown(document, ["one run cannot be read"])) == [
        "**a**: 2 scenario(s), 7 run(s) under runs",
        "",
        "| Scenario | Verdict | Passed | 95% interval | In a row | Metrics | Rests on |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        (
            "| lookup | FAIL | 4/5 (80%) | 38-96% | pass^3 40% | m mean 1  min 1  max 1  (n=1) "
            "| all saved runs; outcome failed, diagnostic |"
        ),
        "| refund | INVALID | 1/2 (50%), 1 invalid | 21-100% | pass^1 100% |  | all saved runs |",
        "",
        "**b**: 1 scenario(s), 1 run(s) under runs",
        "",
        "| Scenario | Verdict | Passed | 95% interval | In a row | Rests on |",
        "| --- | --- | --- | --- | --- | --- |",
        "| s | INVALID | 0/1 (0%), 1 invalid |  |  | all saved runs |",
        "",
        "Left out:",
        "",
        "- one run cannot be read",
    ]


def test_results_that_no_comment_holds_are_cut_by_name():
    """So many scenarios, so many metrics of one."""
    found = [totals("a", scenario=f"s{number:03}") for number in range(130)]
    found[0] = totals("a", scenario="s000", metrics=[dict.fromkeys("abcdefghi", 1)])
    lines = list(results_markdown(Results(runs_dir="runs", labels=["a"], results=found), ()))
    assert lines[-2:] == [
        "- 30 more scenario(s) of a, which \\`wt results\\` shows",
        "- 3 more metric(s) of a, which \\`wt results\\` shows",
    ]
    assert len("\n".join(lines)) < 65536


@given(st.lists(st.tuples(st.text("PFI", min_size=1, max_size=6), st.text(max_size=5),
                          st.text("PFI", min_size=1, max_size=6)), max_size=4))  # fmt: skip
def test_any_comparison_can_be_shown(rows):
    """With whatever names and runs there are."""
    found = [
        totals(label, runs, scenario=f"{number}{name}")
        for number, (before, name, after) in enumerate(rows)
        for label, runs in (("a", before), ("b", after))
    ]
    document = compare(found, ["a", "b"])
    lines = list(comparison_lines(document))
    assert lines == [one_line(line) for line in lines]
    assert sum(line.startswith("  b ") for line in lines) >= len(rows)
    assert set(rendered(comparison_markdown(document, ()))) <= PLAIN
