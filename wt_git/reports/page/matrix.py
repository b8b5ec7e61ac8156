"""The verdict matrix: a row for each scenario, a column for each label."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from wt_git.reports.page.elements import Markup, element, join, name_text
from wt_git.reports.page.signs import (
    PASSED,
    SEVERITIES,
    interval_picture,
    interval_text,
    place,
    row_name,
    severity_sign,
    verdict_sign,
)
from wt_git.reports.page.tables import scrolling

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NOT_RUN = join(
    element("span", "—", aria_hidden="true"), element("span", "not run", class_="visually-hidden")
)


def search_form(labels: Sequence[str]) -> Markup:
    """Return what finds rows of the matrix; nothing when it has none."""
    if not labels:
        return Markup()
    search = element("input", type="search", id="matrix-search", autocomplete="off")
    unclean = element("input", type="checkbox", id="matrix-unclean")
    return element(
        "form",
        element("label", "Find scenario ", search),
        element("label", unclean, " only what did not pass everywhere"),
        element("span", id="matrix-count", role="status"),
        class_="controls needs-script",
        role="search",
        aria_label="Scenarios",
    )


def verdict_matrix(labels: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Markup:
    """Return the table of verdicts, or a sentence when there is none. Goes through `rows` once."""
    if not labels:
        return element("p", "There are no scored runs here yet.", class_="nothing")
    head = element(
        "tr",
        element("th", "Scenario", scope="col"),
        *(element("th", name_text(label), scope="col") for label in labels),
    )
    passed: Counter[str] = Counter()
    flown: Counter[str] = Counter()
    written = []
    for row in rows:
        written.append(_row(row, labels))
        flown.update(row["cells"].keys())
        passed.update(label for label, cell in row["cells"].items() if cell["verdict"] in PASSED)
    foot = [element("td", element("strong", f"{passed[one]}/{flown[one]}")) for one in labels]
    table = element(
        "table",
        element("caption", _CAPTION, class_="visually-hidden"),
        element("thead", head),
        element("tbody", *written),
        element("tfoot", element("tr", element("th", "Passed", scope="row"), *foot)),
        class_="matrix",
        id="matrix",
    )
    return scrolling(table, "Verdict matrix", "frame tall")


_CAPTION = (
    "Verdicts by scenario and label: the verdict, how many runs passed of those that count, and the 95% "
    "interval of the pass rate. Each verdict opens its layers and runs."
)


def _row(row: Mapping[str, Any], labels: Sequence[str]) -> Markup:
    name, cells = row_name(row), row["cells"]
    severity = _worst_severity(cells)
    head = element(
        "th",
        name_text(name),
        join(" ", severity_sign(severity)) if severity not in {None, "low"} else None,
        scope="row",
    )
    return element(
        "tr",
        head,
        *(_cell(name, label, cells.get(label)) for label in labels),
        data_clean=all(cell["verdict"] == "PASS" for cell in cells.values()),
    )


def _worst_severity(cells: Mapping[str, Any]) -> str | None:
    given = {(cell.get("failure_cost") or {}).get("severity") for cell in cells.values()}
    known = [severity for severity in SEVERITIES if severity in given]
    return known[-1] if known else None


def _cell(scenario: str, label: str, cell: Mapping[str, Any] | None) -> Markup:
    if cell is None:
        return element("td", _NOT_RUN, class_="absent")
    runs = cell.get("runs")
    link = element(
        "a",
        verdict_sign(cell["verdict"]),
        " ",
        element("span", f"{cell.get('passed', 0)}/{runs}", class_="count") if runs else None,
        href=place(scenario=scenario, label=label),
    )
    interval = cell.get("interval")
    told = interval_text(interval)
    range_ = element("span", told, class_="range") if told else None
    return element(
        "td",
        element("div", link, range_, *_notes(cell), class_="cell"),
        interval_picture(cell.get("gate_pass_rate"), interval) if told else None,
    )


def _notes(cell: Mapping[str, Any]) -> list[Markup]:
    """Return what a reader must know before comparing this cell with another."""
    notes = []
    if cell.get("tier") == "probe":
        notes.append("probe")
    if cell.get("rescored"):
        notes.append("rescored")
    if cell.get("invalid"):
        notes.append(f"{cell['invalid']} invalid")
    return [element("span", note, class_="note") for note in notes]
