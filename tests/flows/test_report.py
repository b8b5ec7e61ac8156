"""`wt report` as a user meets it: where it goes, what is refused, and what it says of a real sweep."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.commands import WT, write_pack, write_plugin, wt
from kit.saved_runs import run_id, save_run
from kit.traces import assistant, user

from wt_git.records.layout import sidecar_path

if TYPE_CHECKING:
    from kit.repo import Repo

ASKED = ("--question", "does it still answer?", "--expect", "pass")


def document(*arguments: str) -> dict[str, Any]:
    ran = wt("report", "--format", "json", *arguments)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def page_data(path: Path | str = "report.html") -> dict[str, Any]:
    """The document inside a page, which must hold nothing that ends it."""
    text = Path(path).read_text("utf-8")
    found = re.search(r'<script [^>]*id="bench-data"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found is not None
    assert not set(found[1]) & set("<>&\u2028\u2029")
    return json.loads(found[1])


def test_a_real_sweep_is_reported_in_every_format() -> None:
    """The page, its document and the Markdown agree, and nothing is run for them."""
    write_pack()
    wt("run", "--pack-source", "pack.py:PACK", "--label", "base", "--runs", "2", *ASKED)
    before = {path for path in Path("runs").rglob("*") if path.is_file()}
    page = wt("report")
    assert (page.code, page.out, page.err) == (0, "", "wt report: wrote: report.html\n")
    found = document()
    assert found["summary"]["outcome_pass_rate"] == 0.5
    assert [row["scenario_id"] for row in found["scenarios"]] == ["fails", "passes"]
    cell = found["scenarios"][0]["cells"]["base"]
    assert (cell["verdict"], cell["runs"], cell["pack"]) == ("FAIL", 2, "demo")
    assert cell["aggregate"]["windtunnel_ledger"] == 1
    assert [one["outcome"] for one in found["cost_history"]] == ["fail"]
    assert found["predictions"]["regression"]["predictions"] == 1
    shown = wt("report", "--format", "markdown")
    assert (shown.code, shown.err) == (0, "")
    assert "| fails | FAIL n=0 |" in shown.out
    assert "| **passed** | **1/2** |" in shown.out
    same = {**found, "generated_at": ""}
    assert {**page_data(), "generated_at": ""} == same
    after = {path for path in Path("runs").rglob("*") if path.is_file()}
    assert {path.name for path in after - before} == {".wt-outputs"}


def test_the_page_shows_which_turn_failed_and_why() -> None:
    """Of every run, in an element of its own."""
    write_pack()
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "fails")
    assert wt("report").code == 0
    text = Path("report.html").read_text("utf-8")
    (run,) = re.findall(r'<script [^>]*class="run-data"[^>]*>(.*?)</script>', text, re.DOTALL)
    detail = json.loads(run)
    assert (detail["failed_turn"], detail["evidence"]) == (1, "transcript")
    assert detail["failed_because"].startswith("outcome: missing facts")
    assert [turn["role"] for turn in detail["turns"]] == ["user", "assistant"]


def test_a_run_that_broke_is_reported_as_one() -> None:
    """Where the conversation ended."""
    write_pack()
    broken = write_plugin(send="raise RuntimeError('down')")
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes", "--runtime", broken)
    (failure,) = document()["failures"]
    assert (failure["verdict"], failure["decided_by"]) == ("INVALID", ["integrity"])
    assert "down" in failure["detail"]


@pytest.mark.parametrize("form", ["html", "json", "markdown"])
def test_every_format_goes_where_it_is_told(form: str) -> None:
    """Folders on the way are made, the file is remembered once, and may be written again."""
    save_run(Path("runs"), 1)
    for _ in range(2):
        ran = wt("report", "--format", form, "--out", "out/there.x")
        assert (ran.code, ran.out) == (0, "")
        assert ran.err == "wt report: wrote: out/there.x\n"
    assert Path("runs/.wt-outputs").read_text().splitlines() == [str(Path("out/there.x").resolve())]
    assert [path.name for path in Path("out").iterdir()] == ["there.x"]


def test_the_report_of_another_directory_may_take_its_place() -> None:
    """It is known by its look; everything else is somebody's."""
    save_run(Path("one"), 1)
    save_run(Path("two"), 2)
    assert wt("report", "--runs", "one").code == 0
    assert wt("report", "--runs", "two").code == 0
    assert page_data()["runs_dir"] == "two"
    Path("mine.html").write_text("<p>mine</p>")
    ran = wt("report", "--runs", "one", "--out", "mine.html")
    assert ran.code == 2
    assert "--out 'mine.html' exists and no earlier wt command" in ran.err
    assert Path("mine.html").read_text() == "<p>mine</p>"


