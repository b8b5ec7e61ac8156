"""The forms in which `wt verify` prints its answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git import files
from wt_git.cli import ui
from wt_git.evidence.answer_text import answer_lines
from wt_git.text import json_characters, log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wt_git.evidence.verifying import Verified
    from wt_git.records.verification import Verification

    Form = Callable[[Sequence[Verified], Verification, Mapping[str, str]], None]

_SHORT_ID = 10


def _text(verified: Sequence[Verified], found: Verification, _: Mapping[str, str]) -> None:
    for one in verified:
        for line in answer_lines(one.answer, _name(one)):
            ui.data(line)
    if found.policy_from is not None:
        ui.data(f"judged by the policy of {found.policy_from[:_SHORT_ID]}")


def _name(one: Verified) -> str:
    short = one.commit.id[:_SHORT_ID]
    return short if one.commit.id.startswith(one.revision) else f"{one.revision} ({short})"


def _json(_: Sequence[Verified], found: Verification, __: Mapping[str, str]) -> None:
    click.echo(json_characters(files.json_document(found.as_document())))


def _github(verified: Sequence[Verified], found: Verification, environ: Mapping[str, str]) -> None:
    from wt_git.reports.verify.github import summary, workflow_commands  # noqa: PLC0415

    _text(verified, found, environ)
    for line in workflow_commands(found):
        click.echo(line)
    target = environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8") as stream:
            stream.write(summary(found))
    except OSError as error:
        ui.talk("verify", f"warning: no job summary: {error.strerror} ('{log_line(target)}')")


def _junit(_: Sequence[Verified], found: Verification, __: Mapping[str, str]) -> None:
    from wt_git.reports.verify.junit import verify_junit  # noqa: PLC0415

    click.echo(verify_junit(found), nl=False)


FORMS: dict[str, Form] = {"text": _text, "json": _json, "github": _github, "junit": _junit}
"""By the name that the command line gives them."""
