"""`windtunnel` is `wt_git`: from a wheel and from an editable install, in a fresh environment."""

from __future__ import annotations

import textwrap
import zipfile
from pathlib import Path

import pytest
from kit.installation import PROJECT, Installation, build_wheel

from wt_git import __version__

PLUGIN = """
from windtunnel.api import Scenario, ScenarioPack
from windtunnel.runtimes.in_memory import InMemoryRuntime

PACK = ScenarioPack(name="tutorial", scenarios=[Scenario(name="greets", user_turns=["hello"])])

class Plugin:
    def build(self, runtime_name, label, soul_path):
        return InMemoryRuntime([f"hello from {runtime_name}"])
"""

PROJECT_FILE = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tutorial-plugin"
version = "1"
[project.entry-points."windtunnel.scenario_packs"]
tutorial = "tutorial_plugin:PACK"
[project.entry-points."windtunnel.runtimes"]
greeter = "tutorial_plugin:Plugin"
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that users get."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(request, tmp_path_factory):
    """The project in a fresh environment, with a plugin that was written for `windtunnel`."""
    installation = Installation(tmp_path_factory.mktemp("environment") / "venv")
    if request.param == "wheel":
        installation.install(request.getfixturevalue("wheel"))
    else:
        installation.install("--editable", PROJECT)
    plugin = tmp_path_factory.mktemp("plugin")
    (plugin / "pyproject.toml").write_text(PROJECT_FILE)
    (plugin / "tutorial_plugin.py").write_text(PLUGIN)
    installation.install(plugin)
    return installation


def run(installed, code):
    return installed.python(textwrap.dedent(code))