def test_a_missing_directory_is_refused_and_nothing_is_made() -> None:
    """An empty one has an empty report."""
    ran = wt("report", "--runs", "nowhere")
    assert (ran.code, ran.out) == (2, "")
    assert "wt report: runs directory not found: 'nowhere'" in ran.err
    assert list(Path().iterdir()) == []
    Path("empty").mkdir()
    ran = wt("report", "--runs", "empty")
    assert ran.code == 0
    assert "no scored runs found under 'empty'" in ran.err
    assert page_data()["scenarios"] == []
    assert document("--runs", "empty")["scenario_count"] == 0
    assert (
        "# Wind Tunnel report: no runs"
        in wt("report", "--runs", "empty", "--format", "markdown").out
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--label", "x"], "no runs with label(s): x; labels present: candidate"),
        (["--scenario", "x"], "no scenario matched x; there is: lookup_order"),
        (["--out", "."], "--out '.' is a folder"),
        (["--out", "agent.py"], "--out 'agent.py' is where code or its configuration belongs"),
        (["--out", "runs/ledger.ndjsonl"], "is where wt keeps its records"),
        (["--out", "a\nb.html"], "--out may not hold a line break"),
        (["--out", "file/x.html"], "could not write --out 'file/x.html'"),
        (["--out", "/dev/full"], "--out '/dev/full' cannot be written: it is not a regular file"),
        (["--format", "pdf"], "Invalid value for '--format'"),
    ],
)
def test_what_cannot_be_done_is_refused(asked: list[str], said: str) -> None:
    """Nothing is written, and nothing is remembered as being ours."""
    save_run(Path("runs"), 1)
    Path("file").write_text("")
    before = sorted(Path().rglob("*"))
    ran = wt("report", *asked)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert sorted(Path().rglob("*")) == before


def test_a_file_that_git_tracks_is_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is under test, and would not be any more."""
    repo.write({"report.html": "ours"})
    repo.commit("page")
    monkeypatch.chdir(repo.path)
    save_run(Path("runs"), 1)
    ran = wt("report")
    assert ran.code == 2
    assert "the report 'report.html' is a file that git tracks" in ran.err
    assert not Path("runs/.wt-outputs").exists()


def test_a_report_in_the_repository_makes_nothing_stale(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left out of what is under test."""
    monkeypatch.chdir(repo.path)
    write_pack()
    repo.commit("pack")
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes")
    assert wt("report", "--out", "docs.html").code == 0
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes", *ASKED)
    lines = Path("runs/ledger.ndjsonl").read_text().splitlines()
    first, second = (json.loads(line)["experiment"]["fingerprint"] for line in lines)
    assert first == second
    assert first.startswith("sha256:")


