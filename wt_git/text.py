"""Texts for people: numbers and ids in one format, foreign text made inert, lists of names.

One function per medium. Everything an agent can influence (answers, tool names, scenario names,
questions) passes through here at the edge that prints it.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

_MINUTE_S = 60
_SMALL_USD = 0.1
_COMMIT_LENGTH, _RUN_LENGTH = 10, 8


def percent(rate: float) -> str:
    """Return a rate as a whole percentage; only a rate of 1 is `100%`, and only 0 is `0%`."""
    whole = round(rate * 100)
    if whole in {0, 100} and rate * 100 != whole:
        return "<1%" if whole == 0 else ">99%"
    return f"{whole}%"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with at most `digits` decimals and groups of thousands."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: float) -> str:
    """Return an amount with cents, and with four decimals while it is below a dime."""
    return f"${amount:,.4f}" if 0 < amount < _SMALL_USD else f"${amount:,.2f}"


def duration(seconds: float) -> str:
    """Return seconds as `42.1 s`, `3 min 20 s` or `2 h 5 min`."""
    if seconds < _MINUTE_S:
        return f"{decimal(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), _MINUTE_S)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def short_commit(commit: str) -> str:
    """Return the beginning of a commit id, enough for git to find it."""
    return commit[:_COMMIT_LENGTH]


def short_run(run_id: str) -> str:
    """Return the beginning of a run id, as file names have it."""
    return run_id[:_RUN_LENGTH]


def stopwatch(seconds: float) -> str:
    """Return the whole seconds of a running time as `0:42` or `2:05:00`."""
    minutes, rest = divmod(int(seconds), _MINUTE_S)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plain_seconds(seconds: float) -> str:
    """Return seconds without trailing zeros: `900`, `0.5`."""
    return str(int(seconds)) if seconds == int(seconds) else str(seconds)


# Controls, other line breaks, characters that turn the direction of writing, half surrogate pairs.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
# Commands for services that show a log: `::error ...` at the start of a line, `##[error]` anywhere.
_COMMAND_ANYWHERE = r"#(?=#\w*\[)"
_LOG_COMMAND = re.compile(rf"\A(\s*):(?=:)|{_COMMAND_ANYWHERE}")
_BACKTICKS = re.compile(r"`+")
# GitHub turns these into links or pictures after it has read the Markdown, so no escape stops it:
# mentions, references to issues, addresses, short names of emoji (and not the time of a day).
_LINKED = (
    r"[@#](?=\w)|(?<![^\W_])GH-(?=\d)|:(?=//)|www(?=\.)|(?:mailto|xmpp):|:(?=(?!\d\d:)[\w+-]+:)"
)
_WORD_JOINER = "\u2060"
_MARKDOWN = {ord(c): f"\\{c}" for c in "\\`*[]~"} | {ord(c): f"&#{ord(c)};" for c in "|$"}
_MARKDOWN |= {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
# An underscore within a word means nothing. At the start of a line, these begin a list or a heading.
_MARKUP_BY_PLACE = r"(?<![^\W_])_|_(?![^\W_])|\A[-+=#:]"
_NUMBERED = r"\A(\d+)(?=[.)](?:\s|\Z))"
# The Char production of XML 1.0. Compiling it takes longer than a whole `wt --version` may wait.
_NOT_XML = r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

DECLARATION_OPTIONS = '--question "…" --expect pass'
"""What a printed `wt run` command ends with: a runs directory with history asks for it."""


def one_line(text: str, limit: int | None = None) -> str:
    r"""Return `text` for one line of a terminal: control characters escaped, cut at `limit`.

    Escape sequences could move the cursor or recolour a verdict, bidirectional overrides could
    reverse one, so all of them are written as `\x1b` and the like. A text that was cut ends in
    `...` and has exactly `limit` characters.
    """
    safe = _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
    if limit is not None and len(safe) > limit:
        return safe[: max(limit - 3, 0)] + "..."
    return safe


def many_lines(text: str) -> str:
    """Return `text` for a terminal with its line breaks kept and everything else as `one_line`."""
    return "\n".join(one_line(line) for line in text.split("\n"))


def log_line(text: str, limit: int | None = None) -> str:
    """Return `text` as `one_line` does, and such that no CI service takes it for a command.

    GitHub obeys `::name::` at the beginning of a line and `##[name]` anywhere, other services
    `##name[`; their first character is written as an escape.
    """
    return _LOG_COMMAND.sub(_escaped_command, one_line(text, limit))


def _escaped_command(found: re.Match[str]) -> str:
    return "\\x23" if found.group() == "#" else f"{found.group(1)}\\x3a"


def workflow_data(text: str) -> str:
    """Return `text` as the message of a GitHub workflow command; its line breaks are kept."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str) -> str:
    """Return `text` as the value of a property (`file`, `title`) of a GitHub workflow command."""
    return workflow_data(text).replace(":", "%3A").replace(",", "%2C")


def markdown_code(text: str) -> str:
    """Return `text` as an inline code span of Markdown, in which nothing else is markup.

    The fence is longer than any run of backticks inside. Do not use it in a table, where `|` would
    still end the cell.
    """
    safe = one_line(text)
    if not safe.strip():
        return "(empty)"
    fence = "`" * (max(map(len, _BACKTICKS.findall(safe)), default=0) + 1)
    return f"{fence} {safe} {fence}" if "`" in safe else f"{fence}{safe}{fence}"