def test_the_wheel_has_two_import_names_and_nothing_else(wheel):
    """One package, one alias of one file; neither tests nor documents."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "wt_git",
        "windtunnel",
        next(name for name in names if name.endswith("METADATA")).split("/")[0],
    }
    assert [name for name in names if name.startswith("windtunnel/")] == ["windtunnel/__init__.py"]
    assert not [name for name in names if "_alias" in name]
    assert "wt_git/py.typed" in names


def test_the_installation_is_the_one_that_is_tested(installed, request):
    """A wheel is imported from where it was installed to, an editable one from the checkout."""
    kind = request.node.callspec.params["installed"]
    home = installed.site_packages if kind == "wheel" else PROJECT
    alias = home / ("windtunnel" if kind == "wheel" else "wt_git/_alias/windtunnel")
    find = "from importlib.util import find_spec; print(find_spec('{}').origin)"
    assert run(installed, find.format("wt_git")) == str(home / "wt_git/__init__.py")
    assert run(installed, find.format("windtunnel")) == str(alias / "__init__.py")


def test_every_module_is_the_same_under_both_names(installed):
    """No module is loaded twice, and none learns the other name."""
    run(
        installed,
        """
        import importlib, pkgutil, sys, windtunnel, wt_git

        assert windtunnel is wt_git
        names = [
            name
            for _, name, _ in pkgutil.walk_packages(windtunnel.__path__, "windtunnel.")
            if not name.endswith("__main__")
        ]
        assert len(names) > 50, names
        for name in names:
            real = name.replace("windtunnel", "wt_git", 1)
            alias = importlib.import_module(name)
            assert alias is importlib.import_module(real), name
            assert alias.__name__ == alias.__spec__.name == real, (name, alias.__spec__)
        files = [m.__file__ for m in set(sys.modules.values()) if getattr(m, "__file__", None)]
        ours = [f for f in files if "wt_git" in f]
        assert len(ours) == len(set(ours))
        """,
    )


@pytest.mark.parametrize("first", ["windtunnel", "wt_git"])
def test_whichever_name_comes_first(installed, first):
    """Classes are identical, so isinstance holds between packs of either spelling."""
    run(
        installed,
        f"""
        import {first}.api.scenario
        from windtunnel.api import Scenario as theirs
        from windtunnel.api.scenario import Scenario as deep
        from wt_git.api import Scenario as ours
        assert theirs is ours is deep
        assert ours.__module__ == "wt_git.api.scenario"
        """,
    )


def test_replay_is_a_function_and_a_module(installed):
    """The attribute is the function under both names, also after the module was imported."""
    run(
        installed,
        """
        from windtunnel.api.replay import split_at_user_turn
        import windtunnel.api.replay
        import wt_git.api
        assert windtunnel.api.replay is wt_git.api.replay
        assert callable(windtunnel.api.replay)
        assert split_at_user_turn.__module__ == "wt_git.api.replay"
        """,
    )


def test_what_does_not_exist_is_missing_under_the_name_that_was_asked(installed):
    """The message shows the name that the author wrote."""
    run(
        installed,
        """
        import windtunnel
        for name in ("windtunnel.nothing", "windtunnel.nothing.below", "windtunnel.errors.below"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                assert error.name in {name, "windtunnel.nothing"}, error
            else:
                raise AssertionError(name)
        """,
    )


def test_pickles_are_read_under_both_names(installed):
    """A pickle holds the real name; one that holds the alias is read all the same."""
    run(
        installed,
        """
        import pickle
        from windtunnel.api import NumberFact
        fact = NumberFact(3)
        data = pickle.dumps(fact, protocol=0)
        assert b"windtunnel" not in data
        assert pickle.loads(data) == fact
        assert pickle.loads(data.replace(b"wt_git", b"windtunnel")) == fact
        """,
    )


def test_a_reload_stays_the_same_module(installed):
    """Reloading through the alias reloads the module in place."""
    run(
        installed,
        """
        import importlib, windtunnel.text, wt_git.text
        assert importlib.reload(windtunnel.text) is wt_git.text
        assert wt_git.text.__spec__.name == "wt_git.text"
        """,
    )


def test_looking_for_a_module_does_not_load_it(installed):
    """Tools ask where a module is before they decide to import it."""
    run(
        installed,
        """
        import importlib.util, sys
        spec = importlib.util.find_spec("windtunnel.sweep.run_lock.runtime_lock")
        assert spec.origin.endswith("wt_git/sweep/run_lock/runtime_lock.py")
        assert "wt_git.sweep.run_lock.runtime_lock" not in sys.modules
        assert importlib.util.find_spec("windtunnel.nothing") is None
        """,
    )


@pytest.mark.parametrize("module", ["wt_git", "windtunnel", "wt_git.cli", "windtunnel.cli"])
def test_the_program_runs_as_a_module(installed, module):
    """`python -m` works under every name."""
    assert installed.run("python", "-I", "-m", module, "--version") == f"wt {__version__}"


@pytest.mark.parametrize("command", ["wt", "windtunnel", "git-windtunnel"])
def test_the_program_is_installed_under_three_names(installed, command):
    """Where the short name is taken there is a long one, and git finds it as its own."""
    assert installed.run(command, "--version") == f"wt {__version__}"


def test_entry_points_of_both_groups_load(installed):
    """A pack and a runtime that were written for the alias are found and are ours."""
    run(
        installed,
        """
        from importlib.metadata import entry_points
        import wt_git.api
        (pack,) = entry_points(group="windtunnel.scenario_packs", name="tutorial")
        assert isinstance(pack.load(), wt_git.api.ScenarioPack)
        (runtime,) = entry_points(group="windtunnel.runtimes", name="greeter")
        assert hasattr(runtime.load(), "build")
        """,
    )


def test_an_installed_plugin_flies(installed, tmp_path):
    """`wt run` finds the pack and the runtime by name and scores the flight."""
    printed = installed.run(
        *("wt", "run", "--runtime", "greeter", "--pack", "tutorial"),
        *("--runs-dir", str(tmp_path / "runs")),
    )
    assert "PASS" in printed
    assert "greets" in printed
    (trace,) = (path for path in (tmp_path / "runs/greets").rglob("*.json") if "." not in path.stem)
    assert "hello from greeter" in trace.read_text()


def test_what_is_no_code_is_installed_too(installed):
    """The skill, whole, and the scripts of completion."""
    skill = Path(installed.run("wt", "skill", "path"))
    assert {str(path.relative_to(skill)) for path in skill.rglob("*.md")} == {
        "SKILL.md",
        "references/reading.md",
        "references/refusals.md",
    }
    for shell in ("bash", "zsh", "fish"):
        assert "__complete" in installed.run("wt", "completion", shell)