def test_a_report_that_was_remembered_from_the_top_of_the_repository_is_one_too(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From whichever folder somebody works: it may be written again, and makes nothing stale."""
    repo.write({"work/a": "", "docs/other.html": "of another wt"})
    monkeypatch.chdir(repo.path / "work")
    write_pack()
    Path("runs").mkdir()
    Path("runs/.wt-outputs").write_text("./docs/other.html\n")
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes")
    Path("../docs/other.html").write_text("changed")
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "passes", *ASKED)
    lines = Path("runs/ledger.ndjsonl").read_text().splitlines()
    first, second = (json.loads(line)["experiment"]["fingerprint"] for line in lines)
    assert first == second
    assert wt("report", "--out", "../docs/other.html").code == 0


def test_a_report_that_cannot_be_remembered_is_written_all_the_same() -> None:
    """What follows from that is said."""
    save_run(Path("runs"), 1)
    Path("runs/.wt-outputs").mkdir()
    ran = wt("report")
    assert ran.code == 0
    assert "note: could not write 'runs/.wt-outputs': Is a directory" in ran.err
    assert "'report.html' will be part of what is under test" in ran.err
    assert page_data()["scenario_count"] == 1


def test_a_full_disk_leaves_no_half_a_page() -> None:
    """The report that was there stays."""
    save_run(Path("runs"), 1, turns=[user("x" * 300_000)])
    assert wt("report").code == 0
    before = Path("report.html").read_bytes()
    limited = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from wt_git.cli import main\n"
        "sys.exit(main(['report']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "wt report: could not write the report 'report.html': File too large" in done.stderr
    assert Path("report.html").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["report.html", "runs"]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
def test_a_signal_leaves_the_old_report_and_nothing_else(number: int, code: int) -> None:
    """A half of a page in a repository would be part of what is under test."""
    for run in range(300):
        save_run(Path("runs"), run, label=f"label-{run % 60}")
    wt("report", "--label", "label-0")
    before = Path("report.html").read_bytes()
    process = subprocess.Popen([*WT, "report"], stderr=subprocess.DEVNULL)
    while not list(Path().glob(".report.html.*")):
        assert process.poll() is None
    process.send_signal(number)
    assert process.wait(timeout=30) == code
    assert Path("report.html").read_bytes() == before
    assert list(Path().glob(".report.html.*")) == []


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    """As `wt report --format json | head` does."""
    for number in range(30):
        save_run(Path("runs"), number, scenario=f"s{number}", turns=[user("x" * 20_000)])
    with subprocess.Popen(
        [*WT, "report", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
        process.wait(60)
    assert (process.returncode, said) == (1, b"")


def test_what_is_broken_is_counted_on_stderr_and_in_the_report() -> None:
    """It hides nothing else."""
    save_run(Path("runs"), 1)
    save_run(Path("runs"), 2).write_bytes(b'{"windtunnel_trace": 1, ')
    sidecar_path(save_run(Path("runs"), 3)).unlink()
    Path("runs/other-tool.json").write_text('{"version": 3}')
    ran = wt("report", "--format", "json")
    assert ran.code == 0
    remarks = json.loads(ran.out)["remarks"]
    assert len(remarks) == 2
    assert ran.err.splitlines() == [f"wt report: {remark}" for remark in remarks]
    assert "(trace is not JSON)" in remarks[0]


HOSTILE = "</script><script>alert(1)</script>&lt;\u2028\x1b[2J\u202e"


def test_what_agents_wrote_is_inert_in_every_format() -> None:
    """Markup, scripts, what a terminal obeys, and what turns the direction of writing."""
    save_run(
        *(Path("runs"), 1),
        scenario=HOSTILE,
        label=HOSTILE,
        layers={"outcome": False},
        model=HOSTILE,
        turns=[user(HOSTILE), assistant(HOSTILE, {"name": HOSTILE})],
        metrics={HOSTILE: HOSTILE},
    )
    assert document()["scenarios"][0]["scenario_id"] == HOSTILE
    for form in ("json", "markdown"):
        assert not set(wt("report", "--format", form).out) & set("\x1b\u202e\u2028")
    assert "<" not in wt("report", "--format", "markdown").out
    assert wt("report").code == 0
    page = Path("report.html").read_text("utf-8")
    assert "alert(1)</script>" not in page
    assert "<script>alert" not in page
    assert page_data()["scenarios"][0]["scenario_id"] == HOSTILE


def test_labels_and_scenarios_narrow_it() -> None:
    """Both repeatable, as in results."""
    for number, label in enumerate(["a", "b", "c"], 1):
        save_run(Path("runs"), number, label=label)
        save_run(Path("runs"), number + 10, label=label, scenario="refund")
    found = document("--label", "a", "--label", "c", "--scenario", "look*", "--scenario", "x*")
    assert (found["variants"], found["scenario_count"]) == (["a", "c"], 1)
    assert found["remarks"] == ["no scenario matched x*"]
    assert found["scenarios"][0]["cells"]["c"]["trace"]["run_id"] == run_id(3)