def markdown_text(text: str, limit: int | None = None) -> str:
    """Return `text` as plain text of Markdown on one line, cells of tables included.

    It is shown as `one_line(text, limit)` without spaces around it. Nothing in it is markup or HTML,
    and an invisible word joiner breaks the mentions of people, references to issues and addresses
    that GitHub would link. Use `markdown_code` for a text that a reader will copy.
    """
    shown = one_line(text, limit).strip()
    if not shown:
        return "(empty)"
    unlinked = re.sub(_LINKED, rf"\g<0>{_WORD_JOINER}", shown, flags=re.IGNORECASE)
    marked = re.sub(_MARKUP_BY_PLACE, r"\\\g<0>", unlinked.translate(_MARKDOWN))
    return re.sub(_NUMBERED, r"\1\\", marked)


def json_characters(document: str) -> str:
    """Return a JSON document in which commands for a terminal or a CI service are escaped.

    Its meaning is the same. Line breaks between its parts stay: within strings, JSON has none.
    """
    shown = "\n".join(_CONTROL.sub(_json_escape, line) for line in document.split("\n"))
    return re.sub(_COMMAND_ANYWHERE, _json_escape, shown)


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def xml_characters(text: str) -> str:
    """Return `text` with the characters that XML 1.0 cannot hold replaced by U+FFFD."""
    return re.sub(_NOT_XML, "\ufffd", text)


def shell_word(text: str) -> str:
    r"""Return `text` as one word of a shell command that stands on one line and can be pasted.

    Control characters are written as the shell's own `$'\x1b'`, which bash, zsh and ksh read.
    """
    if one_line(text) == text:
        return shlex.quote(text)
    raw = text.encode("utf-8", "surrogateescape" if _is_from_bytes(text) else "replace")
    return "$'" + "".join(_ANSI_C.get(byte) or f"\\x{byte:02x}" for byte in raw) + "'"


def _is_from_bytes(text: str) -> bool:
    return not re.search(r"[\ud800-\udc7f\udd00-\udfff]", text)


_ANSI_C = {byte: chr(byte) for byte in range(0x20, 0x7F)} | {0x27: "\\'", 0x5C: "\\\\"}
"""Bytes within `$'...'`; the rest are written by number, as two digits that no third can join."""


_SHOWN = 5
_NAME_LIMIT = 120
_MOST_OF_A_KIND = 40
_MOST_EXAMPLES = 3
_TELLING = 3
"""A shorter fragment is part of too many names to suggest them."""


def shortened_list(names: Sequence[str], *, most: int = _SHOWN, between: str = ", ") -> str:
    """Return the first `most` of `names`, which are inert already, and the number of the others.

    Where `between` is not a comma, it also separates that number.
    """
    shown = between.join(names[:most])
    before = " " if between == ", " else between
    return f"{shown}{before}and {len(names) - most} more" if len(names) > most else shown


def quoted_list(names: Collection[str], *, most: int = _SHOWN) -> str:
    """Return the first `most` of foreign names, quoted and inert, and the number of the others."""
    return shortened_list([f"'{one_line(name, _NAME_LIMIT)}'" for name in names], most=most)


def sorted_names(names: Iterable[str]) -> str:
    """Return foreign names in order, made inert; `none` where there are none."""
    return (
        shortened_list([one_line(name) for name in sorted(names)], most=_MOST_OF_A_KIND) or "none"
    )


class Examples:
    """Counts things for one sentence, and keeps the first names of them."""

    def __init__(self) -> None:
        self.number = 0
        self._first: list[str] = []

    def add(self, name: str) -> None:
        """Count one of them; keep its foreign name, made inert, if it will be shown."""
        self.number += 1
        if len(self._first) < _MOST_EXAMPLES:
            self._first.append(one_line(name))

    def __str__(self) -> str:
        """Return the names, and the number of the others."""
        more = self.number - len(self._first)
        return ", ".join([*self._first, *([f"and {more} more"] if more else [])])


def scenario_name(pack: str | None, scenario: str) -> str:
    """Return a scenario's name with its pack, since names are unique only within a pack."""
    return f"{pack}/{scenario}" if pack else scenario


def scenario_namer(scenarios: Iterable[str]) -> Callable[[str, str | None], str]:
    """Return a function of scenario and pack; it names the pack if `scenarios` has the name twice."""
    owners = Counter(scenarios)
    return lambda scenario, pack: scenario_name(pack if owners[scenario] > 1 else None, scenario)


def near_matches(value: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """Return up to three of `candidates` that are similar to `value`, best first."""
    plain = value.strip("*?").lower()
    by_case = {candidate.lower(): candidate for candidate in candidates}
    close = close_matches(plain, by_case)
    inside = [
        low for low in by_case if len(plain) >= _TELLING and plain in low and low not in close
    ]
    return tuple(by_case[low] for low in [*close, *inside][:3])


def close_matches(
    word: str, known: Iterable[str], *, most: int = 3, likeness: float = 0.6
) -> list[str]:
    """Return up to `most` words of `known` that are at least so much like `word`, best first."""
    import difflib  # noqa: PLC0415 - only for a mistyped word

    return difflib.get_close_matches(word, list(known), n=most, cutoff=likeness)


def did_you_mean(value: str, candidates: Sequence[str]) -> str:
    """Return `; did you mean X or Y?` for a name that is not among `candidates`, or nothing."""
    near = " or ".join(map(one_line, near_matches(value, candidates)))
    return f"; did you mean {near}?" if near else ""
