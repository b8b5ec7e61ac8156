"""The page of `wt report`: one HTML file that needs nothing but a browser.

What can be read at a glance is written here as plain HTML, so the page says it without its script,
in print and in a mail. The script opens runs and compares labels. A run's details stand in an element
of their own, which the browser keeps as text until somebody opens the run: the page is quick with
thousands of them.
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Any, TextIO

from wt_git.reports.page import (
    assets,
    comparison,
    costs,
    failures,
    matrix,
    predictions,
    summary,
)
from wt_git.reports.page.elements import Markup, element
from wt_git.reports.page.islands import island_json
from wt_git.reports.page.signs import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_DOCUMENT_GOES_HERE = "<!-- the document -->"
_RUNS_GO_HERE = "<!-- the runs -->\n"
_ROWS = "scenarios"


def write_page(
    document: Mapping[str, Any], details: Iterable[Mapping[str, Any]], stream: TextIO
) -> None:
    """Write the page that shows `document` (docs/files.md, "Report") to `stream`.

    `details` are the details of its runs, in any order. Each is taken, written and let go, and so is
    each of the document's `scenarios`, which are gone through twice; so memory does not grow with
    either, as long as both can make theirs one at a time.
    """
    before, rest = _filled(document).split(_DOCUMENT_GOES_HERE)
    between, after = rest.split(_RUNS_GO_HERE)
    stream.write(before)
    stream.writelines(_document_json(document))
    stream.write(between)
    stream.writelines(_run_island(detail) for detail in details)
    stream.write(after)


def _document_json(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the document as JSON, the rows last."""
    head = island_json({key: value for key, value in document.items() if key != _ROWS})
    yield f'{head.removesuffix("}")}{"" if head == "{}" else ","}"{_ROWS}":['
    for number, row in enumerate(document[_ROWS]):
        yield f"{',' if number else ''}{island_json(row)}\n"
    yield "]}"


def _run_island(detail: Mapping[str, Any]) -> str:
    data = Markup(island_json(detail))
    island = element("script", data, type="application/json", class_="run-data", id=detail["data"])
    return f"{island}\n"


def _filled(document: Mapping[str, Any]) -> str:
    style, script = assets.style(), assets.script()
    return Template(assets.template()).substitute(
        policy=assets.policy(style, script),
        style=style,
        script=script,
        headline=summary.headline(document),
        figures=summary.figures(document),
        verdict_counts=summary.verdict_counts(document.get("verdict_totals")),
        remarks=summary.remark_list(document.get("remarks") or ()),
        search=matrix.search_form(document["variants"]),
        matrix=matrix.verdict_matrix(document["variants"], document[_ROWS]),
        failures=failures.failure_list(document.get("failures") or ()),
        flaky=failures.flaky_table(document.get("flaky") or ()),
        comparison=comparison.label_choice(document["variants"]),
        costs=costs.cost_history(document.get("cost_history") or ()),
        predictions=predictions.prediction_table(document.get("predictions")),
        generated=time_text(document.get("generated_at")),
    )
