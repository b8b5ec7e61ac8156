"""The printed command runs exactly one scenario, whatever it is called."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.cli.commands.run import command
from wt_git.sweep.gate_check import focused_command, results_command
from wt_git.sweep.request import SweepRequest
from wt_git.sweep.selection import Selected, Selectors, select


def request(**changes: Any) -> SweepRequest:
    known: dict[str, Any] = {"selectors": Selectors(), "runs_dir": Path("runs")}
    return SweepRequest(**{**known, **changes})


def scenario(name: str) -> Scenario:
    return Scenario(name=name, prompt="?", target_facts=[["x"]])


def printed(name: str = "refund", *, pack: str = "shop", **changes: Any) -> str:
    return focused_command(request(**changes), Selected(ScenarioPack(pack), scenario(name)))


def parsed(line: str) -> dict[str, Any]:
    """The options that `wt run` reads of the line."""
    words = shlex.split(line)
    assert words[:2] == ["wt", "run"]
    with command.make_context("run", words[2:]) as context:
        return dict(context.params)


def test_the_command_has_the_scenario_its_runtime_its_pack_and_what_it_is_for():
    """Nothing that was not given, and what is asked of every sweep with history."""
    assert printed(runtime="my_runtime") == (
        "wt run --scenario refund --runtime my_runtime --pack shop "
        '--runs 3 --question "…" --expect pass'
    )


def test_everything_that_decides_what_is_under_test_is_kept():
    """As it was typed, in this order, and the label with it; the pack is the scenario's own."""
    line = printed(
        runtime="my runtime.py:P",
        runs_dir=Path("out/runs"),
        pack_sources=("a.py:PACK", "b.py:PACK"),
        all_packs=True,
        soul=Path("soul's.md"),
        agents=Path("notes.md"),
        label="try 2",
        selectors=Selectors(packs=("desk", "shop"), tags=("fast",), owners=("me",)),
        hooks=("h",),
        runs=9,
    )
    assert line == (
        "wt run --scenario refund --runtime 'my runtime.py:P' --runs-dir out/runs "
        "--pack-source a.py:PACK --pack-source b.py:PACK --pack shop --all-packs "
        "--soul 'soul'\"'\"'s.md' --agents notes.md --label 'try 2' "
        '--runs 3 --question "…" --expect pass'
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a*", "'a[*]'"), ("a?", "'a[?]'"), ("[ab]", "'[[]ab]'"), ("-x", "--scenario=-x")],
)
def test_characters_of_a_pattern_or_an_option_stand_for_themselves(name, shown):
    """A name is read as a pattern, and a word with a dash as an option."""
    assert shown in printed(name)


@given(
    st.lists(
        st.text(st.sampled_from("ab*?[]!-' $\\\"é…"), min_size=1, max_size=4).filter(str.strip),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    st.sampled_from(["shop", "-p", "it's"]),
)
def test_the_command_selects_this_scenario_and_no_other(names, pack):
    """Among scenarios with names alike, and another pack with the same ones."""
    packs = [ScenarioPack(one, [scenario(name) for name in names]) for one in (pack, "other")]
    for item in select(packs, Selectors()):
        line = focused_command(request(), item)
        options = parsed(line)
        chosen = select(packs, Selectors(scenarios=options["scenarios"], packs=options["packs"]))
        assert chosen == [item]


@pytest.mark.parametrize(
    "value",
    ["a\nb", "\x1b]31mred", "it's\x07", "a\u2028", "back\\slash\r", os.fsdecode(b"\xff\n"), "é\n"],
)
def test_what_a_terminal_would_obey_is_written_so_that_bash_reads_it_back(value):
    """The command stays one line, and the shell sees the value byte by byte."""
    line = printed(value, pack=value, label=value, soul=Path(value))
    assert line.isprintable()
    shown = subprocess.run(
        ["bash", "-c", line.replace("wt run", "printf '%s\\0'", 1)],
        capture_output=True,
        check=True,
    )
    words = [os.fsdecode(word) for word in shown.stdout.split(b"\0")[:-1]]
    assert words.count(value) == 4


def test_the_results_command_names_the_runs_directory():
    """There the option is called `--runs`."""
    assert results_command(Path("my runs")) == "wt results --runs 'my runs'"
    assert results_command(Path("-r")) == "wt results --runs=-r"
