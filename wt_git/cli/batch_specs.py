"""Checking every sweep of a batch before the first one runs, as far as that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git import config
from wt_git.cli.batch_lines import BadLine
from wt_git.cli.commands import run
from wt_git.cli.run_options import check_paired, request_of
from wt_git.errors import WindTunnelError
from wt_git.evidence.output_place import check_output
from wt_git.ladder.declaration import missing_of
from wt_git.records.ledger import Ledger
from wt_git.records.store import RunsDir
from wt_git.sweep.prepare import look_up
from wt_git.sweep.schedulers import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from wt_git.cli.batch_lines import SpecLine
    from wt_git.sweep.request import SweepRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A sweep to run: where it stands, as typed, the words behind `wt run`, and its label."""

    line: int
    text: str
    words: list[str]
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The sweeps of a batch, and what is wrong with which line; nothing runs if anything is."""

    specs: list[Spec]
    problems: list[BadLine]


def check_batch(lines: Sequence[SpecLine | BadLine], defaults: Sequence[str]) -> Checked:
    """Check all `lines`; `defaults` are options that stand in front of those of each line."""
    checked = Checked(specs=[], problems=[])
    histories = _Histories()
    for line in lines:
        if isinstance(line, BadLine):
            checked.problems.append(line)
            continue
        words = [*defaults, *line.words]
        try:
            options = _parsed(words)
            request = request_of(options, ["run", *words])
        except click.ClickException as error:
            checked.problems.append(BadLine(line.number, _mistyped(error)))
            continue
        wrong = _problems(request, options, histories)
        checked.problems.extend(BadLine(line.number, problem) for problem in wrong)
        if not options["dry_run"]:
            histories.will_run(request, line.number)
        checked.specs.append(
            Spec(line=line.number, text=line.text, words=words, label=request.label)
        )
    return checked


def _parsed(words: list[str]) -> dict[str, Any]:
    """Return the options of `wt run`, parsed by `wt run` itself. Raises `ClickException`.

    Without its help, which is an answer and no sweep.
    """
    with run.command.make_context("wt run", list(words), help_option_names=[]) as context:
        check_paired(context.params)
        return context.params


def _mistyped(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption) and error.option_name in {"-h", "--help"}:
        return f"{error.option_name} runs nothing; see `wt run --help`"
    return error.format_message()


def _problems(
    request: SweepRequest, options: dict[str, Any], histories: _Histories
) -> Iterator[str]:
    """Yield what `wt run` would refuse whatever is earned until then."""
    try:
        RunsDir(request.runs_dir).check()
        undeclared = histories.undeclared(request)
    except WindTunnelError as error:
        yield _told(error)
        return
    if undeclared is not None:
        yield undeclared
    try:
        _look_up(request, options)
    except WindTunnelError as error:
        yield _told(error)


def _told(error: WindTunnelError) -> str:
    return "\n".join([error.message, *(f"  {hint}" for hint in error.hints)])


def _look_up(request: SweepRequest, options: dict[str, Any]) -> None:
    """Resolve all that a sweep names. Raises the first `WindTunnelError` of it."""
    if options["out"] is not None:
        check_output(options["out"], RunsDir(request.runs_dir))
    folder = Path.cwd()
    found = look_up(request, folder=folder, load_settings=lambda: config.load(folder), say=_unheard)
    plan(
        request.scheduler,
        request.max_concurrency,
        limit=found.runtime.limit,
        hooks_active=bool(found.hooks),
    )


def _unheard(_: str) -> None:
    """Take a note that the sweep itself will make when it runs."""


class _Histories:
    """Which runs directories have history, or will have once the lines so far were run."""

    def __init__(self) -> None:
        self._first_user: dict[Path, int] = {}

    def undeclared(self, request: SweepRequest) -> str | None:
        """Return what a sweep has to say and does not; None for nothing. Raises `UsageError`."""
        missing, runs_dir, why = missing_of(request.declaration), request.runs_dir, "has history"
        if not missing:
            return None
        if not Ledger(runs_dir, keep_index=False).has_rows():
            earlier = self._first_user.get(runs_dir.resolve())
            if earlier is None:
                return None
            why = f"will have history from line {earlier}"
        return f"needs --question and --expect: '{runs_dir}' {why}; add {' '.join(missing)}"

    def will_run(self, request: SweepRequest, line: int) -> None:
        self._first_user.setdefault(request.runs_dir.resolve(), line)
