"""What starting the program loads: a list of modules rather than a stopwatch."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# What costs several times the start of an interpreter each.
HEAVY = {"httpx", "mcp", "mcp_types", "pydantic", "pygit2", "rich", "starlette", "uvicorn"}


def loaded_after(code):
    """The names of all modules that are loaded once a fresh interpreter has run `code`."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"  # site-packages may load things of their own at start-up
        f"try:\n    {code}\nexcept SystemExit:\n    pass\n"
        "import json\n"
        "print('\\n' + json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def third_party(modules):
    return {name.partition(".")[0] for name in modules} - {
        "wt_git",
        "windtunnel",
        *sys.stdlib_module_names,
    }


def command(*args):
    return f"from wt_git.cli import main; main({list(args)!r})"


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["-h"], []])
def test_the_overview_loads_nothing_from_elsewhere(args):
    """Asking for the version or the list of commands costs little more than an interpreter."""
    modules = loaded_after(command(*args))
    assert third_party(modules) == set()
    assert "importlib.metadata" not in modules
    assert not [name for name in modules if name.startswith(("wt_git.sweep", "wt_git.records"))]


@pytest.mark.parametrize(
    "args",
    [
        ["run", "--help"],
        ["watch", "--help"],
        ["batch", "--help"],
        ["report", "--help"],
        ["rescore", "--help"],
        ["replay", "--help"],
        ["nonsense"],
    ],
)
def test_help_of_a_command_loads_nothing_heavy(args):
    """A command is described without what it takes to carry it out."""
    assert third_party(loaded_after(command(*args))) & HEAVY == set()


def test_completing_the_name_of_a_command_loads_nothing_from_elsewhere():
    """It happens while somebody types."""
    assert third_party(loaded_after(command("__complete", "bash", "1", "wt", "re"))) == set()


@pytest.mark.parametrize("words", [["run", "--r"], ["triage", "--label", ""], ["notes", ""]])
def test_completing_the_rest_of_a_line_loads_nothing_heavy(words):
    """Options come from the command as it is declared, labels from lines of text."""
    asked = command("__complete", "bash", str(len(words)), "wt", *words)
    assert third_party(loaded_after(asked)) & HEAVY == set()


@pytest.mark.parametrize("root", ["windtunnel", "wt_git"])
def test_the_api_is_standard_library_only(root):
    """A scenario author's import pulls in nothing that a machine may lack, and little at all."""
    modules = loaded_after(f"import {root}.api")
    assert third_party(modules) == set()
    assert "typing" not in modules
    every_name = loaded_after(f"import {root}.api as a; [getattr(a, n) for n in a.__all__]")
    assert third_party(every_name) == set()


@pytest.mark.parametrize(
    "module", ["spi", "runner.batch", "scenarios", "sweep.run_lock.runtime_lock", "config"]
)
def test_the_seams_are_cheap(module):
    """What plugins and hooks import loads no third party."""
    assert third_party(loaded_after(f"import wt_git.{module}")) == set()


def test_a_sweep_in_a_pipe_loads_no_display_and_no_server(tmp_path):
    """A run on the built-in runtime without tools needs neither rich nor an HTTP stack."""
    pack = tmp_path / "pack.py"
    pack.write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack(name='p', scenarios=[Scenario(name='s', user_turns=['hi'])])\n"
    )
    arguments = ["run", "--pack-source", f"{pack}:PACK", "--runs-dir", str(tmp_path / "runs")]
    modules = loaded_after(command(*arguments))
    assert third_party(modules) & {*HEAVY, "pydantic_core"} == set()
    # Nor what looks for packages, where none registers anything, nor what other sweeps need.
    assert "importlib.metadata" not in modules
    unused = {"reports.junit", "sweep.gate_check", "api.perturbations.prior_calls", "mcp", "triage"}
    unused |= {"api.answers.numbers", "api.answers.polarity"}
    assert unused & {name.removeprefix("wt_git.") for name in modules} == set()


