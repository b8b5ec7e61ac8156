"""The JUnit document."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from wt_git.reports.ci_formats import Case, junit

texts = st.text(st.characters(), max_size=20)
cases = st.builds(
    Case,
    pack=texts,
    scenario=texts,
    problem=st.sampled_from([None, "error", "world_mismatch", "not_started"]),
    message=texts,
    time_s=st.floats(0, 1e6),
)


@given(st.lists(cases, max_size=6))
def test_any_names_and_messages_give_a_document_that_adds_up(listed: list[Case]) -> None:
    """Well-formed whatever an author or agent wrote; totals are the sums of the parts."""
    root = ET.fromstring(junit(listed).encode())
    found = root.findall("testsuite/testcase")
    assert len(found) == len(listed) == int(root.get("tests", ""))
    errors = [case for case in listed if case.problem]
    assert len(root.findall("testsuite/testcase/error")) == len(errors)
    assert int(root.get("errors", "")) == len(errors)
    assert sum(int(suite.get("tests", "")) for suite in root) == len(listed)


def test_the_whole_document() -> None:
    """As a reviewer would read it."""
    document = junit([Case(pack="p", scenario="s", problem="error", message="E: <boom>")])
    assert document == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites tests="1" failures="0" errors="1" time="0.000000">\n'
        '  <testsuite name="p" tests="1" failures="0" errors="1" time="0.000000">\n'
        '    <testcase classname="p" name="s" time="0.000000">\n'
        '      <error message="E: &lt;boom&gt;" type="error">E: &lt;boom&gt;</error>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )
