"""A verification on GitHub Actions: annotations in the log, and the job summary in Markdown.

GitHub shows ten annotations of a step and drops the others; the last one says how many are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.formatting import short_commit
from wt_git.text import log_line, markdown_code, scenario_name, workflow_data, workflow_property

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.documents.verify import (
        Verification,
        VerifiedCommit,
        VerifiedRow,
        VerifiedSubject,
    )

MOST_ANNOTATIONS = 10
MOST_SUMMARY_BYTES = 900_000
"""GitHub refuses a summary of more than a megabyte."""

_MOST_FILES = 50
_MESSAGE_LIMIT = 1000


def workflow_commands(found: Verification) -> list[str]:
    """Return the workflow commands, at most ten: what is not covered, then the files at fault."""
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
    """Point at the files that make the nearest evidence stale; GitHub shows these in the change."""
    paths = (path for one in uncovered if one.nearest for path in one.nearest.files)
    for path in dict.fromkeys(paths):
        title = "differs from the nearest evidence"
        yield _command("warning", title, "this file was not under test as it is now", path)


def _command(kind: str, title: str, message: str, file: str | None = None) -> str:
    place = f"file={workflow_property(log_line(file))}," if file is not None else ""
    shown = workflow_data(message[:_MESSAGE_LIMIT])
    return f"::{kind} {place}title={workflow_property(title)}::{shown}"


def job_summary(found: Verification) -> str:
    """Return the Markdown of the job summary; foreign text stands in code spans."""
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
    yield from (f"- recorded: {_row_text(row)}" for row in one.rows)
    for why in one.reasons:
        yield f"- `{why.code}`: {markdown_code(why.message)}"
        if len(why.facts) > 1:
            yield from (f"  - {markdown_code(fact)}" for fact in why.facts[:_MOST_FILES])
    yield from (f"- failed on this tree: {_row_text(row)}" for row in one.failing_rows)
    yield from (f"- recorded against {_subject_text(who)}" for who in one.subjects)
    yield from (f"- note: {markdown_code(remark)}" for remark in one.remarks)
    hints = dict.fromkeys(hint for why in one.reasons for hint in why.hints)
    yield from (f"- run {markdown_code(hint)}" for hint in hints)


def _row_text(row: VerifiedRow) -> str:
    name = scenario_name(row.pack, row.scenario)
    told = f"{row.tier} {name}: {row.verdict} {row.passed}/{row.runs}"
    return f"{markdown_code(told)} in sweep {markdown_code(row.sweep_id)}"


def _subject_text(who: VerifiedSubject) -> str:
    parts = {"target": who.target, "model": who.model, "plugin": who.plugin}
    return ", ".join(f"{name} {markdown_code(value or 'unknown')}" for name, value in parts.items())
