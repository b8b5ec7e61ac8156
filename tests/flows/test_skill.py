"""The guide for coding agents: its commands work, and what it says of the program is so."""

from __future__ import annotations

import importlib
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.commands import experiments, traces, wt
from kit.documents import PROJECT, parse
from kit.repo import new_repo

from wt_git.cli import COMMANDS
from wt_git.cli.commands.skill import packaged_skill

if TYPE_CHECKING:
    import click

SKILL = packaged_skill()
PAGES = {path.name: parse(path.name, path.read_text("utf-8")) for path in SKILL.rglob("*.md")}
LINES = [
    line
    for page in PAGES.values()
    for block in page.blocks
    if block.language == "sh"
    for line in block.text.splitlines()
]
# What stands between backticks in the text: `wt review`, `wt results --ladder --json`.
MENTIONED = sorted(
    {
        found
        for path in SKILL.rglob("*.md")
        for found in re.findall(r"`(wt [a-z][^`]*)`", path.read_text("utf-8"))
    }
)


def parsed(line: str) -> click.Context:
    """Have the real parser read a command, without carrying it out."""
    _, name, *arguments = shlex.split(line)
    command = importlib.import_module(COMMANDS[name].module).command
    with command.make_context(f"wt {name}", list(arguments), obj=[name, *arguments]) as context:
        return context


@pytest.mark.parametrize("line", LINES)
def test_every_command_is_one(line: str) -> None:
    """The program reads it: each option is there and takes such a value."""
    parsed(line)


@pytest.mark.parametrize("mentioned", MENTIONED)
def test_what_is_mentioned_in_passing_is_there_too(mentioned: str) -> None:
    """The command, and each option that is named with it."""
    _, name, *words = shlex.split(mentioned)
    command = importlib.import_module(COMMANDS[name].module).command
    spelt = {option for one in command.params for option in one.opts} | {"--help"}
    assert {word for word in words if word.startswith("-")} <= spelt


PACK = """
from windtunnel.api import Scenario, ScenarioPack

PACK = ScenarioPack("refunds", [
    Scenario("lookup_order", "Look it up.", [["ok"]]),
    Scenario("refund_partial", user_turns=["Refund it.", "In part."], target_facts=[["{fact}"]]),
])
"""
ROUNDS = (
    "wt run --pack-source pack.py:PACK --scenario lookup_order --runs 2"
    ' --question "is it steady?" --expect pass\n'
)


def test_the_commands_work_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent follows the guide in a project of its own, from the baseline to the evidence."""
    files = {"pack.py": PACK.format(fact="fixed"), "rounds.txt": ROUNDS}
    project = new_repo(Path("project").resolve(), files)
    monkeypatch.chdir(project.path)
    (baseline,) = [line for line in LINES if line.startswith("wt run") and "baseline" in line]
    assert carried_out(baseline) == 1  # a scenario fails, and the agent is to find out why
    for line in LINES:
        if line == baseline:
            continue
        if "--scenario refund_partial" in line and "--dry-run" in line:
            project.write({"pack.py": PACK.format(fact="ok")})  # the one change
        assert carried_out(line) in ({0, 1} if line.startswith(("wt init", "wt verify")) else {0})
    asked = [(one["tier"], one["label"], one["outcome"]) for one in experiments() if "tier" in one]
    assert asked == [
        ("regression", "baseline", "fail"),
        ("focused", "retry-limit", "pass"),
        ("regression", "retry-limit", "pass"),
        ("focused", "cli_run", "pass"),
        ("probe", "probe", "pass"),
    ]


def carried_out(line: str) -> int:
    """Run a command of the guide with its capitals filled in; what has `--json` prints JSON."""
    _, *words = shlex.split(line)
    if "SWEEP_ID" in words:
        words[words.index("SWEEP_ID")] = experiments()[-1]["sweep_id"]
    if "TRACE" in words:
        saved = [str(path) for path in traces() if path.parts[1] == "refund_partial"]
        words[words.index("TRACE")] = saved[-1]
    ran = wt(*words)
    if "--json" in words:
        one_a_line = words[0] in {"run", "watch"}
        for document in ran.out.splitlines() if one_a_line else [ran.out]:
            assert isinstance(json.loads(document), dict)
    return ran.code


def test_the_front_matter_is_what_agents_look_for() -> None:
    """A name that is the folder's, and when to use it, within the length that they read."""
    text = (SKILL / "SKILL.md").read_text("utf-8")
    _, front, _ = text.split("---\n", 2)
    keys = dict(line.split(": ", 1) for line in front.splitlines())
    assert list(keys) == ["name", "description"]
    assert keys["name"] == SKILL.name
    assert "Use it when" in keys["description"]
    assert len(keys["description"]) <= 1024
    assert len(text.splitlines()) < 500


