"""A verification as a JUnit document: each commit that was asked about is a test case."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from wt_git.naming import scenario_name
from wt_git.text import one_line, xml_characters

if TYPE_CHECKING:
    from wt_git.records.verification import Verification, VerifiedCommit, VerifiedRow


def verify_junit(found: Verification) -> str:
    """Return the document; a commit that is not covered is a failure, its first reason the type."""
    counts = {
        "tests": str(len(found.commits)),
        "failures": str(sum(not one.covered for one in found.commits)),
        "errors": "0",
        "time": "0.000000",
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "evidence", **counts})
    for one in found.commits:
        suite.append(_case(one))
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(one: VerifiedCommit) -> ET.Element:
    name = f"{one.revision} ({one.commit})" if one.revision != one.commit else one.commit
    attributes = {"classname": "wt.verify", "name": _inert(name), "time": "0.000000"}
    case = ET.Element("testcase", attributes)
    if not one.covered:
        first = one.reasons[0]
        failure = ET.SubElement(
            case,
            "failure",
            {"message": _inert(first.message), "type": f"windtunnel.{first.code}"},
        )
        failure.text = "\n".join(map(_inert, _failure_lines(one)))
    told = [*(f"recorded: {_row(row)}" for row in one.rows), *one.remarks]
    if told:
        ET.SubElement(case, "system-out").text = "\n".join(map(_inert, told))
    return case


def _failure_lines(one: VerifiedCommit) -> list[str]:
    lines = [one.title]
    for why in one.reasons:
        lines += [f"{why.code}: {why.message}", *(f"  {fact}" for fact in why.facts)]
        lines += [f"  run: {hint}" for hint in why.hints]
    lines += [f"failed on this tree: {_row(row)}" for row in one.failing_rows]
    for who in one.subjects:
        parts = {"target": who.target, "model": who.model, "plugin": who.plugin}
        told = ", ".join(f"{key} {value or 'unknown'}" for key, value in parts.items())
        lines.append(f"recorded against: {told}")
    return lines


def _row(row: VerifiedRow) -> str:
    name = scenario_name(row.pack, row.scenario)
    return f"{row.tier} {name}: {row.verdict} {row.passed}/{row.runs} in sweep {row.sweep_id}"


def _inert(text: str) -> str:
    return xml_characters(one_line(text))
