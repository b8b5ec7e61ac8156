"""Option types and groups of options that several commands share."""

from __future__ import annotations

import contextlib
import math
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wt_git.text import shell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


class ManyValues(click.Option):
    """A repeatable option that takes all words up to the next option."""


class ManyValuesCommand(click.Command):
    """A command with such options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `args` as if such an option had been repeated for each of its values.

        Words that belong to no option are refused, with the option that they may be meant for.
        """
        ctx.allow_extra_args = True  # click would refuse them without a hint
        left = super().parse_args(ctx, list(repeated(args, self._names())))
        if left and not ctx.resilient_parsing:
            many = "s" if len(left) > 1 else ""
            ctx.fail(
                f"Got unexpected extra argument{many} ({' '.join(left)}){self._meant(ctx, left)}"
            )
        return left

    def before_cursor(self, args: Sequence[str]) -> list[str]:
        """Return the words before the cursor such that the next word is a value of its option."""
        return list(repeated([*args, "typed"], self._names()))[:-1]

    def _meant(self, ctx: click.Context, left: Sequence[str]) -> str:
        for one in self.params:
            if isinstance(one, ManyValues) and not ctx.params.get(one.name or ""):
                return f"; did you mean {one.opts[0]} {' '.join(map(shell_word, left))}?"
        return ""

    def _names(self) -> set[str]:
        return {name for one in self.params if isinstance(one, ManyValues) for name in one.opts}


def repeated(arguments: Sequence[str], names: Collection[str]) -> Iterator[str]:
    """Yield `arguments` with each option of `names` repeated before each of its values.

    The first value may be any word; a word that looks like an option is no further value.
    """
    option, values = None, 0
    for index, word in enumerate(arguments):
        if word == "--" and (option is None or values):
            yield from arguments[index:]
            return
        if option is None or (values and word.startswith("-") and word != "-"):
            option, values = (word if word in names else None), 0
            yield word
        else:
            if values:
                yield option
            values += 1
            yield word


CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Every command passes it to click."""

F = TypeVar("F", bound="Callable[..., Any]")


def recorded(kind: str) -> Callable[..., Any]:
    """Return the completion of an option: a function of `completion.recorded`, loaded on a TAB."""

    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> Any:
        from wt_git.cli.completion import recorded  # noqa: PLC0415

        return getattr(recorded, kind)(ctx, incomplete)

    return complete


class PositiveInt(click.ParamType[int]):
    """A whole number of at least 1. `hint_directory` names the option that takes a folder."""

    name = "N"

    def __init__(self, hint_directory: str = "") -> None:
        self._hint_directory = hint_directory

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return `value` as an int, or fail with a message."""
        try:
            number = int(value)
        except (TypeError, ValueError):
            hint = ""
            with contextlib.suppress(OSError):  # too long for a name, say
                if self._hint_directory and Path(str(value)).is_dir():
                    hint = f"; to name the directory '{value}', use {self._hint_directory}"
            self.fail(f"expected an integer, got '{value}'{hint}", param, ctx)
        if number < 1:
            self.fail(f"must be at least 1, got {number}", param, ctx)
        return number


class Seconds(click.ParamType[float]):
    """A finite number of seconds greater than 0."""

    name = "SECONDS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return `value` as a float, or fail with a message."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            self.fail(f"expected a number of seconds, got '{value}'", param, ctx)
        if not 0 < number < math.inf:  # NaN is in no range either
            self.fail(f"must be greater than 0 and finite, got {value}", param, ctx)
        return number


