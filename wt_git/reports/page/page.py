"""The page of `wt report`: one HTML file that needs nothing but a browser.

The verdicts, failures and costs stand in it as plain HTML, so they can be read without its script, in
print and in a mail. The script opens runs and compares labels. The details of a run stand in an
element of their own, which the browser keeps as text until a reader opens the run: the page is quick
with thousands of them. Its parts are in `templates/`, its looks in `style/`, its script in `script/`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec
from jinja2 import Environment, FileSystemLoader
from markupsafe import escape

from wt_git.api.json_values import json_value
from wt_git.records.documents.document import Document
from wt_git.reports.page import values
from wt_git.reports.page.values import (
    CostChart,
    VerdictMatrix,
    ended,
    is_clean,
    notes,
    worst_severity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

HERE = Path(__file__).parent
FILES = {
    "style": (
        "colours",
        "text",
        "controls",
        "marks",
        "tables",
        "failures",
        "costs",
        "detail",
        "print",
    ),
    "script": (
        "elements",
        "formatting",
        "report",
        "cell",
        "run",
        "detail",
        "comparison",
        "matrix",
        "address",
    ),
}
"""The files of the style sheet and of the script, in their order."""


_ROWS = "scenarios"
_ENCODER = msgspec.json.Encoder(enc_hook=os.fspath)
# Within JSON these three only occur inside strings, where an escape means the same character.
_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def write_page(
    document: Mapping[str, Any],
    details: Iterable[Mapping[str, Any]],
    stream: TextIO,
    *,
    matrix_rows: Iterable[Mapping[str, Any]] | None = None,
    to_json: Callable[[object], str] | None = None,
) -> None:
    """Write the page that shows `document` (docs/files.md, "Report") to `stream`.

    `details` are the details of its runs, in any order. Each is taken, written and let go, and so is
    each of the document's `scenarios`, so memory does not grow with either if both are made one at a
    time. `matrix_rows` are the same rows, and need no conversations: by default the `scenarios` are
    gone through twice. `to_json` writes rows and details, by default `embedded_json`.
    """
    to_json = to_json or embedded_json
    style, script, labels = page_style(), page_script(), document["variants"]
    parts = (
        environment()
        .get_template("page.html")
        .generate(
            document=document,
            labels=labels,
            policy=policy(style, script),
            style=style,
            script=script,
            verdict_counts=_verdict_counts(document.get("verdict_totals") or {}),
            matrix=VerdictMatrix(labels, matrix_rows or document[_ROWS]),
            costs=CostChart(document.get("cost_history") or ()),
            document_json=_document_json(document, to_json),
            runs=(_run_element(one, to_json) for one in details),
        )
    )
    stream.writelines(parts)


def _run_element(detail: Mapping[str, Any], to_json: Callable[[object], str]) -> str:
    key = escape(detail["data"])
    return (
        f'<script type="application/json" class="run-data" id="{key}">{to_json(detail)}</script>\n'
    )


@cache
def environment() -> Environment:
    """Return the environment of the page's templates."""
    made = Environment(
        autoescape=True,
        finalize=values.visible,
        loader=FileSystemLoader(HERE / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= values.FILTERS
    made.globals |= {
        "SEVERITIES": values.SEVERITIES,
        "ended": ended,
        "is_clean": is_clean,
        "is_number": values.is_number,
        "notes": notes,
        "place": values.place,
        "worst_severity": worst_severity,
    }
    return made


def _verdict_counts(totals: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return how often each verdict was given, the known ones first."""
    ordered = [one for one in values.VERDICTS if one in totals]
    ordered += [one for one in totals if one not in values.VERDICTS]
    return [(verdict, totals[verdict]) for verdict in ordered if totals[verdict]]


def _document_json(document: Mapping[str, Any], to_json: Callable[[object], str]) -> Iterator[str]:
    """Yield the document as JSON, the rows last."""
    head = embedded_json({key: value for key, value in document.items() if key != _ROWS})
    yield f'{head.removesuffix("}")}{"" if head == "{}" else ","}"{_ROWS}":['
    for number, row in enumerate(document[_ROWS]):
        yield f"{',' if number else ''}{to_json(row)}\n"
    yield "]}"


def embedded_json(value: object) -> str:
    """Return `value` as JSON for a `<script type="application/json">`.

    It is ASCII and holds none of `<`, `>` and `&`: no text in it can end the element, and no line
    separator or half surrogate pair reaches the page. What JSON cannot hold becomes its `repr`.
    """
    try:
        text = _compact(value)
    except (ValueError, TypeError, RecursionError):
        text = _compact(json_value(value))
    return text.translate(_MARKUP)


def quick_embedded_json(value: object) -> str:
    """Return the same as `embedded_json`, for a value that is known to hold no NaN and no infinity.

    The value may be a `Document`. It takes a fifth of the time where all text is ASCII.
    """
    data = None
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        data = _ENCODER.encode(value)
    if data is None or not data.isascii():
        return embedded_json(value.as_document() if isinstance(value, Document) else value)
    is_plain = not any(one in data for one in (b"<", b">", b"&"))
    return data.decode() if is_plain else data.decode().translate(_MARKUP)


def _compact(value: object) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def page_style() -> str:
    """Return the one style sheet of the page."""
    return "\n".join(_read(f"style/{name}.css") for name in FILES["style"])


def page_script() -> str:
    """Return the one script of the page; its declarations are local to it."""
    body = "\n".join(_read(f"script/{name}.js") for name in FILES["script"])
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def policy(style: str, script: str) -> str:
    """Return a policy by which the browser only applies this style and runs this script.

    It may load nothing, send nothing, and turn no text into markup.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _read(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
