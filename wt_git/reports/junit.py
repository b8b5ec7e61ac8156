"""The JUnit document of a sweep (docs/files.md, "JUnit"): every selected scenario is a test case."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from wt_git.text import xml_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.rows import LedgerRow

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
    root = ET.Element("testsuites", _totals(cases))
    for pack, group in groupby(cases, key=lambda case: case.pack):
        of_pack = list(group)
        suite = ET.SubElement(root, "testsuite", {"name": xml_characters(pack), **_totals(of_pack)})
        for case in of_pack:
            suite.append(_case(case))
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _totals(cases: Iterable[Case]) -> dict[str, str]:
    listed = list(cases)
    return {
        "tests": str(len(listed)),
        "failures": str(sum(case.failed for case in listed)),
        "errors": str(sum(case.problem is not None for case in listed)),
        "time": f"{sum(case.time_s for case in listed):.6f}",
    }


def _case(case: Case) -> ET.Element:
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
        failure = ET.SubElement(element, "failure", _failure(case, case.row))
        failure.text = xml_characters("\n".join(_failure_lines(case, case.row)))
    return element


def _failure(case: Case, row: LedgerRow) -> dict[str, str]:
    said = f"{row.verdict}: {row.passed}/{row.runs} gate pass"
    kind = {"type": f"windtunnel.{row.verdict}"}
    if not case.triage:
        return {"message": said, **kind}
    categories = ",".join(case.triage)
    return {"message": f"{said} triage={categories}", **kind, "triage_category": categories}


def _failure_lines(case: Case, row: LedgerRow) -> Iterable[str]:
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
