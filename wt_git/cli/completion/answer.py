"""Answering a shell's question: the candidates for the word at the cursor.

A completion must never disturb the line that is typed: on any error there is no answer, nothing is
printed, and the exit code is 0.

click gives the candidates of a command. Its own scripts would split values at `:` and `=` in bash, leave
blanks and quotes unquoted, and load every command in order to name them; so the scripts are ours.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import EXIT_YES
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Commands: TypeAlias = Mapping[str, tuple[str, str]]
    """The module of each command, and its line in the overview."""

_ONLY_BREAKS = re.compile(r"[=:]+")
_ESCAPED_IN_DOUBLE_QUOTES = '"\\$`'


class TypedLine(NamedTuple):
    """A command line up to the cursor.

    `words` are the finished words behind the program's name; `current` is the one at the cursor, up
    to there. The shell keeps the beginning `kept` of `current`, so an answer must not repeat it.
    `is_quoted`: the text that the shell replaces begins with an opening quote.
    """

    words: tuple[str, ...]
    current: str
    kept: str = ""
    is_quoted: bool = False


def read_words(words: Sequence[str], cursor: int) -> TypedLine:
    """Return the line of a shell that hands over whole words. `words[0]` is the program."""
    given = _up_to(words, cursor)
    return TypedLine(tuple(map(unquoted, given[1:-1])), unquoted(given[-1]))


def read_bash(words: Sequence[str], cursor: int) -> TypedLine:
    """Return the line of bash, which splits words at `=` and `:` and replaces the last part.

    So `--label=one` arrives as three words, and an answer replaces `one`.
    """
    given = _up_to(words, cursor)
    joined: list[str] = []
    kept = ""
    joins = False
    for word in given:
        is_break = bool(_ONLY_BREAKS.fullmatch(word)) and bool(joined)
        if joined and (is_break or joins):
            kept = joined[-1] + (word if is_break else "")
            joined[-1] += word
        else:
            kept = ""
            joined.append(word)
        joins = is_break
    quoted = given[-1][:1] in {"'", '"'}
    return TypedLine(
        tuple(map(unquoted, joined[1:-1])),
        unquoted(joined[-1]),
        kept=unquoted(kept),
        is_quoted=quoted,
    )


def _up_to(words: Sequence[str], cursor: int) -> list[str]:
    """Return the program, the words behind it and the one at the cursor, empty where there is none."""
    given = list(words[: cursor + 1])
    return given + [""] * (max(cursor, 1) + 1 - len(given))


def unquoted(word: str) -> str:
    """Return a word of a POSIX shell without its quotes and backslashes; a quote may be left open."""
    return "".join(_characters(word))


def _characters(word: str) -> Iterable[str]:
    quote = ""
    at = 0
    while at < len(word):
        char, following = word[at], word[at + 1 : at + 2]
        at += 1
        if quote == "'":
            if char == "'":
                quote = ""
            else:
                yield char
        elif char == "\\" and (not quote or following in _ESCAPED_IN_DOUBLE_QUOTES):
            yield following
            at += 1
        elif char == quote:
            quote = ""
        elif not quote and char in {"'", '"'}:
            quote = char
        else:
            yield char


_FOR_BASH_AS_IT_IS = re.compile(r"[^\w@%+=:,./-]", re.ASCII)
_ABOUT_LIMIT = 100
_OPTIONS_OF_WT = {
    "--help": "Show this message and exit.",
    "--version": "Show the version and exit.",
}


class Candidate(NamedTuple):
    """A candidate for the word at the cursor: `plain` text, or a path (`file`, `dir`) for the shell to find.

    `lead` goes before it: `--runs=` where that is in the same word.
    """

    kind: str
    value: str
    lead: str = ""
    about: str = ""


def answer(arguments: Sequence[str], commands: Commands) -> int:
    """Print a line for each candidate: kind, value, lead or explanation, with tabs between.

    `arguments` are the shell's name, the index of the word at the cursor and all words, the program
    first.
    """
    with contextlib.suppress(Exception):
        lines = list(_lines(arguments, commands))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    return EXIT_YES


def _lines(arguments: Sequence[str], commands: Commands) -> Iterator[str]:
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


def _for_bash(value: str, typed: TypedLine) -> str:
    rest = value.removeprefix(typed.kept)
    return rest if typed.is_quoted else _FOR_BASH_AS_IT_IS.sub(r"\\\g<0>", rest)


def candidates(typed: TypedLine, commands: Commands) -> Iterator[Candidate]:
    """Yield the candidates; the names of commands without loading any."""
    if not typed.words:
        options = _OPTIONS_OF_WT.items() if typed.current.startswith("-") else ()
        named = ((name, line) for name, (_, line) in commands.items())
        for name, about in (*options, *named):
            if name.startswith(typed.current):
                yield Candidate("plain", name, about=about)
    elif typed.words[0] in commands:
        yield from _of_command(typed, commands[typed.words[0]][0])


def _of_command(typed: TypedLine, module: str) -> Iterator[Candidate]:
    from wt_git.cli.completion.recorded import of_command  # noqa: PLC0415 - click

    name, *others = typed.words
    option, is_joined, _ = typed.current.partition("=")
    lead = f"{option}=" if is_joined and option.startswith("--") else ""
    command = importlib.import_module(module).command
    for item in of_command(command, name, others, typed.current):
        yield Candidate(item.type, str(item.value), lead, item.help or "")