def test_the_codes_that_are_explained_are_those_of_the_program() -> None:
    """Each has its entry among the messages."""
    page = (SKILL / "references/refusals.md").read_text("utf-8").partition("## When")[0]
    codes = re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)
    assert len(codes) > 5
    headings = parse("m", (PROJECT / "docs/messages.md").read_text("utf-8")).headings
    assert set(codes) <= set(headings)


def test_the_documents_have_the_keys_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for `windtunnel_results` finds it."""
    monkeypatch.chdir(new_repo(Path("project").resolve(), {"pack.py": PACK.format(fact="no")}).path)
    run = ("run", "--pack-source", "pack.py:PACK", "--question", "q", "--expect", "pass", "--json")
    assert "windtunnel_run" in json.loads(wt(*run, "--label", "a").out.splitlines()[0])
    focus = ("--label", "b", "--scenario", "lookup_order")
    assert json.loads(wt(*run, *focus).out.splitlines()[-1])["kind"] == "finished"
    text = (SKILL / "references/reading.md").read_text("utf-8")
    rows = re.findall(r"^\| `wt ([^`]+)` \| `(windtunnel_\w+)` \|", text, re.MULTILINE)
    more = {
        "watch --json": ["--sweep", experiments()[-1]["sweep_id"]],
        "compare --json": ["--labels", "a", "b"],
        "rescore --json": ["--runs", "runs", "--pack-source", "pack.py:PACK"],
    }
    found = {}
    for command, key in rows:
        if not command.startswith("run"):
            out = wt(*command.split(), *more.get(command, [])).out
            document = json.loads(out.splitlines()[0] if command.startswith("watch") else out)
            found[command] = (key, key in document)
    assert len(found) == 6
    assert all(there for _, there in found.values()), found


def test_links_within_the_skill_lead_somewhere() -> None:
    """Also once it is copied into another repository."""
    for page in PAGES.values():
        for target in page.links:
            assert (SKILL / target).exists()


def test_it_is_installed_as_a_user_does() -> None:
    """Each subcommand, and none; what cannot be done is exit 1 and one line."""
    ran = wt("skill", "path")
    assert (ran.code, ran.out, ran.err) == (0, f"{SKILL}\n", "")
    ran = wt("skill", "install")
    assert (ran.code, ran.out, ran.err) == (0, f"{SKILL}\n", "")
    assert Path(".agents/skills/windtunnel").is_symlink()
    ran = wt("skill", "install", "--dest", "here", "--copy")
    assert (ran.code, ran.out) == (0, f"{Path('here/windtunnel').resolve()}\n")
    ran = wt("skill", "install", "--dest", "here")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "wt skill: refusing to overwrite 'here/windtunnel', which is a copy of the skill; only another "
        "copy replaces it:\n  wt skill install --copy --dest here\n"
    )
    ran = wt("skill")
    assert (ran.code, ran.out) == (2, "")
    assert "path, install" in ran.err
    assert wt("skill", "remove").code == 2