def test_results_load_no_git_and_no_sweep(tmp_path):
    """What is on disk is tabulated without what would make more of it."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for more in ([], ["--ladder"]):
        modules = loaded_after(command("results", "--runs", str(runs), *more))
        assert third_party(modules) & HEAVY == set()
        ours = {name.split(".")[1] for name in modules if name.startswith("wt_git.")}
        assert ours & {"sweep", "runner", "git", "evidence", "githooks"} == set()


def test_a_verification_loads_no_log_no_sweep_and_no_format_but_its_own(tmp_path, monkeypatch):
    """CI waits for it; fetching, other forms of the answer and other commands are not its walk."""
    monkeypatch.chdir(tmp_path)
    for args in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *args], check=True
        )
    modules = loaded_after(command("verify"))
    assert "wt_git.evidence.coverage.rules" in modules
    ours = [name.removeprefix("wt_git.") for name in modules if name.startswith("wt_git.")]
    foreign = ("api", "sweep", "runner", "reports", "records.ledger.ledger", "records.runs")
    unused = ("evidence.reviews", "evidence.notes.show", "evidence.notes.sweep_notes")
    assert [name for name in ours if name.startswith((*foreign, *unused))] == []


def test_a_triage_loads_no_git_and_no_sweep(tmp_path):
    """Saved runs are classified without what would make more of them."""
    modules = loaded_after(command("triage", "--runs", str(tmp_path)))
    assert third_party(modules) & HEAVY == set()
    ours = {name.split(".")[1] for name in modules if name.startswith("wt_git.")}
    assert ours & {"sweep", "runner", "git", "evidence", "githooks"} == set()
    assert "triage" in ours
    assert "wt_git.api.answers" not in modules  # the rules of scoring


def test_a_conversation_is_checked_and_imported_with_little(tmp_path):
    """Exporters call this in a loop: click and the standard library are enough."""
    talk = tmp_path / "talk.wtin.json"
    talk.write_text('{"windtunnel_interchange": 1, "session": {"model": "m"}, "messages": []}')
    imported = ["import", "--trace", str(talk), "--out", str(tmp_path / "imported")]
    for arguments in (["validate", str(talk)], imported):
        modules = loaded_after(command(*arguments))
        assert third_party(modules) == {"click"}
        ours = {name.split(".")[1] for name in modules if name.startswith("wt_git.")}
        assert ours & {"sweep", "runner", "git", "evidence", "records", "mcp"} == set()
    assert (tmp_path / "imported" / "scenario.py").is_file()


@pytest.mark.parametrize("form", ["json", "markdown", "html"])
def test_a_report_loads_no_sweep_and_git_only_for_a_file(tmp_path, form):
    """Whether git tracks the file that is to be written, only git knows."""
    runs = tmp_path / "runs"
    runs.mkdir()
    out = ["--out", str(tmp_path / "report.html")] if form == "html" else []
    modules = loaded_after(command("report", "--runs", str(runs), "--format", form, *out))
    assert third_party(modules) & HEAVY == set()
    ours = {name.split(".")[1] for name in modules if name.startswith("wt_git.")}
    assert ("jinja2" in modules) == (form == "html")
    assert "wt_git.api.answers" not in modules  # the rules of scoring
    of_a_file = {"git", "evidence"} if out else set()
    assert ours & {"sweep", "runner", "git", "evidence", "githooks"} == of_a_file


def test_scoring_again_loads_no_git_no_runtime_and_no_display(tmp_path):
    """Many traces are read for it, and nothing is run."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "copy.json").write_text('{"windtunnel_trace": 1, "turns": []}')
    modules = loaded_after(command("rescore", "--runs", str(runs)))
    assert "wt_git.rescore" in modules
    assert third_party(modules) & HEAVY == set()
    ours = {name.removeprefix("wt_git.").partition(".")[0] for name in modules}
    assert ours & {"git", "evidence", "githooks", "runtimes", "ladder"} == set()


def test_a_watch_loads_what_reads_lines(tmp_path):
    """It may run beside every sweep, for hours."""
    modules = loaded_after(command("watch", "--runs", str(tmp_path), "--timeout", "0.01"))
    assert third_party(modules) & HEAVY == set()
    ours = {name.split(".")[1] for name in modules if name.startswith("wt_git.")}
    assert ours & {"runner", "git", "evidence", "githooks", "api"} == set()
