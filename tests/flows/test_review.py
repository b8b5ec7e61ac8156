"""`wt review` and `wt results --ladder`, as a user meets them after real sweeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.commands import experiments, write_pack, wt
from kit.experiment_lines import cost, finished, reviewed, usd, write_experiments
from kit.projects import Project, bare, new_project
from kit.repo import Repo

NOTES = "refs/windtunnel/notes"
DECIDE = ("--decision", "keep the retry limit")


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    """A project that is set up, as working directory."""
    made = new_project(tmp_path / "project", bare(tmp_path / "remote.git"))
    monkeypatch.chdir(made.path)
    return made


def noted(repo: Repo) -> list[str]:
    """Every line of every record in the notes."""
    paths = repo.git("ls-tree", "-r", "--name-only", NOTES).split("\n")
    return [
        line
        for path in paths
        if path.count("/") > 1
        for line in repo.git("show", f"{NOTES}:{path}").split("\n")
    ]


def test_a_review_is_recorded_in_silence_and_stands_in_the_notes(project):
    """The same line in both, whose bytes are the same; git's journal says it in words."""
    sweep = project.experiment()
    ran = wt("review", sweep, *DECIDE)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    line = Path("runs/experiments.ndjsonl").read_text("utf-8").split("\n")[-2]
    assert json.loads(line)["decision"] == "keep the retry limit"
    assert line in noted(project)
    assert sweep in project.git("log", "-1", "--format=%s", NOTES)
    assert json.loads(wt("notes", "show", "--json").out)["sweeps"][0]["records"][-1]["decision"]
    rebuilt = wt("notes", "rebuild")
    assert "all was there already" in rebuilt.out


def test_the_review_of_a_sweep_covers_nothing_more_and_nothing_less(project):
    """It says what people made of the evidence, and is none."""
    sweep = project.experiment()
    before = wt("verify")
    wt("review", sweep, *DECIDE)
    after = wt("verify")
    assert (after.code, after.out) == (before.code, before.out)
    assert before.code == 0


def test_a_review_reaches_a_clone(project):
    """Whoever reads the notes learns what came of a sweep."""
    sweep = project.experiment()
    wt("review", sweep, *DECIDE)
    assert wt("sync").code == 0
    remote = Repo(project.path.parent / "remote.git")
    assert [line for line in noted(remote) if '"kind": "review"' in line]


def test_the_ladder_counts_what_was_run_predicted_and_decided(project):
    """From real sweeps, in the words of the ladder."""
    first = project.experiment()
    ran = wt("results", "--ladder")
    assert ran.code == 0
    heading, line = ran.out.splitlines()
    assert heading == "ladder under runs"
    assert line.startswith("  focused     1 sweep; ")
    assert line.endswith("s wall; tokens unknown; 1/1 predictions held; none reviewed")
    wt("review", first[:6], "--no-change")
    assert wt("results", "--ladder").out.rstrip().endswith("; 0/1 reviewed changed a decision")
    wt("review", first, *DECIDE)
    document = json.loads(wt("results", "--ladder", "--json").out)
    entry = document["tiers"]["focused"]
    assert (entry["reviewed"], entry["changed_decision"], entry["sweeps"]) == (1, 1, 1)
    assert (entry["input_tokens"], entry["tokens_reported"]) == (None, 0)
    assert entry["wall_s"] == experiments()[0]["cost"]["wall_s"]


def test_a_sweep_that_has_not_ended_cannot_be_reviewed(project):
    """The rows of a killed sweep are there, and nobody knows what it would have found."""
    project.experiment()
    Path("runs/experiments.ndjsonl").unlink()
    sweep = json.loads(Path("runs/ledger.ndjsonl").read_text())["sweep_id"]
    ran = wt("review", sweep, "--no-change")
    assert ran.code == 2
    assert f"no finished sweep '{sweep}'" in ran.err
    assert ran.out == ""
    assert not Path("runs/experiments.ndjsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "token"),
    [
        ([], "exactly one of"),
        (["--no-change", "--decision", "x"], "exactly one of"),
        (["--decision", " "], "--decision is blank"),
        (["--decision", ""], "--decision is blank"),
    ],
)
def test_a_review_without_an_answer_is_refused(arguments, token):
    """Nothing is printed as data and nothing is written."""
    path = write_experiments(Path("runs"), finished())
    before = path.read_bytes()
    ran = wt("review", "000000000001", *arguments)
    assert ran.code == 2
    assert token in ran.err
    assert ran.out == ""
    assert path.read_bytes() == before


