"""Whatever stands in a runs directory, what is printed about it is text: on both streams, everywhere."""

from __future__ import annotations

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kit.commands import WT, wt
from kit.hostile_runs import HOSTILE, LABELS, SCENARIO, write_hostile_runs

# Whatever a terminal obeys or a reader splits lines at, but for the line breaks of our own.
OBEYED = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
FORGED = re.compile(
    r"^\s*::error|^(wt results: forged|\| a |# head|- item|```)|##\[error", re.MULTILINE
)
MARKUP = re.compile(r"<(?!!--$)|(?<!\\)!\[|(?<!\\)\]\(|(?<!\\)\*\*bold|@somebody|(?<!\\)`code")
# As they are typed: an argument holds no null byte, and half a pair is recorded as U+FFFD.
TYPED = [one.replace("\ud800", "").replace("\0", "") for one in (*LABELS, SCENARIO)]

TEXT = {
    "results": ["results"],
    "results of a label": ["results", "--label", TYPED[0], "--label", "x"],
    "results of a scenario": ["results", "--scenario", TYPED[2]],
    "ladder": ["results", "--ladder"],
    "compare": ["compare", "--labels", TYPED[0], TYPED[1]],
    "rescore": ["rescore"],
    "rescore a label": ["rescore", "--label", TYPED[0]],
    "rescore with a pack": ["rescore", "--pack", TYPED[0], "--tag", TYPED[1]],
    "rescore from a source": ["rescore", "--pack-source", f"{TYPED[0]}.py:PACK"],
    "report of a label": ["report", "--label", TYPED[0]],
    "review": ["review", TYPED[0], "--no-change"],
    "watch": ["watch", TYPED[0]],
    "a wrong format": ["results", "--format", TYPED[0]],
    "a wrong option": ["results", f"--{TYPED[0]}"],
    "too much": ["results", TYPED[0]],
}
MARKDOWN = {
    "results": ["results", "--format", "markdown"],
    "report": ["report", "--format", "markdown"],
    "triage": ["triage"],
}
JSON = {
    "results": ["results", "--json"],
    "ladder": ["results", "--ladder", "--json"],
    "report": ["report", "--format", "json"],
    "triage": ["triage", "--json"],
    "rescore": ["rescore", "--json"],
}
WITHOUT_RUNS = {
    "replay": ["replay", "--trace", TYPED[0]],
    "replay a record": ["replay", "--trace", "runs/ledger.ndjsonl"],
    "import": ["import", "--trace", TYPED[0], "--out", "made"],
    "import a record": ["import", "--trace", "runs/ledger.ndjsonl", "--out", "made"],
    "validate": ["validate", TYPED[0]],
    "validate a record": ["validate", "runs/ledger.ndjsonl"],
    "completion": ["completion", TYPED[0]],
    "no command": [TYPED[0]],
}


@pytest.fixture(autouse=True)
def runs() -> None:
    write_hostile_runs(Path("runs"))


def inert(ran: object) -> None:
    """Both streams hold nothing that is obeyed, and no line that only looks like one of ours."""
    for text in (ran.out, ran.err):  # type: ignore[attr-defined]
        assert not OBEYED.search(text)
        assert not FORGED.search(text)
    assert "defect" not in ran.err  # type: ignore[attr-defined]
    assert "Traceback" not in ran.err  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", TEXT)
def test_text(command: str) -> None:
    """For a terminal, and for a log that a service reads."""
    ran = wt(*TEXT[command], "--runs", "runs")
    inert(ran)
    assert ran.code in {0, 2}


@pytest.mark.parametrize("command", WITHOUT_RUNS)
def test_what_is_given_is_shown_inert(command: str) -> None:
    """Names of files, and what stands in them."""
    ran = wt(*WITHOUT_RUNS[command])
    inert(ran)
    assert ran.code in {1, 2}


@pytest.mark.parametrize("command", MARKDOWN)
def test_markdown(command: str) -> None:
    """Of which nothing in a run makes markup, a link, a picture or a mention of somebody."""
    ran = wt(*MARKDOWN[command], "--runs", "runs")
    inert(ran)
    assert ran.code == 0
    assert "forged" in ran.out
    assert not MARKUP.search(ran.out)


@pytest.mark.parametrize("command", JSON)
def test_json(command: str) -> None:
    """A document means what stands in the files, and shows nothing of it raw."""
    ran = wt(*JSON[command], "--runs", "runs")
    inert(ran)
    assert ran.code == (2 if command == "rescore" else 0)
    assert HOSTILE.replace("\ud800", "\ufffd") in _texts(json.loads(ran.out))


def _texts(value: object) -> str:
    """Return all texts of a document, one behind the other."""
    if isinstance(value, dict):
        return "".join(_texts(one) for item in value.items() for one in item)
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return str(value)


def test_records_of_a_run() -> None:
    """One line of JSON each, which no terminal and no service obeys; here that of a refusal."""
    ran = wt("run", "--json", "--scenario", TYPED[2], "--runs-dir", "made")
    inert(ran)
    assert ran.code == 2
    (line,) = ran.out.splitlines()
    assert json.loads(line)["facts"]["unmatched"][0]["value"] == TYPED[2]


class Elements(HTMLParser):
    """Which tags a page has, with the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_html() -> None:
    """One script of ours, data that stays data, no picture, no address, no handler."""
    ran = wt("report", "--runs", "runs")
    inert(ran)
    assert ran.code == 0
    text = Path("report.html").read_text("utf-8")
    assert not OBEYED.search(text)
    page = Elements(text)
    assert not set(page.tags) & {"img", "iframe", "object", "embed", "base"}
    assert not {name for name in page.attributes if name.startswith("on") or name == "src"}
    assert text.count("<script>") == 1
    assert "alert(1)</script>" not in text
    for found in re.findall(
        r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL
    ):
        json.loads(found)
        assert not set(found) & set("<>&\u2028\u2029")


def test_compare_of_labels_that_hold_it() -> None:
    """A label as it was recorded can be asked for, and is shown inert in all three forms."""
    for path in Path("runs").rglob("*.json"):
        if path.stat().st_size > 1:
            path.write_text(path.read_text("utf-8").replace("\\u0000", "").replace("\\ud800", ""))
    ledger = Path("runs/ledger.ndjsonl")
    ledger.write_text(ledger.read_text("utf-8").replace("\\u0000", "").replace("\\ud800", ""))
    for form in ("text", "json", "markdown"):
        ran = wt("compare", "--labels", TYPED[0], TYPED[1], "--format", form)
        inert(ran)
        assert ran.code in {0, 1}
        assert ran.out
        if form == "markdown":
            assert not MARKUP.search(ran.out)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    """What a shell is told has one line for each candidate."""
    words = ["wt", "results", "--runs", "runs", "--label", ""]
    done = subprocess.run(
        [*WT, "__complete", shell, str(len(words) - 1), *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not OBEYED.search(done.stdout.replace("\t", ""))
    assert not FORGED.search(done.stdout)
