"""Answering a shell's question: what may stand at the cursor.

A completion must never disturb what is being typed: whatever goes wrong, there is no answer, nothing
is printed besides, and the exit code is 0.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from wt_git.cli.completion.typed import Typed, read_bash, read_words
from wt_git.errors import EXIT_YES
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wt_git.cli import Entry

_FOR_BASH_AS_IT_IS = re.compile(r"[^\w@%+=:,./-]", re.ASCII)
_ABOUT_LIMIT = 100
_OPTIONS_OF_WT = {
    "--help": "Show this message and exit.",
    "--version": "Show the version and exit.",
}


class Candidate(NamedTuple):
    """What may stand at the cursor: `plain` text, or a path (`file`, `dir`) that the shell finds.

    `lead` goes before it: `--runs=` where that is in the same word.
    """

    kind: str
    value: str
    lead: str = ""
    about: str = ""


def answer(arguments: Sequence[str], commands: Mapping[str, Entry]) -> int:
    """Print a line for each candidate: kind, value, lead or explanation, with tabs between.

    `arguments` are the shell's name, the index of the word at the cursor and all words, the program
    first.
    """
    with contextlib.suppress(Exception):
        lines = list(_lines(arguments, commands))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    return EXIT_YES


def _lines(arguments: Sequence[str], commands: Mapping[str, Entry]) -> Iterator[str]:
    shell, cursor, *words = arguments
    typed = (read_bash if shell == "bash" else read_words)(words, int(cursor))
    for one in candidates(typed, commands):
        if one.kind != "plain":
            yield f"{one.kind}\t{one.value}\t{one.lead}"
            continue
        value = one.lead + one.value
        if shell == "bash":
            value = _for_bash(value, typed)
        about = one_line(" ".join(one.about.split()), _ABOUT_LIMIT)
        yield f"{one.kind}\t{value}\t{about}"


def _for_bash(value: str, typed: Typed) -> str:
    rest = value.removeprefix(typed.kept)
    return rest if typed.is_quoted else _FOR_BASH_AS_IT_IS.sub(r"\\\g<0>", rest)


def candidates(typed: Typed, commands: Mapping[str, Entry]) -> Iterator[Candidate]:
    """Yield what may stand at the cursor; the names of commands without loading any."""
    if not typed.words:
        options = _OPTIONS_OF_WT.items() if typed.current.startswith("-") else ()
        named = ((name, entry.line) for name, entry in commands.items())
        for name, about in (*options, *named):
            if name.startswith(typed.current):
                yield Candidate("plain", name, about=about)
    elif typed.words[0] in commands:
        yield from _of_command(typed, commands[typed.words[0]])


def _of_command(typed: Typed, entry: Entry) -> Iterator[Candidate]:
    from click.shell_completion import ShellComplete  # noqa: PLC0415 - not for names of commands

    from wt_git.cli.many_values import ManyValuesCommand  # noqa: PLC0415

    name, *others = typed.words
    command = importlib.import_module(entry.module).command
    if isinstance(command, ManyValuesCommand):
        others = command.before_cursor(others)
    option, is_joined, _ = typed.current.partition("=")
    lead = f"{option}=" if is_joined and option.startswith("--") else ""
    found = ShellComplete(command, {}, f"wt {name}", "").get_completions(others, typed.current)
    for item in found:
        yield Candidate(item.type, str(item.value), lead, item.help or "")
