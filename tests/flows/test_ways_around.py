"""Ways around the ladder that somebody might try, and what becomes of each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from kit.commands import DECLARED, Ran, ledger, write_pack, write_plugin, wt, wt_process
from kit.repo import Repo, new_repo

BOTH = [("first", "ok", []), ("second", "ok", [])]
PLUGIN = "plugin.py:PLUGIN"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a pack of two scenarios that pass, and the test in it."""
    repo = new_repo(tmp_path / "project")
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=BOTH)
    write_plugin()
    repo.commit("an agent")
    return repo


def run(*arguments: str, source: str = "pack.py:PACK", env: dict[str, str] | None = None) -> Ran:
    start = wt_process if env else wt
    return start("run", "--pack-source", source, *DECLARED, *arguments, env=env)


def passed(*arguments: str) -> Ran:
    """Run what must pass."""
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.parametrize("spelt", ["plugin:PLUGIN", "./plugin.py:PLUGIN", "link.py:PLUGIN"])
def test_a_runtime_that_is_spelt_otherwise_is_no_other_target(here: Repo, spelt: str) -> None:
    """A dotted name, a path and a link lead to one class, whose history gates all of them."""
    Path("link.py").symlink_to("plugin.py")
    here.commit("a link")
    passed("--runtime", PLUGIN)
    ran = run("--runtime", spelt)
    assert ran.code == 2
    assert "nothing has earned it" in ran.err
    passed("--runtime", PLUGIN, "--scenario", "first")
    stale = run("--runtime", spelt)
    assert stale.code == 2
    assert "changed: runtime" in stale.err
    passed("--runtime", spelt, "--scenario", "first")
    earned = passed("--runtime", spelt)
    assert "regression sweep" in earned.err
    assert ledger()[-1]["experiment"]["baseline"] is False


def test_a_dotted_name_gates_the_path_and_other_dotted_names(here: Repo) -> None:
    """A module below a folder has a name for each folder that Python may look from."""
    Path("src/bench").mkdir(parents=True)
    write_plugin("src/bench/rig.py")
    here.commit("a rig")
    env = {"PYTHONPATH": "src"}
    assert run("--runtime", "bench.rig:PLUGIN", env=env).code == 0
    for spelt in ("src.bench.rig:PLUGIN", "src/bench/rig.py:PLUGIN"):
        assert run("--runtime", spelt).code == 2
    os.chdir("src/bench")
    ran = wt(
        "run",
        *("--runtime", "rig:PLUGIN", "--runs-dir", "../../runs"),
        *("--pack-source", "../../pack.py:PACK", *DECLARED),
    )
    assert ran.code == 2


def test_another_class_of_one_file_is_another_target(here: Repo) -> None:
    """It is another backend, which a note says where the directory knows others."""
    passed("--runtime", PLUGIN)
    with Path("plugin.py").open("a") as file:
        file.write("\n\nclass Other(Plugin):\n    pass\n")
    ran = passed("--runtime", "plugin.py:Other")
    assert "note: nothing in 'runs' is about 'plugin.py:Other'" in ran.err
    assert "need not be earned" in ran.err
    assert (
        "nothing in 'runs' is about" not in passed("--runtime", PLUGIN, "--scenario", "first").err
    )


def test_a_backend_of_another_name_each_time_is_pointed_out(here: Repo) -> None:
    """Such a runtime is never gated, so each of its regressions says so."""
    runtime = write_plugin("fickle.py", more="lock_key = lambda self, name: str(time.time_ns())")
    first = passed("--runtime", runtime)
    assert "nothing in 'runs' is about" not in first.err
    assert "note: nothing in 'runs' is about 'fickle.py:Plugin|" in passed("--runtime", runtime).err


def test_history_of_another_target_hides_no_history_elsewhere(here: Repo) -> None:
    """A directory that knows some target is as fresh for this one as an empty one."""
    passed()
    passed("--runs-dir", "elsewhere", "--runtime", PLUGIN)
    ran = passed("--runs-dir", "elsewhere")
    assert "'runs' has history for this target" in ran.err


@pytest.mark.parametrize(
    "out", ["agent.py", "src/agent.PY", "pyproject.toml", "a/pyproject.toml", ".git/hooks/x"]
)
def test_a_document_in_the_place_of_code_is_refused(here: Repo, out: str) -> None:
    """What `--out` names is left out of the fingerprint from then on, whatever is put there."""
    ran = run("--scenario", "first", "--format", "json", "--out", out)
    assert ran.code == 2
    assert f"--out '{out}'" in ran.err
    assert not Path("runs").exists()


def test_names_that_a_record_cannot_tell_apart_are_refused(here: Repo) -> None:
    """Else a pass of one would answer for a failure of the other."""
    Path("odd.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n\n\n"
        "def pack(name):\n"
        "    return ScenarioPack(name=name, scenarios=[Scenario(name='s', prompt='?', target_facts=[['ok']])])\n\n\n"
        "A, B = pack('d\\ud800'), pack('d\\udfff')\n"
    )
    ran = run("--pack-source", "odd.py:A", "--pack-source", "odd.py:B")
    assert ran.code == 2
    assert "two scenario packs are named" in ran.err


