"""Triage for people and for a pull request: Markdown, in which nothing an agent wrote is markup.

Categories and fix vectors are words of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.markdown_blocks import table
from wt_git.text import markdown_text, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.triage import TriageCategory, TriagedRun, TriageReport

_EVIDENCE_LINES, _EVIDENCE_CHARACTERS = 2, 80
_ID_LENGTH = 8


def triage_lines(report: TriageReport) -> Iterator[str]:
    """Yield the lines of the report."""
    totals = report.totals
    yield "# Wind Tunnel Triage Report"
    yield ""
    yield (
        f"**Failed runs:** {totals.failed} | **Passed:** {totals.passed} "
        f"| **Invalid:** {totals.invalid} | **Skipped (no score):** {totals.skipped} "
        f"| **Classifier:** {report.classifier}"
    )
    if not totals.failed:
        yield ""
        yield "No failures to triage." if totals.passed or totals.invalid else "No runs found."
    for category in report.categories:
        yield from _section(category)


def _section(category: TriageCategory) -> Iterator[str]:
    yield ""
    yield f"## {category.category} ({category.runs})"
    fix = category.suggested_fix
    if fix is not None:
        yield ""
        yield f"**Fix:** `{fix.fix_vector}`: {markdown_text(fix.rationale)}"
    yield ""
    yield from table(("Scenario", "Run", "Confidence", "Evidence"), map(_cells, category.failures))


def _cells(run: TriagedRun) -> tuple[str, ...]:
    return (
        markdown_text(run.scenario_id),
        markdown_text(run.run_id[:_ID_LENGTH]),
        f"{run.confidence:.0%}",
        "; ".join(_evidence(line) for line in run.evidence[:_EVIDENCE_LINES]),
    )


def _evidence(line: str) -> str:
    shown = one_line(line)
    cut = len(shown) > _EVIDENCE_CHARACTERS
    return markdown_text(shown[:_EVIDENCE_CHARACTERS] + "..." if cut else shown)
