"""The workflow file that we ship: its commands are ours, and nothing foreign becomes script."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from wt_git.cli.commands.verify import command

WORKFLOW = Path(__file__).parents[2] / "docs" / "examples" / "github-workflow.yml"
TEXT = WORKFLOW.read_text("utf-8")


def test_every_command_of_it_is_one_that_wt_takes():
    """Options that are gone would break everybody's CI."""
    calls = re.findall(r"^ +wt verify (.*)$", TEXT, re.MULTILINE)
    assert len(calls) == 2
    for call in calls:
        command.make_context("wt verify", shlex.split(call))


def test_nothing_foreign_is_pasted_into_a_script():
    """What an author of a pull request can choose reaches a script by a variable only."""
    scripts = re.findall(r"run: \|?(.*?)(?=\n +- |\Z)", TEXT, re.DOTALL)
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_it_needs_no_right_but_reading():
    """And no event whose token could write."""
    assert "contents: read" in TEXT
    assert "pull_request_target" not in TEXT
    assert "write" not in TEXT
