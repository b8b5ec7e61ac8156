"""The comment of `wt rescore` on a pull request: Markdown, with text from outside escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from wt_git.records.documents.rescore import NotScored, Rescored, Unresolved
from wt_git.reports.wording import left_out_list, markdown_row, markdown_table
from wt_git.text import markdown_text, short_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.records.documents.rescore import Entry, RescoreSummary

_HEADS = ("Scenario", "Label", "Run", "Verdict", "What changed")
_NOTHING = "—"
_LIMIT = 120
_DETAIL_LIMIT = 300
_MOST_ROWS = 60
"""A comment on GitHub holds 65536 characters."""


class RescoreComment:
    """Writes a comment entry by entry: those with a changed score, and problems."""

    def __init__(self) -> None:
        self._rows = 0

    def lines(self, entry: Entry) -> Iterator[str]:
        """Yield the lines about one trace; none where nothing changed."""
        cells = _entry_cells(entry)
        if cells is None:
            return
        self._rows += 1
        if self._rows == 1:
            yield from markdown_table(_HEADS, [cells])
        elif self._rows <= _MOST_ROWS:
            yield markdown_row(cells)

    def end(self, summary: RescoreSummary, remarks: Sequence[str]) -> Iterator[str]:
        """Yield the counts of all entries; `remarks` are sentences about traces that were left out."""
        if self._rows:
            yield ""
        yield (
            f"**{summary.changed} of {summary.traces} trace(s) changed**: "
            f"{summary.new_gate_failures} do not pass now, {summary.invalid} invalid, "
            f"{summary.unresolved} unresolved, {summary.errors} in error, "
            f"{summary.written} written, {summary.skipped} skipped"
        )
        more = self._rows - _MOST_ROWS
        left_out = [*([f"{more} more row(s)"] if more > 0 else []), *remarks]
        if left_out:
            yield ""
            yield from left_out_list(left_out)


def _entry_cells(entry: Entry) -> tuple[str, ...] | None:
    match entry:
        case Rescored():
            changes = list(_change_texts(entry))
            verdict = f"{entry.verdict.old} to {entry.verdict.new}"
            if not (entry.changed or entry.metrics_changed):
                return None
            differs = entry.changed and entry.verdict.old != entry.verdict.new
            shown = f"**{verdict}**" if differs else entry.verdict.new
            details = markdown_text("; ".join(changes), _DETAIL_LIMIT) if changes else _NOTHING
            return (*_place_cells(entry), shown, details)
        case Unresolved():
            return (*_place_cells(entry), "**ERROR**", markdown_text(entry.error, _DETAIL_LIMIT))
        case NotScored():
            where = f"{entry.trace}: {entry.error}"
            return (_NOTHING, _NOTHING, _NOTHING, "**ERROR**", markdown_text(where, _DETAIL_LIMIT))
        case _:
            assert_never(entry)


def _place_cells(entry: Rescored | Unresolved) -> tuple[str, str, str]:
    return (
        markdown_text(entry.scenario_id, _LIMIT),
        markdown_text(entry.label, _LIMIT),
        markdown_text(short_run(entry.run_id)),
    )


def _change_texts(entry: Rescored) -> Iterator[str]:
    """Yield the layers that changed, with their details, and the metrics that changed."""
    for name, layer in entry.layers.items():
        if layer.changed:
            yield f"{name} {layer.old} to {layer.new} ({layer.detail})"
    old, new = entry.metrics.old, entry.metrics.new
    if old is not None:
        for name in dict.fromkeys([*old, *new]):
            before, now = old.get(name, "absent"), new.get(name, "absent")
            if before != now:
                yield f"{name} {before} to {now}"
