"""What is answered to a shell."""

from __future__ import annotations

import importlib
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import wt
from kit.experiment_lines import finished, sweep_id
from kit.saved_runs import save_run

from wt_git.cli import COMMANDS
from wt_git.cli.completion.answer import TypedLine, answer, candidates
from wt_git.files import append_line, json_line


def values(*words, kind="plain"):
    """The values for the last word, the others standing before it."""
    typed = TypedLine(words[:-1], words[-1])
    return [one.lead + one.value for one in candidates(typed, COMMANDS) if one.kind == kind]


def test_commands_are_named_with_what_they_do():
    """From the table that the overview is made of."""
    found = list(candidates(TypedLine((), ""), COMMANDS))
    assert [(one.value, one.about) for one in found] == [(n, e.line) for n, e in COMMANDS.items()]
    assert values("rev") == ["review"]
    assert values("--") == ["--help", "--version"]
    assert values("nonsense", "") == []
    assert values("--help", "") == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_every_command_is_offered(name):
    """With its help; what is given already only where it may be given again."""
    command = importlib.import_module(COMMANDS[name].module).command
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    offered = values(name, "-")
    assert {option.opts[0] for option in options} <= set(offered)
    assert "--help" in offered


def test_choices_commands_below_and_paths():
    """Each by its own kind."""
    assert values("run", "--expect", "") == ["pass", "fail"]
    assert values("run", "--expect=f") == ["--expect=fail"]
    assert values("notes", "") == ["prune", "rebuild", "show"]
    assert "--json" in values("notes", "show", "--")
    assert values("run", "--soul", "so", kind="file") == ["so"]
    assert values("run", "--soul=so", kind="file") == ["--soul=so"]
    assert values("batch", "", kind="file") == [""]
    assert values("completion", "z") == ["zsh"]
    assert values("run", "--question", "") == []


def save_sweep(name, **record):
    Path("runs").mkdir(exist_ok=True)
    append_line(Path("runs") / name, json_line(record), durable=False)


def test_labels_are_those_of_sweeps_and_of_runs():
    """Of sweeps that ended, that began, and of runs without either; the newest first."""
    for number, label in enumerate(["one", "two", "one"]):
        save_sweep("experiments.ndjsonl", **finished(number, label=label))
    save_sweep("events.ndjsonl", event="sweep_started", label="running", sweep_id="f" * 12)
    save_sweep("events.ndjsonl", event="run_finished", label="no sweep", sweep_id="f" * 12)
    save_run(Path("runs"), 1, label="copied", scenario="refund")
    assert values("triage", "--label", "") == ["running", "one", "two", "copied"]
    assert values("watch", "--label", "t") == ["two"]
    assert values("triage", "--scenario", "") == ["refund"]


def test_sweeps_are_shown_with_when_and_what_they_were():
    """An id alone tells nobody which to take."""
    save_sweep("experiments.ndjsonl", **finished(7, label="one"))
    found = list(candidates(TypedLine(("review",), ""), COMMANDS))
    assert [(one.value, one.about) for one in found] == [
        (sweep_id(7), "2026-01-02T03:04:05Z, focused, one")
    ]
    assert values("watch", "--sweep", "f") == []


def test_the_directory_on_the_line_is_looked_into():
    """As far as it stands before the cursor."""
    Path("runs").mkdir()
    save_run(Path("other"), 1, label="there")
    assert values("triage", "--runs", "other", "--label", "") == ["there"]
    assert values("run", "--runs-dir", "other", "--label", "") == ["there"]
    assert values("triage", "--label", "") == []


def test_what_a_terminal_would_obey_is_not_offered():
    """An agent or a colleague may have chosen the label."""
    for number, label in enumerate(["a\x1b[2J", "b\u202e", "c\td", "e\nf", "fine `x` $(y)"]):
        save_sweep("experiments.ndjsonl", **finished(number, label=label))
    assert values("triage", "--label", "") == ["fine `x` $(y)"]


def test_only_the_newest_records_are_looked_at():
    """A TAB costs the same after years of history."""
    lines = [json_line(finished(number, label=f"label{number}")) for number in range(1500)]
    Path("runs").mkdir()
    Path("runs/experiments.ndjsonl").write_text("\n".join(lines) + "\n")
    found = values("triage", "--label", "")
    assert (found[0], found[-1], len(found)) == ("label1499", "label500", 1000)


@pytest.mark.parametrize("broken", ["runs", "runs/experiments.ndjsonl", "runs/events.ndjsonl"])
def test_what_cannot_be_read_is_nothing_to_offer(broken):
    """A file in the place of a folder, a folder in the place of a file."""
    if broken == "runs":
        Path("runs").write_text("x")
    else:
        Path(broken).mkdir(parents=True)
    ran = wt("__complete", "bash", "3", "wt", "triage", "--label", "")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("bash",),
        ("bash", "x", "wt"),
        ("tcsh", "1", "wt", "rev"),
        ("bash", "99", "wt", "run"),
        ("zsh", "-1", "wt"),
        ("fish", "2", "wt", "run", "--runs", "zero", "--nonsense", "--", ""),
    ],
)
def test_a_question_that_makes_no_sense_disturbs_nobody(arguments):
    """Exit 0, and nothing but candidates is ever printed."""
    ran = wt("__complete", *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert all(line.startswith(("plain\t", "file\t", "dir\t")) for line in ran.out.splitlines())


WORDS = st.sampled_from(
    ["wt", *COMMANDS, "--runs", "--label", "--label=", "=", ":", "'", "-", "--", "x", "show", ""]
)


@given(st.sampled_from(["bash", "zsh", "fish"]), st.integers(-2, 9), st.lists(WORDS, max_size=8))
def test_any_line_is_answered_without_a_word_of_complaint(shell, cursor, words):
    """Commands are found, parsed and asked, and none of them is carried out."""
    assert answer([shell, str(cursor), *words], COMMANDS) == 0
    assert not Path("runs").exists()


def test_bash_gets_what_it_is_to_put_in():
    """Without what it keeps, and with what is special to it escaped."""
    save_sweep("experiments.ndjsonl", **finished(1, label="a:b $c"))

    def printed(*words):
        return wt("__complete", "bash", str(len(words) - 1), *words).out

    assert printed("wt", "triage", "--label", "a") == "plain\ta:b\\ \\$c\t\n"
    assert printed("wt", "triage", "--label", "'a") == "plain\ta:b $c\t\n"
    assert printed("wt", "triage", "--label", "=", "a") == "plain\ta:b\\ \\$c\t\n"
    assert printed("wt", "triage", "--label", "a", ":") == "plain\tb\\ \\$c\t\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_are_printed_as_they_are_packaged(shell):
    """To be evaluated; without a shell the command is asked wrongly."""
    ran = wt("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert "__complete" in ran.out
    missing = wt("completion")
    assert (missing.code, missing.out) == (2, "")
    assert wt("completion", "tcsh").code == 2


def test_each_of_many_values_is_completed():
    """`--labels A B` takes all words up to the next option."""
    for number, label in enumerate(["one", "two", "three"]):
        save_sweep("experiments.ndjsonl", **finished(number, label=label))
    assert values("compare", "--labels", "t") == ["three", "two"]
    assert values("compare", "--labels", "one", "t") == ["three", "two"]
    assert values("compare", "--labels", "one", "two", "--runs", "runs", "t") == []
    assert "--runs" in values("compare", "--labels", "one", "--r")
    assert values("rescore", "--trace", "a.json", "b", kind="file") == ["b"]