def test_a_number_of_runs_is_no_directory():
    """`--runs` counts for `wt run` and names a directory everywhere else."""
    for command in (["review", "abcd", "--no-change"], ["results"], ["results", "--ladder"]):
        ran = wt(*command, "--runs", "3")
        assert ran.code == 2
        assert "--runs names a directory here" in ran.err
    Path("5").mkdir()
    assert "names a directory here" not in wt("results", "--ladder", "--runs", "5").err


def test_reviews_of_several_at_once_are_all_there(tmp_path):
    """Each is one line, whoever else writes."""
    write_experiments(Path("runs"), *(finished(number) for number in range(1, 4)))
    for number in (1, 2, 3, 2):
        assert wt("review", f"{number:012x}", "--decision", "d").code == 0
    assert [one["sweep_id"][-1] for one in experiments()[3:]] == ["1", "2", "3", "2"]


def test_no_finished_sweep_is_said():
    """In a directory that is not there, that is empty, and that holds reviews alone."""
    ran = wt("results", "--ladder")
    assert (ran.code, ran.out) == (2, "")
    assert "no finished sweeps recorded" in ran.err
    assert "runs directory not found" in ran.err
    assert not Path("runs").exists()
    Path("runs").mkdir()
    assert "no finished sweeps recorded in 'runs'" in wt("results", "--ladder").err
    write_experiments(Path("runs"), reviewed(), "torn")
    ran = wt("results", "--ladder", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "1 line(s) of experiments.ndjsonl were passed over" in ran.err


@pytest.mark.parametrize("more", [["--label", "x"], ["--scenario", "x"]])
def test_the_ladder_takes_no_label_and_no_scenario(more):
    """Its sweeps are whole; an ignored filter would answer another question."""
    write_experiments(Path("runs"), finished())
    ran = wt("results", "--ladder", *more)
    assert ran.code == 2
    assert "it takes no --label or --scenario" in ran.err


def test_lines_that_were_passed_over_are_counted_once_on_stderr():
    """What can be read is shown all the same."""
    write_experiments(Path("runs"), finished(), "{torn", finished(2, windtunnel_experiment=2))
    ran = wt("results", "--ladder")
    assert ran.code == 0
    assert ran.err.count("\n") == 1
    assert "2 line(s) of experiments.ndjsonl were passed over" in ran.err


def test_money_is_shown_once_a_sweep_had_a_price():
    """By tier and together; the document has what the text rounds."""
    write_experiments(
        Path("runs"),
        finished(1, tier="probe", cost_usd=usd()),
        finished(2, cost_usd=usd(None, None, None, 0.5, 0.5, tokens_known=False)),
        finished(3, cost=cost(out=None)),
    )
    ran = wt("results", "--ladder")
    assert ran.out.splitlines()[-1] == "cumulative: $0.5504"
    assert "total 0.0504 (1/1 priced, 0 tokens unknown)" in ran.out
    document = json.loads(wt("results", "--ladder", "--json").out)
    assert document["cumulative_cost_usd"] == 0.5504
    assert list(document["tiers"]) == ["probe", "focused"]
    assert document["tiers"]["focused"]["tokens_reported"] == 1


def test_what_a_stranger_wrote_moves_no_cursor():
    """Also in the JSON, which people look at."""
    write_experiments(Path("runs"), finished(tier="\x1b[2J\u202eprobe"))
    for arguments in ([], ["--json"]):
        ran = wt("results", "--ladder", *arguments)
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out


def test_a_priced_pack_of_real_sweeps_adds_up(project):
    """What the rows cost is what the ladder says, to the last digit."""
    pricing = "[tool.windtunnel.ladder.pricing]\ntime_per_hour = 3600.0\n"
    (project.path / "pyproject.toml").write_text(pricing)
    write_pack("two.py", name="two", scenarios=[("a", "ok", []), ("b", "ok", [])])
    assert wt("run", "--pack-source", "two.py:PACK").code == 0
    (record,) = experiments()
    entry = json.loads(wt("results", "--ladder", "--json").out)["tiers"]["regression"]
    assert entry["cost_usd"] == record["cost_usd"]["total"]
    assert entry["tokens_unknown_sweeps"] == 1
    assert entry["output_usd"] is None