class Amount(click.ParamType[Decimal]):
    """A finite amount of money of at least 0, in the currency of the pricing table."""

    name = "AMOUNT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        """Return `value` as a Decimal, or fail with a message."""
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            self.fail(f"expected an amount such as 2.50, got '{value}'", param, ctx)
        if not math.isfinite(float(number)) or number < 0:  # records hold it as a float
            self.fail(f"must be a finite amount of at least 0, got {value}", param, ctx)
        return number


def runs_dir_option(about: str, name: str = "--runs") -> Callable[[F], F]:
    """Return the option that names a runs directory; `about` is its help."""
    return click.option(
        name,
        "runs_dir",
        type=click.Path(path_type=Path),
        default="runs",
        show_default=True,
        metavar="DIR",
        help=about,
    )


def narrowing_options(command: F) -> F:
    """Add the options that narrow a runs directory to some labels and scenarios."""
    options = [
        click.option(
            "--label",
            "labels",
            multiple=True,
            shell_complete=recorded("labels"),
            help="Only this label. Repeatable; default: all of them.",
        ),
        click.option(
            "--scenario",
            "scenarios",
            multiple=True,
            metavar="NAME",
            shell_complete=recorded("scenarios"),
            help="Only scenarios of this name; a pattern with * ? [] is fine. Repeatable.",
        ),
    ]
    return _added(options, command)


def selection_options(command: F) -> F:
    """Add the options that choose scenarios; repeatable, alternatives within one option."""
    scenario = click.option(
        "--scenario",
        "scenarios",
        multiple=True,
        metavar="NAME",
        shell_complete=recorded("scenarios"),
        help="Run scenarios of this name; a pattern with * ? [] is fine. Repeatable.",
    )
    return scenario(
        _pack_options(
            command,
            "Run scenarios",
            sourced="Also load the pack at module:attr or path/to/file.py:attr, and run only what "
            "such sources bring unless --pack or --all-packs says otherwise. Repeatable.",
        )
    )


def definition_options(command: F) -> F:
    """Add the options that narrow the search for the definition of a saved trace's scenario."""
    return _pack_options(
        command,
        "Only definitions",
        sourced="Also load the pack at module:attr or path/to/file.py:attr; without --pack, what it "
        "defines stands before what others define under the same name. Repeatable.",
    )


def _pack_options(command: F, which: str, *, sourced: str) -> F:
    """Add the options that narrow `which` scenarios by tag and pack; `sourced`: help of the last."""
    options = [
        click.option(
            "--tag",
            "tags",
            multiple=True,
            metavar="TAG",
            help=f"{which} with this tag. Repeatable.",
        ),
        click.option(
            "--pack",
            "packs",
            multiple=True,
            metavar="PACK",
            help=f"{which} of this pack. Repeatable.",
        ),
        click.option(
            "--owner",
            "owners",
            multiple=True,
            metavar="OWNER",
            help=f"{which} of packs with this owner. Repeatable.",
        ),
        click.option(
            "--pack-source",
            "pack_sources",
            multiple=True,
            metavar="SOURCE",
            shell_complete=recorded("files"),
            help=sourced,
        ),
    ]
    return _added(options, command)


def agent_options(command: F) -> F:
    """Add the options that name the runtime and configure the agent."""
    options = [
        click.option(
            "--runtime",
            default="in_memory",
            shell_complete=recorded("files"),
            show_default=True,
            metavar="NAME",
            help="What drives the agent: a built-in or installed name, package.module:PLUGIN, or "
            "path/to/file.py:PLUGIN.",
        ),
        click.option(
            "--soul",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="System prompt for the agent: the text of this file.",
        ),
        click.option(
            "--agents",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Operating notes for the agent: the path of this file.",
        ),
    ]
    return _added(options, command)


TEXT, JSON, MARKDOWN = "text", "json", "markdown"


def format_options(command: F) -> F:
    """Add `--format` and `--json`; `chosen_format` combines the two."""
    options = [
        click.option(
            "--format",
            "output_format",
            type=click.Choice([TEXT, JSON, MARKDOWN]),
            help="Lines for people (the default), a JSON document, or Markdown for a comment on a "
            "pull request.",
        ),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    ]
    return _added(options, command)


def chosen_format(output_format: str | None, *, as_json: bool) -> str:
    """Return the format to print. Raises `click.UsageError` where the two options contradict."""
    if as_json and output_format not in {None, JSON}:
        raise click.UsageError(f"--json and --format {output_format} contradict each other")
    return JSON if as_json else output_format or TEXT


def _added(options: Sequence[Callable[[F], F]], command: F) -> F:
    """Return `command` with `options`, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command
