"""`wt verify` for GitHub and as JUnit: few annotations, and foreign text that does nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.records.documents.evidence import (
    NearestEvidence,
    Verification,
    VerifiedCommit,
    VerifiedReason,
    VerifiedRow,
    VerifiedSubject,
)
from wt_git.reports.ci_formats import (
    MOST_ANNOTATIONS,
    MOST_SUMMARY_BYTES,
    job_summary,
    verify_junit,
    workflow_commands,
)

HOSTILE = [
    "::error::x",
    "a\n::set-output name=x::y",
    "a\r\n##[error]x",
    "100%0A::error::x",
    "<script>alert(1)</script>",
    "`` ` ``` code",
    "](http://evil) ![x](y)",
    "| a | b |",
    "\x1b[2J\x00\x85\u2028\u202e",
    "]]> & < > \" '",
    "@someone #1 www.evil.example",
    "",
]


def commit(text="refund", *, files=(), covered=False):
    """A commit in which every foreign text is `text`."""
    row = VerifiedRow(
        sweep_id="a" * 12,
        ts=text,
        scenario=text,
        pack=text,
        tier=text,
        verdict=text,
        passed=1,
        runs=1,
    )
    why = VerifiedReason(code="stale-evidence", message=text, facts=[text, text], hints=[text])
    nearest = NearestEvidence(tree="1" * 40, commit=None, sweep_id="a" * 12, files=list(files))
    return VerifiedCommit(
        revision=text,
        commit="c" * 40,
        title=text,
        judged="c" * 40,
        tree="1" * 40,
        covered=covered,
        thinned=False,
        rows=[row] if covered else [],
        failing_rows=[row],
        subjects=[VerifiedSubject(target=text, model=None, plugin=text)],
        reasons=[] if covered else [why],
        nearest=None if covered else nearest,
        skipped={},
        remarks=[text],
    )


def verification(*commits, warnings=()):
    return Verification(
        covered=all(one.covered for one in commits),
        policy_from=None,
        commits=list(commits),
        warnings=list(warnings),
    )


COMMAND = re.compile(
    r"::(error|warning) (file=(?P<file>[^:,\r\n]*),)?title=(?P<title>[^:,\r\n]*)::(?P<text>[^\r\n]*)"
)
texts = st.sampled_from(HOSTILE) | st.text(max_size=40)


@given(texts, st.lists(texts, max_size=15), st.integers(1, 15))
def test_annotations_are_commands_of_ours_and_at_most_ten(text, files, count):
    """Whatever names and paths say, a line is one command, with one file, title and text."""
    made = workflow_commands(verification(*[commit(text, files=files)] * count))
    assert 1 <= len(made) <= MOST_ANNOTATIONS
    for line in made:
        found = COMMAND.fullmatch(line)
        assert found
        assert "##[" not in line


def test_what_did_not_fit_is_counted():
    """The last annotation says how much more there is."""
    made = workflow_commands(verification(commit(files=[f"f{n}.py" for n in range(20)])))
    assert len(made) == 10
    assert "12 more problems" in made[-1]
    assert made[1].startswith("::warning file=f0.py,title=")


def test_nothing_is_annotated_when_all_is_covered():
    """A green run says nothing."""
    assert workflow_commands(verification(commit(covered=True))) == []


SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")


@given(texts, st.booleans())
def test_foreign_text_in_a_summary_stands_in_code_spans(text, covered):
    """What is left when the spans are taken away is ours, whatever the text was."""
    markdown = job_summary(verification(commit(text, covered=covered), warnings=[text]))
    plain = job_summary(verification(commit("plain", covered=covered), warnings=["plain"]))

    def ours(of):
        return SPAN.sub("X", of).replace("(empty)", "X")

    assert ours(markdown) == ours(plain)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", markdown)


def test_a_summary_is_never_larger_than_github_takes():
    """It is cut at a line, and says so."""
    text = job_summary(verification(*[commit("x" * 5000)] * 100))
    assert len(text.encode()) <= MOST_SUMMARY_BYTES + 100
    assert text.endswith("The rest is in the log.\n")


@given(st.lists(texts, min_size=1, max_size=3), st.booleans())
def test_the_junit_document_is_xml_with_a_case_for_each_commit(names, covered):
    """A parser reads it, and foreign text adds no element."""
    found = verification(*[commit(text, covered=covered) for text in names])
    root = ET.fromstring(verify_junit(found))
    assert root.get("tests") == str(len(names))
    assert root.get("failures") == ("0" if covered else str(len(names)))
    tags = {"testsuites", "testsuite", "testcase", "failure", "system-out"}
    assert {element.tag for element in root.iter()} <= tags
    assert len(root.findall(".//testcase")) == len(names)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_junit_document_has_no_control_characters(text):
    """Somebody may look at it in a terminal."""
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", verify_junit(verification(commit(text))))
