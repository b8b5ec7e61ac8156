"""Whatever a person gets wrong is one clear message and an exit code, never a traceback."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.commands import events, ledger, write_pack, write_plugin, wt

if TYPE_CHECKING:
    from kit.repo import Repo

REFUSED = [
    (["--runs", "0"], "must be at least 1, got 0"),
    (["--runs", "three"], "expected an integer, got 'three'"),
    (["--max-concurrency", "0"], "must be at least 1"),
    (["--format", "json"], "--format and --out must be provided together"),
    (["--out", "x.json"], "--format and --out must be provided together"),
    (["--format", "yaml", "--out", "x"], "'yaml' is not one of"),
    (["--no-such-option"], "No such option"),
    (["--scenario", "paases"], "did you mean passes?"),
    (["--scenario", "PASSES"], "did you mean passes?"),
    (["--scenario", "zzz*"], "unknown scenario(s): zzz*"),
    (["--tag", "nope"], "unknown tag(s): nope"),
    (["--pack", "dmeo"], "did you mean demo?"),
    (["--owner", "me"], "unknown owner(s): me"),
    (["--scenario", "passes", "--pack", "tool_affordance"], "no scenario matches all of them"),
    (["--runtime", "in_memroy"], "did you mean in_memory?"),
    (["--runtime", "absent.module:PLUGIN"], "could not load runtime plugin"),
    (["--runtime", "absent.py:PLUGIN"], "there is no file 'absent.py'"),
    (["--runtime", "pack.py:PACK"], "without a build("),
    (["--scheduler", "paralel"], "unknown scheduler 'paralel'"),
    (["--scheduler", "pack.py:PACK"], "must name a windtunnel.spi.Scheduler"),
    (["--scheduler", "absent:Class"], "could not load scheduler"),
    (["--hook", "debrif"], "unknown hook 'debrif'"),
    (["--soul", "absent.md"], "--soul file not found: 'absent.md'"),
    (["--agents", "."], "--agents file not found: '.' (it is a folder)"),
    (["--pack-source", "halves"], "must be module:attr or path/to/file.py:attr"),
    (["--pack-source", "pack.py:NOPE"], "could not load scenario pack source"),
    (["--pack-source", "pack.py:Scenario"], "ScenarioPack"),
    (["--runs-dir", "pack.py"], "cannot write to the runs directory 'pack.py'"),
]


@pytest.mark.parametrize(("arguments", "token"), REFUSED, ids=[" ".join(a) for a, _ in REFUSED])
def test_asking_wrongly_is_exit_2_and_leaves_nothing_behind(
    arguments: list[str], token: str
) -> None:
    """The message names the thing, and no runs directory appears for a call that was refused."""
    source = write_pack()
    ran = wt("run", "--pack-source", source, *arguments)
    assert ran.code == 2
    assert token in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert not Path("runs").exists()


BROKEN_PACKS = {
    "syntax.py": ("def (", "SyntaxError"),
    "raises.py": ("raise ValueError('broken on purpose')", "ValueError: broken on purpose"),
    "exits.py": ("raise SystemExit(3)", "called exit(3)"),
    "imports.py": ("import absent_module_xyz", "absent_module_xyz"),
    "bytes.py": ("\x00", "could not load scenario pack source"),
}


@pytest.mark.parametrize("name", BROKEN_PACKS)
def test_a_pack_that_does_not_import_says_why(name: str) -> None:
    """Whatever foreign code raises while it is imported is one line that names the cause."""
    text, token = BROKEN_PACKS[name]
    Path(name).write_text(text)
    ran = wt("run", "--pack-source", f"{name}:PACK")
    assert ran.code == 2
    assert "could not load scenario pack source" in ran.err
    assert token in ran.err
    assert "Traceback" not in ran.err


def test_two_packs_of_one_name_are_refused() -> None:
    """Wiring comes from the owning pack, so its name must say which one."""
    first = write_pack("one.py", name="same")
    second = write_pack("two.py", name="same")
    ran = wt("run", "--pack-source", first, "--pack-source", second)
    assert ran.code == 2
    assert "two scenario packs are named 'same'" in ran.err


def test_a_pack_may_not_take_the_name_of_a_built_in_one() -> None:
    """Discovery would otherwise pick one of them silently."""
    ran = wt("run", "--pack-source", write_pack(name="tool_affordance"))
    assert ran.code == 2
    assert "'tool_affordance'" in ran.err


def test_two_scenarios_of_one_name_in_a_pack_are_refused() -> None:
    """Their traces, rows and evidence would be mixed."""
    ran = wt("run", "--pack-source", write_pack(scenarios=[("a", "ok", []), ("a", "no", [])]))
    assert ran.code == 2
    assert "2 scenarios named 'a'" in ran.err


@pytest.mark.parametrize(
    ("tags", "token"),
    [
        (["dim:tool_affordance"], "not its own pack's, 'dim:demo'"),
        (["dim:demo", "dim:gone"], "tagged 'dim:gone', but no pack has that name"),
    ],
)
def test_a_stale_dimension_tag_is_refused(tags: list[str], token: str) -> None:
    """A renamed dimension must not leave scenarios behind under its old name."""
    ran = wt("run", "--pack-source", write_pack(scenarios=[("a", "ok", tags)]))
    assert ran.code == 2
    assert token in ran.err


def test_a_runtime_whose_build_raises_is_named_with_the_cause() -> None:
    """Exit 2; the event stream is closed, and nothing counts as run."""
    runtime = write_plugin(build="raise KeyError('API_KEY')")
    ran = wt("run", "--pack-source", write_pack(), "--runtime", runtime)
    assert ran.code == 2
    assert "could not be built: KeyError: 'API_KEY'" in ran.err
    assert "Traceback" not in ran.err
    assert events()[-1]["event"] == "sweep_finished"
    assert not ledger()


@pytest.mark.parametrize(
    ("attribute", "token"),
    [
        ("max_concurrency = 0", "max_concurrency=0"),
        ("max_concurrency = True", "max_concurrency=True"),
        ("max_concurrency = '4'", "max_concurrency='4'"),
        ("def lock_key(self, name): return ' '", "lock_key of runtime"),
        ("def lock_key(self, name): raise OSError('gone')", "OSError: gone"),
    ],
)
def test_a_plugin_that_says_something_impossible_is_refused(attribute: str, token: str) -> None:
    """Before anything is built."""
    runtime = write_plugin(more=attribute)
    ran = wt("run", "--pack-source", write_pack(), "--runtime", runtime)
    assert ran.code == 2
    assert token in ran.err


def test_a_model_label_that_fails_is_noted_and_stops_nothing() -> None:
    """The label is then unknown, which the record says."""
    runtime = write_plugin(more="def model_label(self, name): raise OSError('gone')")
    source = write_pack(scenarios=[("passes", "ok", [])])
    ran = wt("run", "--pack-source", source, "--runtime", runtime)
    assert ran.code == 0
    assert "model_label" in ran.err


def test_an_endpoint_that_is_down_is_said_in_one_line_per_scenario() -> None:
    """With the address, and without a stack: nothing is wrong with the program."""
    ran = wt(
        *("run", "--pack-source", write_pack(), "--runtime", "http_inject"),
        env={"WT_INJECT_URL": "http://127.0.0.1:9"},
    )
    assert ran.code == 1
    assert ran.out.count("  ERROR  ") == 2
    assert "http://127.0.0.1:9" in ran.out
    assert "Traceback" not in ran.err


def test_a_defect_in_a_driver_shows_its_stack_once() -> None:
    """A driver's author needs it; a second copy helps nobody."""
    runtime = write_plugin(reset="raise AttributeError('typo')")
    ran = wt("run", "--pack-source", write_pack(), "--runtime", runtime)
    assert ran.code == 1
    assert ran.err.count("Traceback (most recent call last)") == 1
    assert ran.out.count("AttributeError: typo") == 2


