"""Results for CI services: JUnit documents (docs/files.md, "JUnit") and GitHub Actions annotations."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from wt_git.text import (
    log_line,
    markdown_code,
    one_line,
    scenario_name,
    short_commit,
    workflow_data,
    workflow_property,
    xml_characters,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.records.documents.evidence import (
        Verification,
        VerifiedCommit,
        VerifiedRow,
        VerifiedSubject,
    )
    from wt_git.records.sweep_records import LedgerRow

ProblemKind = Literal["error", "world_mismatch", "not_started"]

MOST_ANNOTATIONS = 10
"""GitHub shows so many of a step and drops the others."""
MOST_SUMMARY_BYTES = 900_000
"""GitHub refuses a summary of more than a megabyte."""

_MOST_FILES = 50
_MESSAGE_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class RunLines:
    """One run in the text of a failure: its id and a line for each layer."""

    run_id: str
    layers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scenario, with its row if it ran, else with the problem that prevented that.

    `time_s` is the sum of the durations of its runs, `triage` the categories of those that failed.
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
    return _written(root)


def _written(root: ET.Element) -> str:
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
    message = f"{row.verdict}: {row.passed}/{row.runs} gate pass"
    kind = {"type": f"windtunnel.{row.verdict}"}
    if not case.triage:
        return {"message": message, **kind}
    categories = ",".join(case.triage)
    return {"message": f"{message} triage={categories}", **kind, "triage_category": categories}


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
    """Return the document; an uncovered commit is a failure with its first reason as the type."""
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
    return _written(root)


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
    output = [
        *(f"recorded: {_row_text(row)} in sweep {row.sweep_id}" for row in one.rows),
        *one.remarks,
    ]
    if output:
        ET.SubElement(case, "system-out").text = "\n".join(map(_xml_line, output))
    return case


def _commit_failure_lines(one: VerifiedCommit) -> list[str]:
    lines = [one.title]
    for why in one.reasons:
        lines += [f"{why.code}: {why.message}", *(f"  {fact}" for fact in why.facts)]
        lines += [f"  run: {hint}" for hint in why.hints]
    lines += [
        f"failed on this tree: {_row_text(row)} in sweep {row.sweep_id}" for row in one.failing_rows
    ]
    for who in one.subjects:
        parts = (f"{name} {value}" for name, value in _subject_parts(who))
        lines.append(f"recorded against: {', '.join(parts)}")
    return lines


def _row_text(row: VerifiedRow) -> str:
    name = scenario_name(row.pack, row.scenario)
    return f"{row.tier} {name}: {row.verdict} {row.passed}/{row.runs}"


def _subject_parts(who: VerifiedSubject) -> list[tuple[str, str]]:
    parts = {"target": who.target, "model": who.model, "plugin": who.plugin}
    return [(name, value or "unknown") for name, value in parts.items()]


def _xml_line(text: str) -> str:
    return xml_characters(one_line(text))


def workflow_commands(found: Verification) -> list[str]:
    """Return at most ten workflow commands: one for each uncovered commit, then for stale files."""
    uncovered = [one for one in found.commits if not one.covered]
    made = [*(_error_command(one) for one in uncovered), *_file_commands(uncovered)]
    if len(made) <= MOST_ANNOTATIONS:
        return made
    left = len(made) - MOST_ANNOTATIONS + 1
    more = _command("error", "wt verify", f"{left} more problems are in the log and the summary")
    return [*made[: MOST_ANNOTATIONS - 1], more]


def _error_command(commit: VerifiedCommit) -> str:
    reasons = "; ".join(f"{why.code}: {log_line(why.message)}" for why in commit.reasons)
    hints = [hint for why in commit.reasons for hint in why.hints][:1]
    run = f"\nRun: {log_line(hints[0])}" if hints else ""
    title = f"{log_line(commit.revision, 80)} has no evidence that satisfies the policy"
    return _command("error", title, reasons + run)


def _file_commands(uncovered: list[VerifiedCommit]) -> Iterator[str]:
    """Yield a warning for each file that makes the nearest evidence stale; GitHub shows it there."""
    paths = (path for one in uncovered if one.nearest for path in one.nearest.files)
    for path in dict.fromkeys(paths):
        title = "differs from the nearest evidence"
        yield _command("warning", title, "this file was not under test as it is now", path)


def _command(kind: str, title: str, message: str, file: str | None = None) -> str:
    place = f"file={workflow_property(log_line(file))}," if file is not None else ""
    shown = workflow_data(message[:_MESSAGE_LIMIT])
    return f"::{kind} {place}title={workflow_property(title)}::{shown}"


def job_summary(found: Verification) -> str:
    """Return the Markdown of the job summary, with text from outside in code spans."""
    verdict = "covered by recorded evidence" if found.covered else "not covered"
    lines = [f"### Wind Tunnel: {verdict}", ""]
    for one in found.commits:
        lines += [*_commit_lines(one), ""]
    lines += [f"- {markdown_code(one)}" for one in found.warnings]
    text = "\n".join(lines).rstrip() + "\n"
    if len(text.encode()) <= MOST_SUMMARY_BYTES:
        return text
    cut = text.encode()[:MOST_SUMMARY_BYTES].decode("utf-8", "ignore")
    return cut[: cut.rfind("\n")] + "\n\nThe rest is in the log.\n"


def _commit_lines(one: VerifiedCommit) -> Iterator[str]:
    word = "covered" if one.covered else "**not covered**"
    yield f"#### {markdown_code(one.revision)} `{short_commit(one.commit)}`: {word}"
    yield ""
    yield f"- {markdown_code(one.title)}"
    yield from (f"- recorded: {_row_markdown(row)}" for row in one.rows)
    for why in one.reasons:
        yield f"- `{why.code}`: {markdown_code(why.message)}"
        if len(why.facts) > 1:
            yield from (f"  - {markdown_code(fact)}" for fact in why.facts[:_MOST_FILES])
    yield from (f"- failed on this tree: {_row_markdown(row)}" for row in one.failing_rows)
    for who in one.subjects:
        parts = (f"{name} {markdown_code(value)}" for name, value in _subject_parts(who))
        yield f"- recorded against {', '.join(parts)}"
    yield from (f"- note: {markdown_code(remark)}" for remark in one.remarks)
    hints = dict.fromkeys(hint for why in one.reasons for hint in why.hints)
    yield from (f"- run {markdown_code(hint)}" for hint in hints)


def _row_markdown(row: VerifiedRow) -> str:
    return f"{markdown_code(_row_text(row))} in sweep {markdown_code(row.sweep_id)}"