def test_lines_of_the_ledger_that_hold_no_row_are_counted_aloud(here: Repo) -> None:
    """A row that was torn or mangled may be the one that would have gated."""
    passed()
    with Path("runs/ledger.ndjsonl").open("ab") as file:
        file.write(b'{"torn": \n\xff\n')
    for arguments in (("--scenario", "first"), ("--dry-run",)):
        ran = run(*arguments)
        assert ran.err.count("2 line(s) of ledger.ndjsonl were passed over") == 1


def test_a_scenario_that_passed_and_counts_as_failure_says_why(here: Repo) -> None:
    """Otherwise PASS on one line and a failure on the next contradict one another."""
    Path("pyproject.toml").write_text("[tool.windtunnel.cache]\nfail_on_miss = true\n")
    ran = run("--scenario", "first")
    assert ran.code == 1
    assert "first: counts as a failure with any verdict: cache check: unknown" in ran.err


def test_a_document_has_its_keys_in_the_documented_order(here: Repo) -> None:
    """What the ladder asks for first, then what was added to it."""
    passed("--scenario", "first", "--format", "json", "--out", "out.json")
    (row,) = json.loads(Path("out.json").read_text())
    keys = list(row["experiment"])
    assert keys[:6] == ["counts_as_failure", "tier", "question", "expect", "if_pass", "if_fail"]
    documented = ["fingerprint_parts", "source_trace", "from_turn", "evidence_for", "earned_by"]
    assert [key for key in keys if key in documented] == documented
    assert keys.index("excluded_failing") < keys.index("baseline")


def test_what_decides_a_sweep_and_is_in_no_tree_is_named(here: Repo, tmp_path: Path) -> None:
    """A pack, a plugin or settings that git does not see can be edited behind the gate's back."""
    Path(".git/info/exclude").write_text("hidden/\n")
    Path("hidden").mkdir()
    (tmp_path / "pack.py").write_text(Path("pack.py").read_text())
    write_plugin("hidden/plugin.py")
    Path("hidden/pyproject.toml").write_text("[tool.windtunnel.ladder]\nfocused_budget_s = 9999\n")
    beside = run("--runtime", "hidden/plugin.py:PLUGIN", source=f"{tmp_path}/pack.py:PACK")
    named = f"outside of the tree under test: 'hidden/plugin.py', '{tmp_path}/pack.py'; edits there"
    assert named in beside.err
    os.chdir("hidden")
    settings = run("--scenario", "first", source="../pack.py:PACK")
    assert "focused sweep, budget 9999s" in settings.err
    assert "outside of the tree under test: 'pyproject.toml'; edits there" in settings.err
    os.chdir("..")
    assert "outside of the tree" not in passed("--runtime", PLUGIN, "--scenario", "first").err


def test_a_pass_of_another_pack_of_the_same_name_is_none(here: Repo) -> None:
    """A copy with an easier question answers for no failure of the real one."""
    write_pack("hard.py", name="desk", scenarios=[("first", "ok", []), ("second", "never", [])])
    write_pack("easy.py", name="desk", scenarios=[("second", "ok", [])])
    assert run(source="hard.py:PACK").code == 1
    assert run("--scenario", "second", source="easy.py:PACK").code == 0
    refused = run(source="hard.py:PACK")
    assert refused.code == 2
    assert (
        "desk/second (its focused pass is of another pack of that name, from easy.py)"
        in refused.err
    )
    Path("hard.py").write_text(Path("hard.py").read_text().replace("never", "ok"))
    assert run("--scenario", "second", source="hard:PACK").code == 0
    assert run(source="./hard.py:PACK").code == 0


def test_a_pass_of_a_copy_elsewhere_earns_nothing(here: Repo, tmp_path: Path) -> None:
    """Nor does it where the scenario did not fail; a pack of another name may earn, as ever."""
    copy = tmp_path / "pack.py"
    copy.write_text(Path("pack.py").read_text())
    passed()
    assert run("--scenario", "first", source=f"{copy}:PACK").code == 0
    refused = run()
    assert refused.code == 2
    assert "the last one, of demo/first, is of another pack of that name" in refused.err
    write_pack("other.py", name="other", scenarios=[("first", "ok", [])])
    assert run(source="other.py:PACK").code == 0
    passed()


def test_history_in_another_worktree_is_pointed_out(here: Repo) -> None:
    """Each has a runs directory of its own, so a new one starts free, and is said to."""
    passed()
    here.git("worktree", "add", "--quiet", "../beside")
    os.chdir("../beside")
    assert f"while '{here.path}/runs' has history for this target" in passed().err
    passed("--runs-dir", "other", "--runtime", PLUGIN)
    os.chdir(here.path)
    there = Path("../beside/other").resolve()
    assert f"while '{there}' has history for this target" in passed("--runtime", PLUGIN).err