@pytest.mark.parametrize("state", ["committed", "deleted", "staged"])
def test_an_output_that_git_tracks_is_refused(repo: Repo, state: str) -> None:
    """An output is left out of what is under test, so it may never be a source file."""
    os.chdir(repo.path)
    repo.write({"src.json": "{}"})
    repo.git("add", "src.json")
    if state != "staged":
        repo.commit("source")
    if state == "deleted":
        Path("src.json").unlink()
    source = write_pack()
    ran = wt("run", "--pack-source", source, "--format", "json", "--out", "src.json")
    assert ran.code == 2
    assert "git tracks" in ran.err


def test_an_output_that_cannot_be_written_fails_the_sweep_and_keeps_the_evidence() -> None:
    """The runs happened; only the document is missing."""
    Path("file").write_text("")
    source = write_pack(scenarios=[("passes", "ok", [])])
    ran = wt("run", "--pack-source", source, "--format", "json", "--out", "file/out.json")
    assert ran.code == 1
    assert "could not write --out 'file/out.json'" in ran.err
    assert ledger()[0]["verdict"] == "PASS"


def test_wt_alone_prints_its_help_and_exits_1() -> None:
    """Nothing was asked, so the answer is not yes."""
    ran = wt()
    assert ran.code == 1
    assert "Commands:" in ran.out


def test_a_mistyped_command_names_the_near_one() -> None:
    """As git does."""
    ran = wt("rnu")
    assert ran.code == 2
    assert "did you mean 'run'?" in ran.err


def test_a_check_free_scenario_is_warned_about() -> None:
    """It would pass on an empty answer, which looks like evidence and is none."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('s', 's')])\n"
    )
    ran = wt("run", "--pack-source", "pack.py:PACK")
    assert ran.code == 0
    assert "scenario 's' checks nothing" in ran.err


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    """`wt … | head -0`."""
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m wt_git --help | true; exit 0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
