"""Options that take several values at once, `--trace A B`, as a shell writes them for `--trace *`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.text import shell_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


class ManyValues(click.Option):
    """A repeatable option each of which takes all words up to the next option."""


class ManyValuesCommand(click.Command):
    """A command that may have such options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse `args` as if such an option had been repeated for each of its values.

        Words that belong to no option are refused, with the option that they may be meant for.
        """
        ctx.allow_extra_args = True  # click would refuse them without a word on what to do
        left = super().parse_args(ctx, list(repeated(args, self._names())))
        if left and not ctx.resilient_parsing:
            many = "s" if len(left) > 1 else ""
            ctx.fail(
                f"Got unexpected extra argument{many} ({' '.join(left)}){self._meant(ctx, left)}"
            )
        return left

    def before_cursor(self, args: Sequence[str]) -> list[str]:
        """Return the words before one that is still typed, so that it is a value of its option."""
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

    The first value may be any word; what looks like an option is no further one.
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
