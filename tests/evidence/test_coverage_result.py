"""An answer in sentences: the three parts of a refusal, and nothing that anybody would obey."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.evidence_rows import TREE, note, notes, parts, row, sweep

from wt_git.evidence.coverage.evidence_trees import EvidenceTree
from wt_git.evidence.coverage.result import (
    Covered,
    NearestRow,
    NotCovered,
    Reason,
    coverage_lines,
)
from wt_git.evidence.coverage.rules import CommitEvidence, check_coverage
from wt_git.evidence.coverage.stored_rows import stored_row, stored_sweep
from wt_git.evidence.policy import Policy
from wt_git.records.notes import NoteLine
from wt_git.text import DECLARATION_OPTIONS


def stored(**changed):
    record = row(**changed)
    found = stored_row(NoteLine("row", record, b""))
    assert found is not None
    return found


def ask(*records):
    filed = CommitEvidence(
        commit="c" * 40, trees=[EvidenceTree(TREE)], notes={TREE: notes(*records)}
    )
    return check_coverage(filed, Policy())


def test_a_covered_commit():
    """What counts, in which sweep, when, and against what; unknown is said as such."""
    made = row(fingerprint_parts=parts(model=None, plugin="sha256:abc"))
    assert coverage_lines(ask(made, sweep())) == (
        "cccccccccc is covered by recorded evidence:",
        "  focused orders/refund: PASS 3/3, sweep aaaaaaaaaaaa, 2026-01-02T03:04:05Z",
        f"  recorded against: target {parts()['target']}, model unknown, plugin sha256:abc",
    )


def test_of_many_rows_the_latest_are_shown():
    """And of the others what they are about."""
    records = []
    for number in range(30):
        of, ts = f"{number:012x}", f"2026-01-02T03:{number:02}:00Z"
        about = parts(model=f"m{number}")
        records += [row(sweep=of, ts=ts, fingerprint_parts=about), sweep(of, ts=ts)]
    lines = coverage_lines(ask(*records))
    shown = [line for line in lines if line.startswith("  focused orders/refund: PASS 3/3, sweep")]
    assert [line.rpartition(", ")[2] for line in shown] == [
        f"2026-01-02T03:{number}:00Z" for number in range(25, 30)
    ]
    assert "  and 25 earlier: 'orders/refund'" in lines
    assert lines[-1] == "  and against 10 more"


def test_a_refusal_has_three_parts():
    """The rule, what was seen by name, and the command; the failing rows and who was asked, too."""
    answer = ask(row(verdict="FAIL"), sweep())
    lines = coverage_lines(answer, "main")
    assert lines[0] == "main is not covered:"
    assert lines[1].startswith("  failing-scenarios: failed on this tree")
    assert any(
        one.startswith("  failed on this tree: focused orders/refund: FAIL") for one in lines
    )
    assert any(one.startswith("  recorded against: ") for one in lines)
    assert lines[-1] == (
        "    wt run --pack-source=packs/orders.py:PACK --pack=orders --scenario=refund "
        f"--runtime=my_runtime {DECLARATION_OPTIONS}"
    )


def test_the_nearest_evidence_says_against_what_it_was_recorded():
    """An agent outside the tree may have changed as well."""
    reason = Reason(code="stale-evidence", message="these files differ: 'a.py'", facts=("a.py",))
    near = NearestRow(TREE, None, stored(), ("a.py",))
    answer = NotCovered(commit="c" * 40, tree=TREE, reasons=(reason,), nearest=near)
    lines = coverage_lines(answer)
    assert lines[1:] == (
        "  stale-evidence: these files differ: 'a.py'",
        f"  the nearest was recorded against: target {parts()['target']}, model small, plugin unknown",
    )


def test_what_a_sentence_does_not_name_is_listed():
    """But not without end."""
    facts = tuple(f"f{number}.py" for number in range(30))
    reason = Reason(code="stale-evidence", message="differ: 'f0.py'", facts=facts)
    lines = coverage_lines(NotCovered(commit="", tree=TREE, reasons=(reason,)))
    assert lines[0] == "what would be committed is not covered:"
    assert "    f1.py" in lines
    assert "    f0.py" not in lines
    assert lines[-1] == "    and 9 more"
    reason = Reason(code="stale-evidence", message="differ", facts=facts[:20])
    lines = coverage_lines(NotCovered(commit="", tree=TREE, reasons=(reason,)))
    assert lines[-1] == "    f19.py"


hostile = st.text(max_size=30) | st.sampled_from(
    ["\n::error::x", "::x::", "##[group]", "\x1b[2J", "\r\n", "\u202eabc", "a\x85b", "'; rm -rf ~"]
)


@given(hostile, hostile, st.sampled_from(["PASS", "FAIL"]))
def test_foreign_text_stays_on_its_line(name, target, verdict):
    """Names of scenarios, packs, targets, commits and files."""
    made = row(scenario=name, pack=name, verdict=verdict, fingerprint_parts=parts(target=target))
    answer = ask(made, sweep())
    assert isinstance(answer, Covered | NotCovered)
    for line in coverage_lines(answer, name):
        assert len(line.splitlines()) == 1
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", line)
        assert not line.lstrip().startswith("::")
        assert not re.search(r"##\w*\[", line)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({}, "wt run --pack=orders --scenario=refund --runtime=my_runtime"),
        (
            {"soul": "prompts/my soul.md", "agents": "AGENTS.md"},
            (
                "wt run '--soul=prompts/my soul.md' --agents=AGENTS.md --pack=orders --scenario=refund "
                "--runtime=my_runtime"
            ),
        ),
        (
            {"pack_source:a.b:PACK": "a/b.py", "runtime": "agent.py"},
            "wt run --pack-source=a/b.py:PACK --pack=orders --scenario=refund --runtime=my_runtime",
        ),
        (
            {"pack_source:/home/me/x.py:PACK": "outside"},
            "wt run --pack=orders --scenario=refund --runtime=my_runtime",
        ),
    ],
)
def test_the_command_that_makes_a_row_again(sources, words):
    """With the paths that the tree has, quoted for a shell; what is elsewhere cannot be named."""
    assert stored(experiment={"sources": sources}).command() == f"{words} {DECLARATION_OPTIONS}"


def test_the_command_of_a_hostile_row_is_one_word_for_each_value():
    """Nothing in a name ends its word."""
    assert stored(scenario="x; rm -rf ~", pack=None).command() == (
        "wt run --pack-source=packs/orders.py:PACK '--scenario=x; rm -rf ~' --runtime=my_runtime "
        + DECLARATION_OPTIONS
    )


def test_the_command_of_a_name_with_pattern_characters_means_that_name():
    """Brackets and stars would choose others, or none."""
    command = stored(scenario="odd [name] *", pack=None).command()
    assert "'--scenario=odd [[]name] [*]'" in command


@pytest.mark.parametrize("key", ["status", "scenarios", "errors", "not_started", "outcome"])
def test_a_sweep_record_without_what_decides(key):
    """It says nothing of how the sweep ended."""
    record = sweep()
    del record[key]
    assert stored_sweep(NoteLine("sweep", record, note(record)[0])) is None
