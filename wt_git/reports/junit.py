"""JUnit documents (docs/files.md, "JUnit"): of a sweep and of a verification.

In that of a sweep every selected scenario is a test case, in that of a verification every commit.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from wt_git.text import one_line, scenario_name, xml_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.documents.verify import Verification, VerifiedCommit, VerifiedRow
    from wt_git.records.sweep_records import LedgerRow

ProblemKind = Literal["error", "world_mismatch", "not_started"]


@dataclass(frozen=True, slots=True)
class RunLines:
    """One run as a failure shows it: its id and a line for each layer."""

    run_id: str
    layers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scenario: with its row when it ran, with a problem when it did not.

    `time_s` is the sum over its runs of the time from start to finish. `triage` are the categories of
    its failed runs.
    """

    pack: str
    scenario: str
    row: LedgerRow | None = None
    runs: tuple[RunLines, ...] = ()
    triage: tuple[str, ...] = ()
    time_s: float = 0.0
    problem: ProblemKind | None = None
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the scenario makes its sweep exit 1 by its verdict."""
        return self.row is not None and self.row.experiment.counts_as_failure


def junit(cases: Sequence[Case]) -> str:
    """Return the document for `cases`, which are in selection order."""
    root = ET.Element("testsuites", _suite_counts(cases))
    for pack, group in groupby(cases, key=lambda case: case.pack):
        of_pack = list(group)
        suite = ET.SubElement(
            root, "testsuite", {"name": xml_characters(pack), **_suite_counts(of_pack)}
        )
        for case in of_pack:
            suite.append(_scenario_case(case))
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite_counts(cases: Iterable[Case]) -> dict[str, str]:
    listed = list(cases)
    return {
        "tests": str(len(listed)),
        "failures": str(sum(case.failed for case in listed)),
        "errors": str(sum(case.problem is not None for case in listed)),
        "time": f"{sum(case.time_s for case in listed):.6f}",
    }


def _scenario_case(case: Case) -> ET.Element:
    element = ET.Element(
        "testcase",
        {
            "classname": xml_characters(case.pack),
            "name": xml_characters(case.scenario),
            "time": f"{case.time_s:.6f}",
        },
    )
    if case.problem is not None:
        message = xml_characters(case.message)
        error = ET.SubElement(element, "error", {"message": message, "type": case.problem})
        error.text = message
    elif case.row is not None and case.failed:
        failure = ET.SubElement(element, "failure", _failure_attributes(case, case.row))
        failure.text = xml_characters("\n".join(_scenario_failure_lines(case, case.row)))
    return element


def _failure_attributes(case: Case, row: LedgerRow) -> dict[str, str]:
    said = f"{row.verdict}: {row.passed}/{row.runs} gate pass"
    kind = {"type": f"windtunnel.{row.verdict}"}
    if not case.triage:
        return {"message": said, **kind}
    categories = ",".join(case.triage)
    return {"message": f"{said} triage={categories}", **kind, "triage_category": categories}


def _scenario_failure_lines(case: Case, row: LedgerRow) -> Iterable[str]:
    rates = row.layer_pass_rates
    yield f"scenario: {case.scenario}"
    yield f"pack: {case.pack}"
    yield f"verdict: {row.verdict}"
    yield f"outcome pass rate: {rates.outcome:.0%}"
    yield f"trajectory pass rate: {rates.trajectory:.0%}"
    yield f"constraint pass rate: {rates.constraint:.0%}"
    yield f"integrity pass rate: {rates.integrity:.0%}"
    yield f"gate layers: {', '.join(row.gate_layers) or 'none'}"
    yield f"failure risk: {row.failure_risk:g}"
    if case.triage:
        yield f"triage category: {', '.join(case.triage)}"
    for run in case.runs:
        yield f"run {run.run_id}"
        yield from (f"  {layer}" for layer in run.layers)


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
        suite.append(_commit_case(one))
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _commit_case(one: VerifiedCommit) -> ET.Element:
    name = f"{one.revision} ({one.commit})" if one.revision != one.commit else one.commit
    attributes = {"classname": "wt.verify", "name": _xml_line(name), "time": "0.000000"}
    case = ET.Element("testcase", attributes)
    if not one.covered:
        first = one.reasons[0]
        failure = ET.SubElement(
            case,
            "failure",
            {"message": _xml_line(first.message), "type": f"windtunnel.{first.code}"},
        )
        failure.text = "\n".join(map(_xml_line, _commit_failure_lines(one)))
    told = [*(f"recorded: {_row_text(row)}" for row in one.rows), *one.remarks]
    if told:
        ET.SubElement(case, "system-out").text = "\n".join(map(_xml_line, told))
    return case


def _commit_failure_lines(one: VerifiedCommit) -> list[str]:
    lines = [one.title]
    for why in one.reasons:
        lines += [f"{why.code}: {why.message}", *(f"  {fact}" for fact in why.facts)]
        lines += [f"  run: {hint}" for hint in why.hints]
    lines += [f"failed on this tree: {_row_text(row)}" for row in one.failing_rows]
    for who in one.subjects:
        parts = {"target": who.target, "model": who.model, "plugin": who.plugin}
        told = ", ".join(f"{key} {value or 'unknown'}" for key, value in parts.items())
        lines.append(f"recorded against: {told}")
    return lines


def _row_text(row: VerifiedRow) -> str:
    name = scenario_name(row.pack, row.scenario)
    return f"{row.tier} {name}: {row.verdict} {row.passed}/{row.runs} in sweep {row.sweep_id}"


def _xml_line(text: str) -> str:
    return xml_characters(one_line(text))
